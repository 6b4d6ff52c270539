"""Two hosts with a delay between them: network namespaces, and a process that passes packets on."""
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


class DelayedHosts:
    """The namespaces `idx-client` and `idx-server`, in each of which the device of the other one is a host."""

    def __init__(self, seconds_each_way):
        self.delay, devices = seconds_each_way, []
        for namespace, address in ("idx-client", CLIENT), ("idx-server", SERVER):
            run("ip", "netns", "add", namespace)
            devices.append(inside(namespace, open_device))
            for command in (["link", "set", "lo", "up"], ["addr", "add", f"{address}/24", "dev", "tun0"],
                            ["link", "set", "tun0", "up"]):
                run("ip", "-n", namespace, *command)
        self.isRunning = True
        self.thread = threading.Thread(target=self.pass_on, args=devices, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.isRunning = False
        self.thread.join()
        for namespace in "idx-client", "idx-server":
            run("ip", "netns", "delete", namespace)

    def pass_on(self, first, second):
        other, waiting, order = {first: second, second: first}, [], itertools.count()
        while self.isRunning:
            pause = max(waiting[0][0] - time.monotonic(), 0) if waiting else 0.1
            for device in select.select([first, second], [], [], pause)[0]:
                packet = os.read(device, 65536)
                heapq.heappush(
                    waiting, (time.monotonic() + self.delay, next(order), other[device], packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, device, packet = heapq.heappop(waiting)
                os.write(device, packet)
        os.close(first)
        os.close(second)
