"""Sign-ins to Examples/ServedOrg over HTTP, with `idx-flow` and with Authlib, which is independent of this package."""
import base64
import contextlib
import json
import re
import subprocess
import urllib.parse

import jwt
import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

from support import build, environment
from support.curl import curl
from support.home import GIVE_PASSWORD, IDENTIFY, LOGIN, PASSWORD
from support.idx_client import SignIn, filled
from support.org_pages import act, devices, parameters, press
from support.ports import free_port, wait_for_port
from support.served_org import REDIRECT
from support.waiting import wait_until

README = (build.ROOT / "Examples/ServedOrg/README.md").read_text()


@pytest.fixture
def sign_in(idx_flow, home):
    """Starts a sign-in of the command with these answers."""
    with contextlib.ExitStack() as stack:
        def start(org, *answers, flow="idx", **variables):
            script = home.write("answers.json", json.dumps(answers))
            process = stack.enter_context(subprocess.Popen(
                [idx_flow, "signin", "--flow", flow, "--issuer", org.issuer, "--client-id", org.client,
                 "--redirect-uri", REDIRECT, "--script", script], text=True, cwd=home.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env={**home.environment, **variables}))
            stack.callback(process.kill)
            return process
        yield start


def succeed(command):
    """Expects that the command signs in."""
    output = command.communicate(timeout=60)[0]
    assert command.returncode == 0 and f"Signed in as {LOGIN}" in output, output


# MARK: The command

@pytest.mark.parametrize("flow", ["idx", "direct", "classic"])
def test_command_signs_in_with_each_protocol(start_org, sign_in, flow):
    with start_org("--scenario", "password") as org:
        succeed(sign_in(org, IDENTIFY, GIVE_PASSWORD, flow=flow))


def set_up_google_authenticator(org, sign_in, **variables):
    both = {"step": "identify", "fields": {"identifier": LOGIN, "credentials.passcode": PASSWORD}}
    code = {"step": "enroll-authenticator", "fields": {"credentials.passcode": {"totp": True}}}
    succeed(sign_in(org, both, {"step": "select-authenticator-enroll", "choose": "google_otp"}, code, **variables))


def test_codes_of_an_app_that_was_set_up_are_in_the_page(start_org, sign_in):
    with start_org() as org:
        set_up_google_authenticator(org, sign_in)
        assert "google_otp" in devices(org)["users"][0]["codes"]


def test_sign_in_page_is_used_without_a_browser_and_opens_an_app_with_saml(start_org, sign_in, idx_flow, home):
    wrong = {"step": "challenge-authenticator", "fields": {"credentials.passcode": "Wrong-1843"}}
    with start_org("--scenario", "password", "--saml") as org:
        succeed(sign_in(org, IDENTIFY, wrong, GIVE_PASSWORD, flow="hosted"))
        done = home.run(idx_flow, "saml", org.app, "--script", home.folder / "answers.json")
        response = base64.b64decode(json.loads(done.stdout)["SAMLResponse"])
        assert LOGIN.encode() in response, response
        assert "SAMLResponse" not in done.stderr and PASSWORD not in done.stderr, done.stderr


@pytest.mark.parametrize("button, status", [(f"Sign in as {LOGIN}", 0), ("Refuse", 4)], ids=["allowed", "refused"])
def test_code_of_another_device_is_entered_in_a_page(start_org, idx_flow, home, button, status):
    with start_org() as org, subprocess.Popen(
            [idx_flow, "signin", "--flow", "device", "--no-input", "--issuer", org.issuer, "--client-id", org.client],
            text=True, cwd=home.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=home.environment) as command:
        try:
            page, code = next(found.groups() for line in command.stderr
                              if (found := re.search(r"Open (\S+) and enter the code (\S+)\.", line)))
            assert press(org, page + "?user_code=wrong", button, status=404)
            assert "go back to your device" in press(org, f"{page}?user_code={code.lower()}", button, status=200)
            output, errors = command.communicate(timeout=60)
            assert command.returncode == status, errors
            assert status or f"Signed in as {LOGIN}" in output, output
        finally:
            command.kill()


