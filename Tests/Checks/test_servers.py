"""idx-flow signs in to servers of others, and uses the tokens there. What cannot be installed is skipped."""
import contextlib
import functools
import json
import time

import pytest

from support import environment, servers
from support.home import Home
from support.terminal import plain

pytestmark = pytest.mark.slow
# What the program shows at a sign-in with a browser, or with a code for another device.
PAGES = {"browser": r"Open this address in a browser:\s+(http\S+)\r?\n",
         "device": r"Open (http\S+)\s+Enter this code there: (\S+)\r?\n"}
SIGN_INS = [(kind, *sign_in) for kind in servers.KINDS for sign_in in kind.sign_ins]


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Starts one server of each kind."""
    with contextlib.ExitStack() as servers_that_run:
        @functools.cache
        def start_kind(kind):
            try:
                kind.install()
            except environment.NoSuchPackage as error:
                pytest.skip(f"{kind.__name__} cannot be installed: {error}")
            return servers_that_run.enter_context(kind(tmp_path_factory.mktemp("server")).running())
        yield start_kind


@pytest.fixture
def server(start, request):
    return start(request.param)


@pytest.fixture
def ada(server, idx_flow, tmp_path):
    return Person(server, idx_flow, tmp_path)


class Person:
    """Somebody with settings and a store of their own, who uses the program."""

    def __init__(self, server, idx_flow, folder):
        self.server, self.idx_flow = server, idx_flow
        self.home = Home(folder, TERM="dumb")

    def run(self, *arguments, expected=(0, "")):
        """What a command prints that ends with a status and says something."""
        done = self.home.run(self.idx_flow, *arguments, status=expected[0])
        assert expected[1] in done.stdout + done.stderr
        return done.stdout + done.stderr

    def settings(self, flow, client=None, redirect=None):
        """The options of a sign-in and of doctor."""
        options = ["--issuer", self.server.issuer, "--client-id", client or self.server.client, "--flow", flow]
        return options + ([] if flow == "device" else ["--redirect-uri", redirect or self.server.redirect])

    def sign_in(self, flow, *options):
        """What the program shows at a terminal, while a browser visits the page that it names."""
        with self.home.terminal(
                self.idx_flow, "signin", *self.settings(flow), "--scope", " ".join(self.server.scopes), "--force",
                *options) as terminal:
            terminal.expect(PAGES[flow])
            self.server.visit(*terminal.found.groups())
            assert terminal.wait() == 0, terminal.description
            return plain(terminal.shown)


@pytest.mark.parametrize("server", servers.KINDS, indirect=True)
def test_doctor_finds_what_is_wrong_with_the_settings(server, ada):
    for flow in dict.fromkeys(flow for flow, _ in server.sign_ins):
        ada.run("doctor", *ada.settings(flow), expected=(0, "A sign-in can work."))
    ada.run("doctor", *ada.settings("browser", client="another"), expected=server.unknown_client)
    other = ada.settings("browser", redirect=server.origin + "/another")
    ada.run("doctor", *other, expected=server.unknown_redirect)


@pytest.mark.parametrize("server, flow, policy", SIGN_INS, indirect=["server"])
def test_sign_in_brings_tokens_that_all_commands_can_use(server, ada, flow, policy):
    shown = ada.sign_in(flow, "--dpop", policy)
    assert ("request_uri=" in shown) == (server.has_push and flow == "browser"), shown
    is_bound = policy == "always" or server.requires_proofs
    metadata = json.loads(servers.Browser().send(f"{server.issuer}/.well-known/openid-configuration")[0])
    assert ("bound to" in ada.run("status", "--verbose")) == is_bound
    claims = json.loads(ada.run("token", "--type", "id", "--decode", "--json"))["claims"]
    for command in [("whoami", "--json"), ("api", metadata["userinfo_endpoint"])]:
        assert json.loads(ada.run(*command))["sub"] == claims["sub"]
    ada.run("token", expected=(1, "bound to a key") if is_bound else (0, ""))
    old = ada.run("token", "--type", "refresh")
    # Canaille fails to make two tokens in a second.
    while int(time.time()) == claims["iat"]:
        time.sleep(0.05)
    ada.run("refresh")
    new = ada.run("token", "--type", "refresh").strip()
    assert old.strip() != new
    ada.run("status", "--check", expected=server.introspection)
    ada.run("signout", expected=server.revocation)
    ada.run("status", expected=(8, "not signed in"))
    if server.revocation[0] == 0:
        servers.Browser().send(metadata["token_endpoint"], {
            "grant_type": "refresh_token", "refresh_token": new, "client_id": server.client}, expected=400)
