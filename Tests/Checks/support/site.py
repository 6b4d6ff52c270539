"""Examples/WebSignIn and other programs that listen at a port, and visitors who need no browser."""
import http.client
import os
import re
import subprocess
import time
import urllib.parse

import requests

from .build import ROOT
from .home import LOGIN, PASSWORD
from .processes import memory

EXAMPLE = ROOT / "Examples/WebSignIn"


class Program:
    """A program that listens at a port. Its errors are in the file `log`."""

    def __init__(self, command, port, log):
        self.port, self.address, self.log = port, f"http://localhost:{port}", log
        with open(log, "w") as errors:
            self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=errors)

    def end(self, seconds=30):
        """Ends it with a signal, after which it must end by itself, and well."""
        self.process.terminate()
        try:
            status = self.process.wait(seconds)
        finally:
            self.kill()
        assert status == 0, f"It ended with {status}: {self.log.read_text()[-2000:]}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """The resident memory in MB."""
        return memory(self.process.pid) / 1024


class Site(Program):
    """A site; that of a demo has the phone of its user."""

    def phone(self, action="", **parameters):
        """Opens a page of the phone, and returns its text."""
        return requests.get(f"{self.address}/phone/{action}", parameters, timeout=10).text

    def sent_code(self):
        return re.findall(r"\b\d{6}\b", self.phone())[-1]

    def app_code(self):
        """The code that Google Authenticator shows."""
        return self.phone("code", of="google_otp")


class Visitor:
    """A person with cookies and one connection, who sees pages without scripts."""

    def __init__(self, site):
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        self.cookies, self.times = {}, []
        self.status, self.page = 0, ""

    def request(self, method, path, body=None):
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(body)
        start = time.monotonic()
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        self.status, self.page = response.status, response.read().decode()
        self.times.append(time.monotonic() - start)
        for header in response.headers.get_all("Set-Cookie") or []:
            name, value = header.split(";")[0].split("=", 1)
            self.cookies[name] = value
        if response.status == 303:
            self.request("GET", response.headers["Location"])

    def post(self, path, **answers):
        fields = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', self.page))
        self.request("POST", path, {**fields, **answers})

    @property
    def action(self):
        """Where the form of the page is sent."""
        found = re.search(r'<form[^>]* action="([^"]+)"', self.page)
        return found[1] if found else ""

    def answer(self):
        """Enters what the page asks for: the username and the password, or one of them."""
        answers = {"/identifier": LOGIN, "/credentials.passcode": PASSWORD}
        self.post("/sign-in", **{name: value for name, value in answers.items() if f'"{name}"' in self.page})

    @property
    def is_signed_in(self):
        return f"Signed in as {LOGIN}" in self.page
