"""The credential store of Linux desktops fulfills its contract with GNOME Keyring."""
import re
import subprocess
import time

import pytest

from support import environment
from support.home import Home


@pytest.fixture
def keyring(tmp_path):
    """Runs GNOME Keyring with an unlocked keyring in a D-Bus session; returns the address of the session."""
    environment.install({"secret-tool": "libsecret-tools", "gnome-keyring-daemon": "gnome-keyring",
                         "dbus-daemon": "dbus-daemon"})
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True)
    # The compiler needs the real home folder; the keyring must not use it.
    home = Home(tmp_path, DBUS_SESSION_BUS_ADDRESS=bus.stdout.readline().strip(), XDG_RUNTIME_DIR=f"{tmp_path}/run")
    (tmp_path / "run").mkdir(mode=0o700)
    daemon = subprocess.Popen(
        ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], env=home.environment,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        daemon.stdin.write(b"a password")
        daemon.stdin.close()
        # The daemon answers before its keyring is unlocked.
        for _ in range(100):
            home.run("secret-tool", "store", "--label=a check", "service", "a-check", input="works", status=None)
            if home.run("secret-tool", "lookup", "service", "a-check", status=None).stdout == "works":
                break
            time.sleep(0.1)
        else:
            pytest.fail("The keyring stores no secret.")
        yield home.environment["DBUS_SESSION_BUS_ADDRESS"]
    finally:
        for process in daemon, bus:
            process.terminate()
            process.wait()


def test_store_fulfills_its_contract(keyring, swift_test):
    printed = swift_test("SecretServiceTests", IDX_SECRET_SERVICE=1, DBUS_SESSION_BUS_ADDRESS=keyring)
    assert re.search(r'Test ".*contract with.*" .*passed|Test case .*contract.*passed', printed), printed
