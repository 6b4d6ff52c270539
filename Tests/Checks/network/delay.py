"""Two hosts with a delay between them: network namespaces, and a process that passes packets on."""
import contextlib
import ctypes
import fcntl
import heapq
import itertools
import os
import select
import struct
import threading
import time

from support.commands import run

CLIENT, SERVER = "10.9.0.1", "10.9.0.2"


def inside(namespace, function):
    """The result of a function that runs in a network namespace, in a thread of its own."""
    results = []

    def work():
        with open(f"/run/netns/{namespace}") as file:
            assert ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0) == 0, ctypes.get_errno()
        results.append(function())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return results[0]


def open_device():
    device = os.open("/dev/net/tun", os.O_RDWR)
    # IFF_TUN | IFF_NO_PI
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH", b"tun0", 0x0001 | 0x1000))
    return device


@contextlib.contextmanager
def delayed_hosts(seconds_each_way):
    """The namespaces `idx-client` and `idx-server`, which reach each other at the addresses CLIENT and SERVER."""
    devices, over = [], threading.Event()
    with contextlib.ExitStack() as stack:
        for namespace, address in ("idx-client", CLIENT), ("idx-server", SERVER):
            run("ip", "netns", "add", namespace)
            stack.callback(run, "ip", "netns", "delete", namespace)
            devices.append(inside(namespace, open_device))
            stack.callback(os.close, devices[-1])
            for command in (["link", "set", "lo", "up"], ["addr", "add", f"{address}/24", "dev", "tun0"],
                            ["link", "set", "tun0", "up"]):
                run("ip", "-n", namespace, *command)
        thread = threading.Thread(target=pass_on, args=[*devices, seconds_each_way, over], daemon=True)
        thread.start()
        # These are called in reverse order.
        stack.callback(thread.join)
        stack.callback(over.set)
        yield


def pass_on(first, second, delay, over):
    """Passes each packet of a device on to the other one, after a delay."""
    other, waiting, order = {first: second, second: first}, [], itertools.count()
    while not over.is_set():
        pause = max(waiting[0][0] - time.monotonic(), 0) if waiting else 0.1
        for device in select.select([first, second], [], [], pause)[0]:
            packet = os.read(device, 65536)
            heapq.heappush(waiting, (time.monotonic() + delay, next(order), other[device], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, device, packet = heapq.heappop(waiting)
            os.write(device, packet)
