"""A program at a pseudo-terminal, as a person sees and uses it."""
import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

# Colors, movements of the cursor, titles and links.
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")


def plain(text):
    """A text without colors and other sequences of a terminal."""
    return ESCAPES.sub("", text).replace("\r", "")


class Terminal:
    """Runs a program at a terminal of its own, until the `with` statement ends."""

    def __init__(self, command, environment, folder=None, rows=60, columns=120, output=None, errors=None):
        """With `output` or `errors`, the program writes these to a file, and not to the terminal."""
        self.command, self.shown, self.place, self.ended = command, "", 0, False
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.window, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=inner, stdout=output or inner, stderr=errors or inner,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(inner)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.window)

    def read(self, seconds):
        """Waits for more output; returns whether there was some."""
        if self.ended or not select.select([self.window], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self.window, 65536)
        except OSError:
            # This is how Linux says that no program has the terminal open.
            data = b""
        self.ended = not data
        self.shown += self.decoder.decode(data)
        return bool(data)

    def expect(self, pattern, seconds=20):
        """Waits for what matches a regular expression, the match `found`; returns all new text up to its end."""
        end = time.monotonic() + seconds
        while not (found := re.compile(pattern).search(self.shown, self.place)):
            if not self.read(end - time.monotonic()) and (self.ended or time.monotonic() >= end):
                raise AssertionError(f"“{pattern}” did not appear. {self.description}")
        self.found = found
        start, self.place = self.place, found.end()
        return self.shown[start:self.place]

    def settle(self, quiet=0.4):
        """Waits until nothing new has appeared for a while; returns what appeared."""
        while self.read(quiet):
            pass
        start, self.place = self.place, len(self.shown)
        return self.shown[start:]

    def type(self, text):
        os.write(self.window, text.encode())

    def enter(self, line):
        """Types a line and the Enter key."""
        self.type(line + "\r")

    def wait(self, seconds=30):
        """Waits until the program ends; returns its exit status."""
        end = time.monotonic() + seconds
        while not self.ended and time.monotonic() < end:
            self.read(end - time.monotonic())
        try:
            return self.process.wait(max(end - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"The program does not end. {self.description}") from None

    @property
    def description(self):
        return f"The terminal of {' '.join(map(str, self.command))} shows:\n{plain(self.shown)}"
