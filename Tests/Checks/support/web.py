"""What tests of pages get: Chromium, Examples/WebSignIn and Redis. All of them end with the test."""
import contextlib
import re

import pytest
from selenium.common.exceptions import WebDriverException

from . import environment
from .browser import Browser
from .ports import free_port, wait_for_port
from .site import Program, Site

# The client ID of the simulated org.
CLIENT = "0oaDemoApp0000000001"
BROWSERS = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds to the report of a failed test what its browsers show."""
    report = yield
    if report.when == "call" and report.failed:
        for number, browser in enumerate(item.stash.get(BROWSERS, [])):
            with contextlib.suppress(WebDriverException):
                shot = browser.save_screenshot(re.sub(r"\W+", "-", f"failed-{item.name}-{number}"))
                text = f"{browser.driver.current_url}\n{browser.find('body').text}\nScreenshot: {shot}"
                report.sections.append(("Chromium", text))
    return report


@pytest.fixture
def open_browser(request):
    """Opens browsers, each without cookies and settings of another one."""
    environment.install({"/usr/bin/chromium": "chromium", "/usr/bin/chromedriver": "chromium-driver"})
    browsers = request.node.stash[BROWSERS] = []

    def open_one(**options):
        browsers.append(Browser(**options))
        return browsers[-1]
    yield open_one
    for browser in browsers:
        browser.driver.quit()


@pytest.fixture
def browser(open_browser):
    return open_browser()


@pytest.fixture
def start(tmp_path):
    """Starts a program that listens at a port."""
    with contextlib.ExitStack() as stack:
        def start_one(*command, port, kind=Program):
            program = kind(command, port, tmp_path / f"{port}.log")
            stack.callback(program.kill)
            wait_for_port(port, program.process, program.log)
            return program
        yield start_one


@pytest.fixture(scope="session")
def site_program(example, pytestconfig):
    """The program of Examples/WebSignIn, which is built with its tests."""
    environment.install({
        "/usr/include/microhttpd.h": "libmicrohttpd-dev", "/usr/include/hiredis/hiredis.h": "libhiredis-dev",
        "pkg-config": "pkg-config"})
    if pytestconfig.option.release:
        return example("WebSignIn", configuration="release")
    return example("WebSignIn", "--build-tests")


@pytest.fixture
def start_demo(start, site_program):
    """Starts a site with a simulated org that plays a scenario."""
    def start_one(scenario, *options):
        port = free_port()
        return start(site_program, "--demo", scenario, "--port", port, *options, port=port, kind=Site)
    return start_one


@pytest.fixture
def start_site(start, site_program):
    """Starts a site at which people of an org sign in. `prefix` are the words of a command that runs the program."""
    def start_one(issuer, *options, port=None, redirect=None, prefix=()):
        port = port or free_port()
        redirect = redirect or f"http://localhost:{port}/callback"
        return start(*prefix, site_program, "--issuer", issuer, "--client-id", CLIENT, "--redirect-uri", redirect,
                     "--port", port, *options, port=port, kind=Site)
    return start_one


@pytest.fixture
def start_redis(start):
    """Starts Redis; by default, it keeps everything in memory."""
    environment.install({"redis-server": "redis-server"})

    def start_one(*options, port=None):
        port = port or free_port()
        return start("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", *options, port=port)
    return start_one
