"""Ports of this computer."""
import contextlib
import socket
import time


def free_port():
    """A port at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for_port(port, process, log=None):
    """Waits until a process listens at a port; `log` is the file of its errors."""
    end = time.monotonic() + 30
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert process.poll() is None and time.monotonic() < end, (
            f"{process.args} does not listen at port {port}.\n{log.read_text() if log else ''}")
        time.sleep(0.05)