def test_push_waits_until_its_number_is_chosen_in_the_page(start_org, sign_in):
    push = {"step": "select-authenticator-authenticate", "choose": "okta_verify",
            "fields": {"authenticator.methodType": "push"}}
    with start_org("--scenario", "push-number", "--by-hand") as org:
        command = sign_in(org, IDENTIFY, GIVE_PASSWORD, push, {"step": "challenge-poll"})
        wait_until(lambda: devices(org)["users"][0]["pushes"] or command.poll() is not None)
        assert command.poll() is None, command.communicate()[0]
        sent, = devices(org)["users"][0]["pushes"]
        assert f"Choose {sent['number']}" in requests.get(org.origin, timeout=10).text
        assert command.poll() is None
        act(org, "approve", number=sent["number"])
        succeed(command)


# MARK: Pages of a sign-in with Identity Engine

def test_identity_provider_refuses_and_returns_with_a_code(start_org):
    with start_org("--scenario", "idp") as org:
        sign_in = SignIn(org)
        page = sign_in.form("redirect-idp")["href"]
        assert parameters(press(org, page, "Refuse"))["error"] == "access_denied"
        end = parameters(press(org, page, f"Continue as {LOGIN}"))
        assert end["state"] == "st-1", end
        sign_in.redeem(end["interaction_code"])


def test_link_of_an_email_ends_the_sign_in_that_waits_for_it(start_org):
    with start_org("--scenario", "magic-link", "--by-hand") as org:
        sign_in = SignIn(org)
        sign_in.begin()
        sign_in.submit("authenticator-verification-data")
        poll = sign_in.answer["currentAuthenticatorEnrollment"]["value"]["poll"]
        sign_in.submit(poll)
        assert "successWithInteractionCode" not in sign_in.answer
        message, = devices(org)["messages"]
        assert parameters(message["link"])["otp"] == message["code"], message
        act(org, "follow", message=message["message"])
        sign_in.submit(poll)
        sign_in.redeem()


def test_setup_waits_until_the_phone_scans_its_code(start_org):
    with start_org("--scenario", "enroll-okta-verify", "--by-hand") as org:
        sign_in = SignIn(org)
        sign_in.begin()
        choice = sign_in.form("select-authenticator-enroll")["value"][0]["options"][0]
        sign_in.submit("select-authenticator-enroll", authenticator=filled(
            choice["value"]["form"]["value"]) | {"channel": "qrcode"})
        assert devices(org)["users"][0]["set-ups"] == ["okta_verify"], devices(org)
        act(org, "set-up")
        assert devices(org)["users"][0]["set-ups"] == []
        sign_in.submit("enroll-poll")
        sign_in.redeem()


# MARK: OAuth with Authlib

class App:
    """An app that uses Authlib, and the user at the pages of the org."""

    def __init__(self, org, secret=None):
        self.org, self.verifier, self.nonce = org, generate_token(48), generate_token()
        self.metadata = requests.get(f"{org.issuer}/.well-known/openid-configuration", timeout=10).json()
        self.session = OAuth2Session(
            org.client, secret, token_endpoint_auth_method="client_secret_basic" if secret else "none",
            redirect_uri=REDIRECT, scope="openid profile email offline_access", code_challenge_method="S256")
        self.address, self.state = self.session.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=self.verifier, nonce=self.nonce)

    def redeem(self, end):
        assert end.startswith(REDIRECT + "?") and parameters(end)["state"] == self.state, end
        return self.session.fetch_token(
            self.metadata["token_endpoint"], authorization_response=end, code_verifier=self.verifier, state=self.state)

    def sign_in(self, more=""):
        return self.redeem(press(self.org, self.address + more, f"Sign in as {LOGIN}"))

    def is_active(self, token):
        return self.session.introspect_token(
            self.metadata["introspection_endpoint"], token=token, token_type_hint="access_token").json()["active"]

    def check_tokens(self):
        """Signs in, and expects the right ID token, and tokens that can be used, refreshed and revoked."""
        tokens = self.sign_in("&prompt=login&max_age=0")
        key = jwt.PyJWKClient(self.metadata["jwks_uri"]).get_signing_key_from_jwt(tokens["id_token"])
        claims = jwt.decode(
            tokens["id_token"], key, algorithms=["RS256"], audience=self.org.client, issuer=self.org.issuer,
            options={"require": ["exp", "iat", "sub", "nonce"]})
        assert claims["nonce"] == self.nonce and claims["preferred_username"] == LOGIN, claims
        info = self.session.get(self.metadata["userinfo_endpoint"]).json()
        assert info["sub"] == claims["sub"] and info["email"] == LOGIN, info
        assert self.is_active(tokens["access_token"])
        newer = self.session.refresh_token(self.metadata["token_endpoint"], tokens["refresh_token"])
        assert newer["access_token"] != tokens["access_token"] and self.is_active(newer["access_token"])
        self.session.revoke_token(
            self.metadata["revocation_endpoint"], token=newer["access_token"], token_type_hint="access_token")
        assert not self.is_active(newer["access_token"])


