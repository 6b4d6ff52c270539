"""Proofs of a key (DPoP) that `idx-flow` sends, verified by requests-oauth2client, which is independent of it.

The requests to the org pass through a server of the test.
"""
import itertools
import json

import pytest
import requests

from support import proofs
from support.home import ANSWERS, LOGIN, Home
from support.listener import forward, listening
from support.ports import free_port
from support.served_org import REDIRECT

FLOWS = ["idx", "direct", "classic"]


@pytest.fixture(scope="module")
def front():
    """The server before the org, and the port of the org."""
    port = free_port()
    with listening(lambda exchange: forward(exchange, port)) as server:
        server.org_port = str(port)
        yield server


@pytest.fixture(scope="module")
def org(start_org, front):
    with start_org("--scenario", "dpop", "--port", front.org_port, "--address", front.address) as org:
        yield org


class Computer:
    """A home folder, from which the command signs in to the org."""

    def __init__(self, idx_flow, org, front, folder):
        self.idx_flow, self.org, self.front, self.home = idx_flow, org, front, Home(folder)
        # The key of the last sign-in, and the IDs of its proofs.
        self.thumbprint, self.ids = None, []

    def run(self, *arguments):
        return self.home.run(self.idx_flow, *arguments, seconds=60).stdout

    def sign_in(self, flow, *options):
        self.front.log.clear()
        script = self.home.write("answers.json", ANSWERS)
        output = self.run(
            "signin", "--flow", flow, "--issuer", self.org.issuer, "--client-id", self.org.client, "--redirect-uri",
            REDIRECT, "--script", script, "--scope", "openid profile offline_access", *options)
        assert f"Signed in as {LOGIN}" in output, output
        self.thumbprint, self.ids = None, []
        self.verify(400, 200)

    def verify(self, *statuses, log=None):
        """Verifies the proofs of the last command, all with one key and new IDs, and forgets its requests."""
        log = self.front.log if log is None else log
        found = [exchange.status for exchange in log if "DPoP" in exchange.headers]
        assert found == list(statuses), found
        thumbprint, ids = proofs.verify(self.org, log)
        assert thumbprint == (self.thumbprint or thumbprint), "The command has changed the key."
        assert len({*self.ids, *ids}) == len(self.ids) + len(ids), "An ID was used again."
        self.thumbprint, self.ids = thumbprint, self.ids + ids
        log.clear()


@pytest.fixture
def computer(idx_flow, org, front, tmp_path):
    return Computer(idx_flow, org, front, tmp_path)


@pytest.fixture(params=FLOWS)
def signed_in(computer, request):
    """A computer with a credential of each protocol."""
    computer.sign_in(request.param)
    return computer


def test_refresh_proves_the_key_of_the_sign_in(signed_in):
    signed_in.run("refresh")
    signed_in.verify(400, 200)


def test_each_sign_in_has_a_new_key_and_each_proof_a_new_id(computer):
    thumbprints, ids = [], []
    for flow in FLOWS:
        computer.sign_in(flow, "--force")
        thumbprints.append(computer.thumbprint)
        ids += computer.ids
    assert len(set(thumbprints)) == 3, thumbprints
    assert len(set(ids)) == len(ids) == 6, ids


def test_api_of_the_org_gets_proofs(signed_in):
    assert json.loads(signed_in.run("api", "/oauth2/default/v1/userinfo"))["preferred_username"] == LOGIN
    signed_in.verify(401, 200)
    path = "/api/echo/%7eada/caf%c3%a9/a%20b@c:d"
    echoed = json.loads(signed_in.run("api", f"{path}?page=2", "--method", "POST", "--field", "item=book"))
    assert (echoed["method"], echoed["query"], echoed["type"]) == ("POST", "page=2", "DPoP"), echoed
    assert json.loads(echoed["body"]) == {"item": "book"}, echoed
    signed_in.verify(401, 200)


def test_header_fields_for_another_program_have_a_proof_that_is_used_once(signed_in):
    address, nonce = f"{signed_in.org.origin}/api/echo/orders?page=2", []
    for status in [401, 200]:
        text = signed_in.run("token", "--format", "header", "--for", "GET", address, *nonce)
        fields = dict(line.split(": ", 1) for line in text.splitlines())
        answer = requests.get(address, headers=fields, timeout=10)
        assert answer.status_code == status, answer.headers
        nonce = ["--nonce", answer.headers.get("DPoP-Nonce", "")]
    signed_in.verify(401, 200)
    answer = requests.get(address, headers=fields, timeout=10)
    assert answer.status_code == 401 and "used before" in answer.headers["WWW-Authenticate"], answer.headers


def pages_of_orders():
    """The responses of an API that asks for a nonce first, and has another one in each response."""
    numbers = itertools.count(1)

    def respond(exchange):
        number = next(numbers)
        headers = {"Content-Type": "application/json", "DPoP-Nonce": f"nonce-{number}"}
        if number == 1:
            return 401, headers | {"WWW-Authenticate": 'DPoP error="use_dpop_nonce"'}, b""
        if number == 2:
            headers["Link"] = f'<{exchange.address}&page=2>; rel="next"'
        return 200, headers, b'{"orders":[]}'

    return respond


def test_api_at_another_origin_gets_its_address_as_it_is_sent(signed_in):
    with listening(pages_of_orders()) as api:
        address = f"{api.address}/%7eada/caf%c3%a9/a%20b@c:d"
        signed_in.run("api", f"{address}?of=ada", "--paginate")
        assert [exchange.address for exchange in api.log] == [
            f"{address}?of=ada{rest}" for rest in ["", "", "&page=2"]], api.log
        signed_in.verify(401, 200, 200, log=api.log)
        signed_in.run("api", address, "--method", "PUT", "--field", "item=book")
        signed_in.verify(200, log=api.log)
