"""The program as packages contain it signs in where there is nothing but glibc, libcurl and certificate authorities."""
import contextlib
import os
import pathlib
import re
import resource
import shutil
import subprocess

import pytest

from secure_org import SYSTEM, secure_org
from support import environment
from support.commands import run
from support.home import ANSWERS, Home
from support.served_org import REDIRECT

SERVED = ["--scenario", "password", "--redirect-uri", REDIRECT]
# What https may add to a sign-in, in milliseconds of processor time: to read the authorities once takes about 40, and 60
# on a busy machine. To read them for each request would take several times as long.
LIMIT = 150


@pytest.fixture
def serve(served_org_program):
    """Serves an org over https, whose authority is one of the system in the namespaces of a test."""
    environment.install({"nginx": "nginx-light"})

    @contextlib.contextmanager
    def serve(folder):
        with secure_org(served_org_program, folder, *SERVED) as org:
            run("mount", "--bind", org.authorities, os.path.realpath(SYSTEM))
            try:
                yield org.options
            finally:
                run("umount", os.path.realpath(SYSTEM))
    return serve


def sign_in_command(org, answers, *options):
    return ["signin", *org, "--redirect-uri", REDIRECT, "--script", answers, *options]


@contextlib.contextmanager
def root_folder(idx_flow, root):
    """A folder with the program and what the README says that it needs, and nothing else. It has /proc, where Swift
    reads the arguments of a program.
    """
    curl = next(iter(pathlib.Path("/usr/lib").glob("*-linux-gnu/libcurl.so.4")))
    # The libraries that these need, and those that they need.
    libraries = {path for file in (idx_flow, curl) for path in re.findall(r"(/\S+) \(0x", run("ldd", file))}
    for file in libraries | {curl, SYSTEM}:
        target = root / str(file).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    shutil.copy(idx_flow, root / "idx-flow")
    # Without a cache, the loader searches in the usual folders.
    for name in "home", "etc", "dev", "tmp", "proc":
        (root / name).mkdir(parents=True, exist_ok=True)
    run("mknod", "-m", "666", root / "dev/null", "c", "1", "3")
    (root / "answers.json").write_text(ANSWERS)
    run("mount", "-t", "proc", "none", root / "proc")
    try:
        yield
    finally:
        run("umount", root / "proc")


@pytest.mark.isolated
def test_program_signs_in_over_https_where_nothing_else_is_installed(idx_flow, serve, tmp_path):
    root = tmp_path / "root"
    variables = {"HOME": "/home", "IDX_FLOW_STORE": "file", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    with serve(tmp_path) as org, root_folder(idx_flow, root):
        command = ["chroot", root, "/idx-flow", *sign_in_command(org, "/answers.json", "--no-store")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
        assert done.returncode == 0 and "access_token" in done.stdout, done.stderr
        # Without libcurl, the message says what to install.
        curl, = root.glob("usr/lib/*/libcurl.so.4")
        curl.unlink()
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
        assert done.returncode != 0 and "apt-get install libcurl4" in done.stderr


@pytest.mark.isolated
def test_program_in_a_folder_with_its_name_creates_only_its_data(idx_flow, serve, tmp_path):
    """A static program in such a folder once created its data folder there, open to others."""
    home = Home(tmp_path / "home")
    (home.folder / "idx-flow").mkdir(parents=True)
    installed = home.folder / "idx-flow/idx-flow"
    shutil.copy(idx_flow, installed)
    with serve(tmp_path) as org:
        home.run(installed, *sign_in_command(org, home.write("answers.json", ANSWERS)))
    assert {path.name for path in (home.folder / "data").iterdir()} == {"idx-flow"}
    assert not (home.folder / ".cache").exists()


@pytest.mark.alone
@pytest.mark.isolated
def test_https_takes_little_more_processor_time_than_http(idx_flow, serve, start_org, home):
    answers = home.write("answers.json", ANSWERS)

    def milliseconds(org):
        """The least processor time of several sign-ins."""
        def once():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            home.run(idx_flow, *sign_in_command(org, answers, "--no-store"))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return min(once() for _ in range(9)) * 1000

    with serve(home.folder) as org:
        https = milliseconds(org)
    with start_org(*SERVED) as org:
        http = milliseconds(["--issuer", org.issuer, "--client-id", org.client])
    assert https - http <= LIMIT


def test_program_has_its_arguments_with_a_library_that_sets_a_variable(idx_flow, tmp_path):
    """The library does so before the program starts."""
    source, library = tmp_path / "preloaded.c", tmp_path / "preloaded.so"
    source.write_text("""
        #include <stdlib.h>
        __attribute__((constructor)) static void add(void) { setenv("ADDED_BY_A_LIBRARY", "1", 1); }
        """)
    run("clang", "-shared", "-fPIC", "-o", library, source)
    done = subprocess.run([idx_flow, "--version"], capture_output=True, text=True, env={"LD_PRELOAD": str(library)})
    assert done.returncode == 0 and done.stdout.startswith("idx-flow ")
