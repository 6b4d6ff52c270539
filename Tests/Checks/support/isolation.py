"""Threads with namespaces of Linux of their own: what is mounted there, and the addresses there, exist nowhere else."""
import concurrent.futures
import ctypes
import functools
import subprocess

from . import environment

NEW_MOUNTS, NEW_NETWORK = 0x20000, 0x40000000


@functools.cache
def thread(network):
    """One thread for all tests, so that fixtures of a module stay in its namespaces."""
    def begin():
        environment.install({"ip": "iproute2", "mount": "mount"})
        assert ctypes.CDLL(None).unshare(NEW_MOUNTS | (NEW_NETWORK if network else 0)) == 0, "Only root can do this."
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        if network:
            subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    return concurrent.futures.ThreadPoolExecutor(1, initializer=begin)


def run(function, network=True):
    """Runs a function in the thread, whose processes and threads have its namespaces too."""
    return thread(network).submit(function).result()
