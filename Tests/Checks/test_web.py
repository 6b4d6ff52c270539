"""People sign in to Examples/WebSignIn with Chromium. Each test is a check of `.ci/check-web`."""
import os
import re
import subprocess

import pytest

from nginx import free_port
from support import build, environment, script

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def site(example):
    """Builds the site with its tests, the org at which people sign in, and the command."""
    environment.install({
        "/usr/include/microhttpd.h": "libmicrohttpd-dev", "/usr/include/hiredis/hiredis.h": "libhiredis-dev",
        "pkg-config": "pkg-config", "/usr/bin/redis-server": "redis-server"})
    example("ServedOrg")
    example("WebSignIn", "--build-tests")


@pytest.mark.parametrize(
    "name", re.findall(r"^@check\ndef (\w+)", (script.FOLDER / "check-web").read_text(), re.M))
def test_web(debug_build, name):
    script.run("check-web", name.replace("_", "-"), IDX_SKIP_BUILD="1")


def test_site_passes_its_tests_in_swift():
    """The tests of the package, also those of the store in Redis."""
    port = str(free_port())
    redis = subprocess.Popen(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", ""])
    try:
        done = build.swift(
            "test", build.ROOT / "Examples/WebSignIn", "--skip-build", env={**os.environ, "IDX_REDIS_PORT": port},
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    finally:
        redis.kill()
        redis.wait()
    assert done.returncode == 0, "\n".join(
        line for line in done.stdout.splitlines() if "✘" in line or "↳" in line or "error" in line)
