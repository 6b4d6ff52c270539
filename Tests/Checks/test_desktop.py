"""The window of Examples/DesktopSignIn, used like by a person, on a screen in memory.

The tests type and click with xdotool, know the screen by the title of the window, and read the QR code from a
screenshot. They ask AT-SPI what a screen reader gets: names of controls, texts of images, and problems. The screenshots
are in .build/desktop-screenshots.
"""
import ctypes
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import time
import urllib.parse

import pytest

from support import build, environment, qr
from support.home import LOGIN, PASSWORD
from support.processes import processor_seconds
from support.totp import totp

pytestmark = pytest.mark.slow
READER = pathlib.Path(__file__).resolve().parent / "support/read_accessibility.py"
SHOTS = build.ROOT / ".build/desktop-screenshots"
TIMEOUT = 30
# Everything to type into, to choose or to press, and images.
NAMED = ["text", "password text", "entry", "radio button", "check box", "push button", "image"]


@pytest.fixture(scope="module")
def program(example):
    environment.install({
        "dbus-daemon": "dbus-daemon", "Xvfb": "xvfb", "xdotool": "xdotool", "import": "imagemagick",
        "pkg-config": "pkgconf", "/usr/include/gtk-4.0": "libgtk-4-dev",
        "/usr/lib/python3/dist-packages/gi": "python3-gi", "/usr/libexec/at-spi-bus-launcher": "at-spi2-core",
        "/usr/lib/*-linux-gnu/girepository-1.0/Atspi-2.0.typelib": "gir1.2-atspi-2.0"}, recommended=True)
    SHOTS.mkdir(exist_ok=True)
    return example("DesktopSignIn")


@pytest.fixture(scope="module")
def screen(program):
    """The variables of a screen in memory, and of a D-Bus session."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "560x900x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[writer], stderr=subprocess.DEVNULL)
    # If the server does not start, there is nothing to read.
    os.close(writer)
    bus = None
    try:
        number = os.read(reader, 20).decode().strip()
        assert number, "Xvfb did not start."
        variables = {**os.environ, "DISPLAY": f":{number}"}
        bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
                               text=True, stderr=subprocess.DEVNULL, env=variables)
        yield {**variables, "DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip()}
    finally:
        os.close(reader)
        for process in filter(None, [bus, server]):
            process.terminate()
            process.wait()


@pytest.fixture
def open_window(program, screen):
    """Opens the window of a demo, until the test ends."""
    windows = []

    def open_demo(demo):
        windows.append(Window(program, screen, demo))
        windows[-1].open()
        return windows[-1]
    yield open_demo
    for window in windows:
        window.end()


class Window:
    """The window of a demo."""

    def __init__(self, program, screen, demo):
        self.demo, self.variables, self.id = demo, screen, "0"
        self.errors = tempfile.TemporaryFile()
        self.program = subprocess.Popen([program, "--demo", demo], stderr=self.errors, env={
            **screen, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "atspi", "LANG": "C.UTF-8"})
        self.reader = subprocess.Popen(
            ["/usr/bin/python3", READER], env=screen, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def open(self):
        """Waits for the window, which gets the keys."""
        self.id = self.wait("a window", self.find)
        self.do("windowfocus", self.id)

    def end(self):
        for process in self.program, self.reader:
            process.kill()
            process.wait()

    def output(self, *command):
        return subprocess.run(command, env=self.variables, capture_output=True, text=True).stdout.strip()

    def do(self, *arguments):
        subprocess.run(["xdotool", *arguments], env=self.variables, check=True)

    def write(self, text):
        self.do("type", "--delay", "10", text)

    def keys(self, *names):
        self.do("key", "--delay", "60", *names)

    def find(self):
        return next(iter(self.output(
            "xdotool", "search", "--onlyvisible", "--pid", str(self.program.pid)).split()), None)

    def title(self):
        return self.output("xdotool", "getwindowname", self.id)

    def wait(self, name, find, seconds=TIMEOUT):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.program.poll() is None:
            if found := find():
                return found
            time.sleep(0.05)
        self.picture("failure")
        self.errors.seek(0)
        pytest.fail(f"{name} did not come; the window says {self.title()!r}.\n{self.errors.read().decode()}")

    def expect(self, title, seconds=TIMEOUT):
        """Waits for a screen, and until it is drawn."""
        self.wait(f"“{title}”", lambda: title in self.title(), seconds)
        time.sleep(0.3)

    def accessible(self, **more):
        """What a screen reader gets of each visible thing in the window."""
        print(json.dumps({"process": self.program.pid, **more}), file=self.reader.stdin, flush=True)
        return json.loads(self.reader.stdout.readline())

    def has(self, role, name, description=""):
        """Waits for something that has this role, this name, and a description with this text for a screen reader."""
        self.wait(f"{role} “{name}” for a screen reader", lambda: [
            found for found in self.accessible()
            if (found["role"], found["name"]) == (role, name) and description in found["description"]])

    def has_names(self):
        """Everything to type into, to choose or to press has a name, and so has each image."""
        found = [node for node in self.accessible() if node["role"] in NAMED]
        # GTK falls back to the type of a widget.
        assert found and not [node for node in found if not node["name"] or node["name"].startswith("Gtk")]

    def press(self, name):
        """Presses a button as a screen reader does."""
        self.has("push button", name)
        assert self.accessible(press=name)

    def picture(self, name):
        file = SHOTS / f"{self.demo}-{name}.png"
        subprocess.run(["import", "-window", "root", file], env=self.variables, check=True)
        return file

    def close(self):
        """Closes the window as its button does, and expects that the program ends well."""
        ask_to_close(int(self.id), self.variables["DISPLAY"])
        assert self.program.wait(TIMEOUT) == 0

    def sign_in(self):
        self.expect("Sign in to Demo app")
        self.picture("1-sign-in")
        self.has("text", "Username")
        assert not [node for node in self.accessible() if node["name"] in ["Start over", "Cancel"]]
        self.has_names()
        self.write(LOGIN)
        if self.demo == "basic":
            self.keys("Tab")
        else:
            # This org asks for the password on a page of its own.
            self.keys("Return")
            self.expect("Enter your password")
        self.write(PASSWORD)
        self.keys("Return")


def ask_to_close(window, display_name):
    """Sends what the window manager sends for the button that closes a window."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(display_name.encode()))
    protocols, delete = [x11.XInternAtom(display, name, 0) for name in [b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"]]
    # An XClientMessageEvent, with the size of an XEvent.
    client_message, bits = 33, 32
    event = struct.pack("@iLiPLLi5l", client_message, 0, 1, 0, window, protocols, bits, delete, 0, 0, 0, 0)
    x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), event.ljust(24 * struct.calcsize("l"), b"\0"))
    x11.XCloseDisplay(display)


