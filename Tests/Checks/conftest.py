"""What the checks share: options, the programs under test, a home folder, and what the system must have."""
import functools
import os
import pathlib
import resource
import subprocess
import sys

import pytest

from support import build, environment, isolation, served_org
from support.home import Home


# MARK: How pytest runs

def pytest_addoption(parser, pluginmanager):
    if pathlib.Path(sys.prefix) != environment.FOLDER:
        enter_environment(pluginmanager)
    if os.geteuid() != 0:
        pytest.exit("The checks need root: they install packages of Debian, and mount folders.", 1)
    # Some tests open more than a thousand sockets.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    group = parser.getgroup("idx-flow")
    group.addoption("--skip-build", action="store_true", help="use programs that were built before")
    group.addoption("--release", action="store_true", help="use a release build of Examples/WebSignIn")
    group.addoption("--conformance", metavar="FOLDER", type=pathlib.Path, help="recorded responses and conversations")
    group.addoption("--all-faults", action="store_true", help="let each request of all conversations fail")
    group.addoption("--update", action="store_true", help="write what the terminal showed into transcripts")
    group.addoption("--log", metavar="FILE", type=pathlib.Path, help="the output of `swift test`")


def enter_environment(pluginmanager):
    """Runs pytest again in the Python environment, which has what the checks import."""
    pluginmanager.getplugin("capturemanager").suspend_global_capture(in_=True)
    environment.make(*environment.REQUIREMENTS, *environment.FILES)
    os.execv(environment.PYTHON, [environment.PYTHON, "-m", "pytest", *sys.argv[1:]])


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs tests with the mark `isolated` in a thread with namespaces of its own.

    Fixtures run outside the namespaces, so they can install programs.
    """
    if not (mark := pyfuncitem.get_closest_marker("isolated")):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    isolation.run(lambda: pyfuncitem.obj(**arguments), **mark.kwargs)
    return True


# MARK: Programs under test

@pytest.fixture(scope="session")
def release(pytestconfig):
    """Builds a program as packages contain it, and returns its path."""
    @functools.cache
    def built(product):
        if not pytestconfig.option.skip_build:
            build.release(product)
        path = build.ROOT / ".build/release" / product
        if not path.exists():
            pytest.fail(f"{path} was not built: leave out --skip-build.", pytrace=False)
        return path.resolve()
    return built


@pytest.fixture(scope="session")
def example(pytestconfig):
    """Builds a package in Examples, and returns the path of its program, which has the same name."""
    @functools.cache
    def path(name, *options, configuration="debug"):
        if not pytestconfig.option.skip_build:
            build.build(build.ROOT / "Examples" / name, "-c", configuration, *options)
        return build.folder(configuration) / name
    return path


@pytest.fixture(scope="session")
def debug_build(pytestconfig):
    """Builds this package with its tests, and returns the folder with what was built."""
    if not pytestconfig.option.skip_build:
        build.build(build.ROOT, "--build-tests")
    return build.folder()


@pytest.fixture(scope="session")
def swift_test(debug_build):
    """Runs the tests of Swift that a filter selects, and returns what they print."""
    def run(filter, **variables):
        environment = os.environ | {name: str(value) for name, value in variables.items()}
        with build.lock():
            done = subprocess.run(["swift", "test", "--skip-build", "--filter", filter], cwd=build.ROOT,
                                  env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout
    return run


@pytest.fixture(scope="session")
def idx_flow(release):
    return release("idx-flow")


@pytest.fixture(scope="session")
def served_org_program(example):
    """The program of Examples/ServedOrg."""
    environment.install({"/usr/include/microhttpd.h": "libmicrohttpd-dev", "pkg-config": "pkg-config"})
    return example("ServedOrg")


@pytest.fixture(scope="session")
def start_org(served_org_program):
    """Starts a served org in a `with` statement."""
    return functools.partial(served_org.served, served_org_program)


# MARK: What a test gets

@pytest.fixture
def home(tmp_path):
    """A home folder that is empty."""
    return Home(tmp_path)


@pytest.fixture(scope="session")
def conformance(pytestconfig):
    """The folder of recorded responses and conversations."""
    folder = pytestconfig.option.conformance
    if not folder:
        pytest.skip("there are no recordings: --conformance FOLDER names them")
    return folder.resolve(strict=True)
