"""The demo of idx-flow, which sets up an authenticator app with a QR code."""
import re

from . import qr
from .terminal import plain


def set_up(terminal):
    """Signs in up to the setup of the app; returns what was shown of the setup, the user and the password."""
    greeting = terminal.expect("Username")
    user, password = re.search(r"the user is (\S+), the password (\S+)", greeting).groups()
    terminal.enter(user)
    terminal.expect("Password")
    terminal.enter(password)
    terminal.expect("Choose 1-3")
    terminal.enter("1")
    return terminal.expect("Code: ").replace("\r", ""), user, password


def has_qr_code(shown, rows):
    """Whether a QR code is drawn; if so, it must be right, and in the window with all that follows it."""
    text = plain(shown)
    key = "".join(re.search(r"into the app:\s+((?:[A-Z2-7]{4}\s+){4})", text)[1].split())
    if "Or scan this QR code:" not in shown:
        needed = int(re.search(r"needs a window of \d+ columns and (\d+) rows", " ".join(text.split()))[1])
        assert needed > rows, f"no QR code in {rows} rows, but it needs {needed}"
        return False
    below = shown.split("Or scan this QR code:\n", 1)[1].split("\n")
    # The prompt is on the last line.
    drawing = "\n".join(below[-rows:]).split("demo:", 1)[0].rstrip("\n").split("\n")
    read = qr.read_drawing(drawing)
    assert read.startswith("otpauth://totp/") and f"secret={key}" in read, (read, key, shown)
    # In a small window, the link is not shown beside the code.
    link = re.search(r"otpauth://\S+", text)
    assert not link or read == link[0]
    return True


def play(terminal):
    """Plays the demo to its end, with one wrong code."""
    shown, user, password = set_up(terminal)
    has_qr_code(shown, 60)
    code = re.search(r"Google Authenticator shows (\d{6})", shown)[1]
    terminal.enter("000000" if code != "000000" else "111111")
    terminal.expect("Code: ")
    terminal.enter(code)
    terminal.expect("is set up")
    terminal.expect(f"Signed in as {re.escape(user)}\\.")
    assert terminal.wait() == 0, terminal.description
    assert terminal.shown.count(password) == 1, "The password was printed, and not only in the greeting of the demo."