def code(uri):
    """The code of an authenticator app with this key."""
    return totp(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))["secret"])


def test_google_authenticator_is_set_up_from_a_screenshot(open_window):
    window = open_window("basic")
    window.sign_in()
    window.expect("Set up a second factor")
    window.picture("2-choice")
    window.has_names()
    # One press chooses, and the first row has the focus.
    window.has("push button", "Google Authenticator. A code from the app")
    window.keys("Return")
    window.expect("Set up Google Authenticator")
    uri = qr.read(window.picture("3-key"))
    window.has_names()
    for role, name in [("image", "QR code with the key: Google Authenticator"), ("label", LOGIN),
                       ("push button", "Not you?"), ("text", "Code")]:
        window.has(role, name)
    window.write("000000")
    window.keys("Return")
    window.has("text", "Code", "The code is wrong.")
    window.picture("4-wrong-code")
    assert "Set up Google Authenticator" in window.title()
    # The window shows the code that was refused as selected text, or an empty field.
    window.keys("ctrl+a")
    window.write(code(uri))
    window.keys("Return")
    window.expect("You are signed in.")
    window.picture("5-signed-in")


@pytest.mark.alone
def test_window_reacts_to_keys_and_needs_little_processor_time_during_a_push(open_window):
    window = open_window("push-number")
    window.sign_in()
    window.expect("Verify with Okta Verify")
    window.picture("2-method")
    window.keys("Return")
    time.sleep(1.5)
    window.picture("3-wait")
    before, start = processor_seconds(window.program.pid), time.monotonic()
    time.sleep(2)
    assert (processor_seconds(window.program.pid) - before) / (time.monotonic() - start) <= 0.15
    # The first button says “Not you?”, and starts over.
    window.keys("Tab", "Return")
    window.wait("the first screen", lambda: "Sign in to" in window.title(), 2)
    # A sign-in that is not finished is cancelled at the server.
    window.close()


def test_push_is_approved(open_window):
    window = open_window("push-number")
    window.sign_in()
    window.expect("Verify with Okta Verify")
    window.keys("Return")
    window.expect("You are signed in.")
    window.picture("5-signed-in")


def test_browser_returns_from_the_only_identity_provider(open_window):
    window = open_window("idp-only")
    window.expect("You are signed in.")
    window.picture("1-signed-in")
    window.close()


def test_browser_returns_from_a_chosen_identity_provider(open_window):
    window = open_window("idp")
    window.expect("Sign in to Demo app")
    window.has_names()
    window.press("Sign in with Google")
    window.expect("You are signed in.")


def test_app_gets_access_with_one_button(open_window):
    window = open_window("consent")
    window.sign_in()
    window.expect("asks for access")
    window.picture("2-consent")
    window.has_names()
    window.has("push button", "Do not allow")
    window.press("Allow")
    window.expect("You are signed in.")
