"""Many people sign in to Examples/WebSignIn at once, without browsers.

`pytest --release -rP -k many_sign_ins` prints figures that can be compared.
"""
import concurrent.futures
import http.client
import os
import signal
import threading
import time

import pytest
import requests

from secure_org import SYSTEM, secure_org
from support import environment
from support.listener import listening
from support.ports import free_port
from support.site import Visitor

pytest_plugins = "support.web"
pytestmark = [pytest.mark.slow, pytest.mark.alone]


# MARK: The end of the server

@pytest.mark.promise("server-stop")
def test_end_under_load(start_site):
    """While people start sign-ins at an org that is slow, the site ends soon, and each response is whole."""
    def refuse_slowly(_):
        time.sleep(0.5)
        return 400, {}, b""

    def visit(site):
        """Visits the site until it listens no more; returns the statuses of the responses."""
        statuses = []
        while True:
            try:
                visitor = Visitor(site)
                while True:
                    visitor.request("POST", "/start", {})
                    statuses.append(visitor.status)
            except ConnectionRefusedError:
                return statuses
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The connection was closed between two requests.
                visitor.connection.close()

    with listening(refuse_slowly) as org, concurrent.futures.ThreadPoolExecutor(20) as pool:
        site = start_site(org.address)
        visits = []
        for _ in range(20):
            time.sleep(0.05)
            visits.append(pool.submit(visit, site))
        time.sleep(1)
        site.end(5)
        statuses = {status for visit in visits for status in visit.result()}
        assert 502 in statuses and statuses <= {502, 503}, statuses


# MARK: Redis

def sign_in(site):
    """Signs in; at no time, the person is told what is not true. Returns how many seconds it took."""
    visitor, start = Visitor(site), time.monotonic()
    visitor.request("GET", "/")
    has_begun = False
    while not visitor.is_signed_in:
        assert time.monotonic() - start < 50, f"not signed in after 50 s: {visitor.page}"
        if visitor.status == 503:
            time.sleep(0.5)
        if visitor.action == "/sign-in":
            has_begun = True
            visitor.answer()
        elif visitor.action == "/start":
            assert not has_begun, f"the sign-in is lost: {visitor.page}"
            visitor.post("/start")
        else:
            visitor.request("GET", "/")
    took = time.monotonic() - start
    visitor.request("GET", "/")
    while visitor.status == 503:
        time.sleep(0.5)
        visitor.request("GET", "/")
    assert visitor.is_signed_in, f"the person is lost: {visitor.page}"
    visitor.connection.close()
    return took


@pytest.mark.promise("store-away")
def test_redis_that_hangs_and_restarts(start_demo, start_redis, tmp_path):
    """Redis hangs for four seconds, and is killed and started again, while 40 people sign in again and again.

    Nobody is told that they are signed in, or that the sign-in is over, unless that is true.
    """
    # What was acknowledged is on the disk.
    on_disk = ["--dir", tmp_path, "--appendonly", "yes", "--appendfsync", "always"]
    redis = start_redis(*on_disk)
    site = start_demo("password", "--redis", f"127.0.0.1:{redis.port}")
    is_over = threading.Event()

    def sign_in_again_and_again():
        times = []
        while not is_over.is_set():
            times.append(sign_in(site))
        return times

    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        people = [pool.submit(sign_in_again_and_again) for _ in range(40)]
        try:
            time.sleep(1)
            redis.process.send_signal(signal.SIGSTOP)
            time.sleep(4)
            redis.process.send_signal(signal.SIGCONT)
            time.sleep(5)
            redis.kill()
            time.sleep(1)
            start_redis(*on_disk, port=redis.port)
            time.sleep(1)
        finally:
            is_over.set()
        times = [took for person in people for took in person.result()]
    print(f"{len(times)} sign-ins, the longest took {max(times):.1f} s")


# MARK: Figures

def begin(site):
    visitor = Visitor(site)
    visitor.request("POST", "/start", {})
    assert visitor.status == 200, visitor.page
    return visitor


def finish(visitor):
    for _ in range(2):
        if not visitor.is_signed_in:
            visitor.answer()
    assert visitor.is_signed_in, visitor.page
    visitor.connection.close()
    return visitor.times


def in_parallel(pool, body, items):
    """The results and the errors, and how many seconds it took."""
    start = time.monotonic()
    futures = [pool.submit(body, item) for item in items]
    errors = [future.exception() for future in futures]
    results = [future.result() for future in futures if not future.exception()]
    return results, [error for error in errors if error], time.monotonic() - start


def sign_in_all(site, count=1000):
    """Signs in this often at once, each with a connection of its own, and prints figures."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        finish(begin(site))
        idle = site.descriptors(), site.memory()
        opened, failed, began = in_parallel(pool, begin, [site] * count)
        busy = site.descriptors(), site.memory()
        # The open connections leave room for others.
        assert requests.get(site.address, timeout=10).status_code == 200
        finished, failed_later, ended = in_parallel(pool, finish, opened)
    site.end()
    failures = failed + failed_later
    assert not failures, f"{len(failures)} of {count} failed: {failures[0]!r}"
    times = sorted(seconds for visit in finished for seconds in visit)
    print(
        f"{count} sign-ins at once: started in {began:.2f} s, finished in "
        f"{ended:.2f} s, {count / (began + ended):.0f} sign-ins and "
        f"{len(times) / (began + ended):.0f} requests a second, no failures; response time "
        f"{times[len(times) // 2] * 1000:.0f} ms median, "
        f"{times[len(times) * 99 // 100] * 1000:.0f} ms 99th percentile, "
        f"{times[-1] * 1000:.0f} ms longest; "
        f"{idle[0]} file descriptors before, {busy[0]} with {count} open connections; "
        f"{idle[1]:.0f} MB before, {busy[1]:.0f} MB with {count} open sign-ins")


def test_many_sign_ins_with_a_store_in_memory(start_demo):
    sign_in_all(start_demo("password"))


def test_many_sign_ins_with_redis(start_demo, start_redis):
    sign_in_all(start_demo("password", "--redis", f"127.0.0.1:{start_redis().port}"))


def test_many_sign_ins_at_an_org_over_https(start_site, served_org_program, tmp_path):
    environment.install({"nginx": "nginx-light"})
    redirect = f"http://localhost:{free_port()}/callback"
    with secure_org(served_org_program, tmp_path, "--scenario", "password", "--redirect-uri", redirect) as org:
        # The site trusts the authorities of the system, to which that of the org belongs in a namespace.
        trusting = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"',
                    org.authorities, os.path.realpath(SYSTEM)]
        sign_in_all(start_site(org.facts["issuer"], redirect=redirect, prefix=trusting))