@pytest.mark.parametrize("secret", [None, "a secret & more"], ids=["public", "with-a-secret"])
def test_authlib_gets_uses_refreshes_and_revokes_tokens(start_org, secret):
    with start_org(*(["--client-secret", secret] if secret else [])) as org:
        App(org, secret).check_tokens()


def test_user_can_refuse_an_app(start_org):
    with start_org() as org:
        app = App(org)
        refused = parameters(press(org, app.address, "Refuse"))
        assert refused["error"] == "access_denied" and refused["state"] == app.state, refused


def test_app_that_allows_no_page_is_told_to_sign_in(start_org):
    with start_org() as org:
        silent = requests.get(App(org).address + "&prompt=none", allow_redirects=False, timeout=10)
        assert parameters(silent.headers["Location"])["error"] == "login_required"


def test_redirect_uri_must_be_registered(start_org):
    with start_org() as org:
        address = App(org).address.replace("callback", "other")
        assert requests.get(address, allow_redirects=False, timeout=10).status_code == 400


def test_address_stands_for_parameters_that_were_pushed(start_org):
    with start_org() as org:
        app = App(org)
        pushed = requests.post(org.issuer + "/v1/par", parameters(app.address), timeout=10)
        assert pushed.status_code == 201, pushed.text
        page = org.issuer + "/v1/authorize?" + urllib.parse.urlencode(
            {"client_id": org.client, "request_uri": pushed.json()["request_uri"]})
        end = press(org, page, f"as {LOGIN}")
        assert parameters(end)["iss"] == org.issuer, end
        app.redeem(end)


# MARK: The README

@pytest.mark.parametrize("library, options", [("authlib", []), ("requests_oauth2client", ["--scenario", "dpop"])])
def test_example_of_the_readme_gets_tokens(start_org, library, options):
    block, = [block for block in re.findall(r"```python\n(.*?)```", README, re.S) if f"from {library}" in block]
    shown = []
    with start_org(*options) as org:
        def sign_in(question):
            return press(org, next(word for word in shown if word.startswith(org.origin)), "Sign in as")

        exec(block.replace("8485", org.port), {"input": sign_in, "print": lambda *words: shown.extend(words)})
        assert any(isinstance(word, dict) and LOGIN in word.values() for word in shown), shown


def test_commands_of_the_readme_put_tls_in_front_of_an_org(start_org, sign_in, tmp_path, monkeypatch):
    environment.install({"socat": "socat", "openssl": "openssl"})
    commands, = [block for block in re.findall(r"```sh\n(.*?)```", README, re.S) if "socat" in block]
    port, inner = free_port(), str(free_port())
    commands = commands.replace("8443", str(port)).replace("8485", inner).replace("socat ", "exec socat ")
    certificate = str(tmp_path / "certificate.pem")
    with subprocess.Popen(["bash", "-ec", commands], cwd=tmp_path, stderr=subprocess.DEVNULL) as proxy:
        try:
            wait_for_port(port, proxy)
            for name in "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE":
                monkeypatch.setenv(name, certificate)
            address = f"https://localhost:{port}"
            with start_org("--port", inner, "--address", address) as org:
                assert org.issuer == address + "/oauth2/default", org.issuer
                assert curl("--cacert", certificate, f"{org.issuer}/v1/keys")[0] == 200
                App(org).check_tokens()
                set_up_google_authenticator(org, sign_in, SSL_CERT_FILE=certificate)
        finally:
            proxy.kill()
