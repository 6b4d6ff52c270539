"""The server of Examples/WebSignIn: behind nginx, with an org or Redis that is slow or away, with broken requests."""
import contextlib
import http.client
import re
import socket
import ssl
import threading
import time

import pytest
import requests

from certificates import Authority, Server
from nginx import running_nginx
from support import environment
from support.home import LOGIN, PASSWORD
from support.listener import forward, listening
from support.ports import free_port
from support.site import EXAMPLE
from support.waiting import wait_until

pytest_plugins = "support.web"
pytestmark = pytest.mark.slow


# MARK: The org

def test_org_that_is_down(browser, start_site):
    """The visitor reads what to do, and the log has the request with the reference of the page."""
    site = start_site(f"http://localhost:{free_port()}/oauth2/default", "--name", "Shop")
    browser.start(site)
    browser.shot("server-down")
    assert browser.title == "The sign-in service cannot be reached", browser.title
    assert browser.driver.title == f"Error: {browser.title} – Shop", browser.driver.title
    assert browser.focused()["role"] == "heading", browser.focused()
    for word in ["interact", "refused", "127.0.0.1", "proxy"]:
        assert word not in browser.text, browser.text
    status = browser.driver.execute_script(
        "return performance.getEntriesByType('navigation')[0].responseStatus")
    assert status == 503, status
    reference = re.search(r"[0-9A-Z]{4}-[0-9A-Z]{4}", browser.text)[0]
    log = site.log.read_text()
    assert re.search(rf"{reference}: .*interact", log), log
    browser.press("Try again")
    assert browser.title == "The sign-in service cannot be reached", browser.title


def test_org_that_is_slow(browser, start_org, start_site):
    """A press shows at once that something happens, and a second one sends nothing."""
    org_port, port = free_port(), free_port()
    slow_requests, is_slow = [], threading.Event()

    def respond(exchange):
        if is_slow.is_set() and exchange.method == "POST" and "/idx/" in exchange.address:
            slow_requests.append(exchange.address)
            time.sleep(4)
        return forward(exchange, org_port)

    with listening(respond) as front, start_org(
            "--port", str(org_port), "--address", front.address, "--scenario", "password", "--redirect-uri",
            f"http://localhost:{port}/callback") as org:
        browser.start(start_site(org.issuer, port=port))
        browser.enter(identifier=LOGIN)
        browser.fill(passcode=PASSWORD)
        is_slow.set()
        # The driver waits for the next page, so the page itself looks.
        browser.driver.execute_script("""
          const form = document.getElementById("sign-in"), button = form.querySelector("button.main");
          setTimeout(() => button.click(), 500);
          setTimeout(() => {
            sessionStorage.seen = [
              form.getAttribute("aria-busy"), button.className, form.querySelector(".busy").textContent].join();
          }, 1500);
          button.click();
        """)
        browser.is_signed_in()
        seen = browser.driver.execute_script("return sessionStorage.seen")
        assert seen == "true,main pressed,One moment…", seen
        assert len(slow_requests) == 1, slow_requests


# MARK: Redis

def test_another_process_continues_a_sign_in(browser, start_demo, start_site, start_redis):
    """The sign-in is in Redis when the first process is killed."""
    port = free_port()
    redirect = f"http://localhost:{port}/callback"
    org = start_demo("google", "--redirect-uri", redirect)
    store = ["--redis", f"127.0.0.1:{start_redis().port}"]
    first, second = (
        start_site(f"{org.address}/oauth2/default", *store, port=one, redirect=redirect) for one in [port, None])
    browser.start(first)
    browser.password()
    first.kill()
    browser.driver.get(second.address + "/sign-in")
    browser.shows("Google Authenticator")
    browser.enter(passcode=org.app_code())
    browser.is_signed_in()


@pytest.mark.promise("store-away")
def test_redis_that_is_away(browser, start_demo, start_redis):
    redis = start_redis()
    site = start_demo("password", "--redis", f"127.0.0.1:{redis.port}")
    browser.start(site)
    redis.kill()
    browser.driver.get(site.address + "/sign-in")
    browser.shows("Something went wrong", 5)
    start_redis(port=redis.port)
    # The sign-in was only in the memory of Redis.
    browser.press()
    browser.shows("This sign-in has ended")
    browser.press()
    browser.password()
    browser.is_signed_in()


# MARK: nginx

FORGED = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9", "X-Real-IP": "203.0.113.9"}


def settings_of_nginx(field):
    """The settings of the README, or those of a proxy that writes Forwarded, in which an IPv6 address is quoted."""
    [block] = re.findall(r"```nginx\n(.*?)```", (EXAMPLE / "README.md").read_text(), re.S)
    settings = "".join(re.findall(r"proxy_set_header [^;]+;\n?", block))
    assert settings.count("proxy_set_header") == 3, settings
    if field != "Forwarded":
        return settings
    return """
      set $node $remote_addr;
      if ($remote_addr ~ :) { set $node '"[$remote_addr]"'; }
    """ + settings.replace('Forwarded ""', "Forwarded for=$node")


