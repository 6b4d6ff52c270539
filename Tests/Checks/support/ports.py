"""Ports of this computer."""
import contextlib
import itertools
import os
import random
import socket
import time


# The system itself chooses only higher ports, of which oidc-agent refuses some. Each process of xdist has other ports.
FIRST = 12000 + 2000 * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 10)
PORTS = itertools.cycle(random.sample(range(FIRST, FIRST + 2000), 2000))


def free_port():
    """A port at which nothing listens, and which was not chosen shortly before."""
    for port in PORTS:
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port


def wait_for_port(port, process, log=None):
    """Waits until a process listens at a port; `log` is the file of its errors."""
    end = time.monotonic() + 30
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert process.poll() is None and time.monotonic() < end, (
            f"{process.args} does not listen at port {port}.\n{log.read_text() if log else ''}")
        time.sleep(0.05)
