"""Scripts of .ci that are not tests of pytest, each with the output that it prints if it fails."""
import json
import os
import re
import subprocess

import pytest

from nginx import free_port
from support import build, environment

CI = build.ROOT / ".ci"


def run(script, *arguments, **variables):
    done = subprocess.run(
        [CI / script, *arguments], cwd=build.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, **variables})
    print(done.stdout)
    assert done.returncode == 0, f"{script} ended with {done.returncode}."


@pytest.fixture(scope="module")
def web_site(example):
    """Builds the site with its tests, and the org at which people sign in."""
    environment.install({
        "/usr/include/microhttpd.h": "libmicrohttpd-dev", "/usr/include/hiredis/hiredis.h": "libhiredis-dev",
        "pkg-config": "pkg-config"})
    example("ServedOrg")
    example("WebSignIn", "--build-tests")


@pytest.mark.slow
@pytest.mark.parametrize("name", re.findall(r"^@check\ndef (\w+)", (CI / "check-web").read_text(), re.M))
def test_web(web_site, name):
    run("check-web", name.replace("_", "-"), IDX_SKIP_BUILD="1")


@pytest.mark.slow
def test_web_site_passes_its_tests_in_swift(web_site):
    """The tests of the package, also those of the store in Redis."""
    environment.install({"/usr/bin/redis-server": "redis-server"})
    port = str(free_port())
    redis = subprocess.Popen(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", ""])
    try:
        build.swift("test", build.ROOT / "Examples/WebSignIn", "--skip-build", env={**os.environ, "IDX_REDIS_PORT": port})
    finally:
        redis.kill()
        redis.wait()


@pytest.mark.slow
def test_served_org(served_org_program, idx_flow):
    run("check-served-org", idx_flow, IDX_SKIP_BUILD="1")


@pytest.mark.slow
def test_apple():
    run("check-apple")


@pytest.mark.slow
def test_docs():
    run("check-docs")


@pytest.mark.slow
def test_desktop():
    run("check-desktop")


@pytest.mark.slow
def test_short_fuzzing_runs():
    run("fuzz", "all", "100000", IDX_FUZZ_SECONDS="2")


@pytest.mark.slow
def test_benchmark_prints_json(release):
    """Its figures are not looked at, so it repeats as little as it can."""
    done = subprocess.run(
        [release("idx-benchmark"), "--json", "--repetitions", "7"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