def post_through(port, path, headers, source):
    """Posts an empty form over TLS from an address of this computer; returns the status and the Location."""
    connection = http.client.HTTPSConnection(
        "localhost", port, timeout=20, context=ssl._create_unverified_context(), source_address=(source, 0))
    connection.request("POST", path, "", {"Content-Type": "application/x-www-form-urlencoded", **headers})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers["Location"]


def sign_in_over_tls(browser, tls, org):
    browser.driver.get(f"https://localhost:{tls}/")
    browser.press("Sign in")
    [cookie] = browser.driver.get_cookies()
    assert cookie["name"] == "__Host-sign-in" and cookie["secure"], cookie
    browser.press("Google")
    assert browser.driver.current_url.startswith(org.origin), browser.driver.current_url
    browser.press(f"Continue as {LOGIN}")
    browser.is_signed_in()
    page = browser.driver.current_url
    assert page.startswith(f"https://localhost:{tls}/"), page
    cookies = browser.driver.get_cookies()
    assert cookies and all(
        cookie["secure"] and cookie["httpOnly"] and cookie["name"].startswith("__Host-")
        for cookie in cookies), cookies


@pytest.mark.promise("person-address")
@pytest.mark.parametrize("field, source", [
    ("X-Forwarded-For", "127.0.0.7"), ("Forwarded", "127.0.0.8"), (None, "127.0.0.9")])
def test_site_behind_nginx(open_browser, start_org, start_site, tmp_path, field, source):
    """nginx with the settings of the README: cookies, addresses, forged posts, and who the person is for the org.

    Without an option for the field, the site believes no address.
    """
    environment.install({"nginx": "nginx-light"})
    org_port, tls = free_port(), free_port()
    redirect = f"https://localhost:{tls}/callback"
    options = ["--port", str(org_port), "--scenario", "idp", "--redirect-uri", redirect]
    with listening(lambda exchange: forward(exchange, org_port)) as front, \
            start_org("--address", front.address, *options) as org:
        def addresses():
            # The metadata and the keys of the org are requested for nobody, at any time.
            return [exchange.headers["X-Forwarded-For"] for exchange in front.log if exchange.method == "POST"]

        site = start_site(org.issuer, *(["--behind-proxy", field] if field else []), redirect=redirect)
        files = Server(Authority("Authority of a site")).save(tmp_path, "site")
        with running_nginx(tmp_path, {"site": (files, settings_of_nginx(field))}, site, {"site": tls}):
            assert post_through(tls, "/start", FORGED, source) == (303, "/sign-in")
            assert set(addresses()) == {source if field else None}, addresses()
            assert len(addresses()) > 1, addresses()
            front.log.clear()
            for wrong in [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]:
                assert post_through(tls, "/start", wrong, "127.0.0.7")[0] == 403, wrong
            assert not addresses(), addresses()
            if field:
                sign_in_over_tls(open_browser(accepts_all_certificates=True), tls, org)
                # The requests for tokens are those of the site.
                assert set(addresses()) - {None} in [{"127.0.0.1"}, {"::1"}], addresses()


# MARK: Requests

def test_broken_requests(start_demo):
    """The server survives requests that are damaged, too long, or never end."""
    long_body = b"%x\r\n" % 70_000 + b"x" * 70_000 + b"\r\n0\r\n\r\n"
    head = b"Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    broken = [
        b"\0\xff\r\n\r\n", b"GET", b"POST /sign-in HTTP/1.1\r\n", b"GET /%zz?%00 HTTP/1.1\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /start HTTP/1.1\r\n" + head + b"Content-Length: -1\r\n\r\n",
        b"POST /start HTTP/1.1\r\n" + head + b"Content-Length: 99999999999999999999\r\n\r\n",
        b"POST /start HTTP/1.1\r\n" + head + b"Content-Length: 50\r\n\r\nshort",
        b"POST /start HTTP/1.1\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\n" + long_body,
        b"POST /sign-in HTTP/1.1\r\n" + head + b"Cookie: sign-in=%00; =; ;\r\nContent-Length: 9\r\n\r\n"
        b"%ff=%&&=+%",
        b"GET /callback?state=%ff&error=%00 HTTP/1.1\r\nHost: x\r\nCookie: sign-in=a\r\n\r\n",
    ]
    site = start_demo("password")
    for request in broken * 10:
        with socket.create_connection(("127.0.0.1", site.port), 1) as connection, contextlib.suppress(OSError):
            connection.sendall(request)
            connection.settimeout(0.05)
            connection.recv(1000)
    assert requests.get(site.address, timeout=10).status_code == 200
    # The server closes the broken connections a little later.
    wait_until(lambda: site.descriptors() < 40, 10, "It has too many descriptors.")
