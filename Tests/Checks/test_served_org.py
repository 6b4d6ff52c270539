"""The server of Examples/ServedOrg: which requests and options it accepts, and when it ends."""
import json
import os
import signal
import subprocess

import pytest
import requests

from support import served_org
from support.curl import curl, fields
from support.home import LOGIN
from support.idx_client import SignIn, filled
from support.org_pages import devices


@pytest.fixture
def org(start_org):
    """A served org without options."""
    with start_org() as org:
        yield org


# MARK: Requests

def test_discovery_names_addresses_of_the_issuer(org):
    status, text = curl(f"{org.issuer}/.well-known/openid-configuration")
    metadata = json.loads(text.split("\r\n\r\n", 1)[1])
    assert status == 200 and metadata["issuer"] == org.issuer
    addresses = [value for name, value in metadata.items() if name.endswith(("_endpoint", "_uri"))]
    assert addresses and all(address.startswith(org.issuer + "/v1/") for address in addresses), metadata


def test_head_has_the_fields_of_get_and_no_body(org):
    # With -I or a length, curl would read no body, even if there is one.
    command = ["--ignore-content-length", "-H", "Connection: close", f"{org.issuer}/v1/keys", "-X"]
    (head, nothing), (get, body) = (curl(*command, method)[1].split("\r\n\r\n", 1) for method in ["HEAD", "GET"])
    # Some values depend on the time.
    assert fields(head).keys() == fields(get).keys() and body and not nothing
    assert fields(head)["content-length"] == fields(get)["content-length"] == str(len(body))


@pytest.mark.parametrize("host, status", [
    ("127.0.0.1:{port}", 200), ("localhost:{port}", 200), ("evil.example", 421), ("evil.example:{port}", 421),
    ("127.0.0.1", 421), ("127.0.0.1:1", 421), ("", 421),
    # This is no host.
    ("x@127.0.0.1:{port}", 400)])
@pytest.mark.parametrize("path", ["/oauth2/default/v1/keys", "/"])
def test_only_the_hosts_of_the_org_are_answered(org, path, host, status):
    name = host.format(port=org.port)
    # With a colon, curl would send no field for an empty name.
    field = f"Host: {name}" if name else "Host;"
    assert curl("-H", field, org.origin + path)[0] == status


@pytest.mark.parametrize("method", ["DELETE", "PUT", "OPTIONS", "PATCH", "ANYTHING"])
def test_page_refuses_other_methods(org, method):
    status, text = curl("-X", method, org.origin + "/")
    assert status == 405 and fields(text)["allow"] == "GET, HEAD, POST", text


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_session_of_a_browser_without_cookies_is_not_found(org, method):
    """The org has this method, which its pages do not have."""
    status, text = curl("-X", method, org.origin + "/api/v1/sessions/me")
    assert status == 404 and "E0000007" in text, text


def test_unknown_address_is_not_found(org):
    assert curl(org.origin + "/nowhere")[0] == 404


def test_body_is_short_and_its_length_is_announced(org):
    send = ["--data-binary", "@-", org.origin + "/idp/idx/introspect"]
    assert curl(*send, data=b"x" * 100_000)[0] == 413
    assert curl("-H", "Transfer-Encoding: chunked", *send, data=b"x" * 100_000)[0] in [0, 411]


@pytest.mark.parametrize("target, statuses", [
    ("/%zz?%00", [200, 400, 404]), ("/%ff%fe", [200, 400, 404]), ("//evil.example/", [200, 400, 404]),
    ("/?" + "%cc%81" * 200, [200, 400, 404]), ("/#", [200, 400, 404]), ("/\\", [200, 400, 404]),
    ("http://evil.example/", [400])], ids=[
    "no-escape", "no-utf-8", "two-slashes", "long-query", "fragment", "backslash", "another-host"])
def test_odd_address_has_a_response(org, target, statuses):
    assert curl("--path-as-is", "--request-target", target, org.origin)[0] in statuses
    assert curl(org.origin + "/")[0] == 200


# MARK: Forms

@pytest.fixture
def post(org):
    """Posts a form to the page of the devices, with its token if no other one is given, and returns the status."""
    def send(*options, **form):
        form = {"token": devices(org)["token"], **form}
        words = [word for name, value in form.items() if value is not None for word in ["-d", f"{name}={value}"]]
        return curl(*words, *options, org.origin + "/devices")[0]
    return send


@pytest.mark.parametrize("token", [None, "", "x"])
def test_form_needs_the_token_of_the_page(post, token):
    assert post(action="approve", login=LOGIN, token=token) == 403


@pytest.mark.parametrize("field", [
    "Origin: https://evil.example", "Origin: http://evil.example:{port}", "Origin: null", "Content-Type: text/plain"])
def test_form_of_another_site_is_refused(org, post, field):
    assert post("-H", field.format(port=org.port), action="approve", login=LOGIN) == 403


@pytest.mark.parametrize("login, action, status", [
    (LOGIN, "approve", 409), (LOGIN, "reject", 409), (LOGIN, "set-up", 409), ("nobody", "approve", 404),
    ("", "set-up", 404)])
def test_form_of_the_page_is_refused_if_nothing_waits(org, post, login, action, status):
    assert post("-H", f"Origin: {org.origin}", login=login, action=action) == status


def test_form_names_a_message_that_exists(post):
    assert post(action="follow", message=9) == 400


def test_browser_goes_to_no_other_host(org):
    form = ["-d", f"token={devices(org)['token']}", "-d", "target=//x"]
    assert curl(*form, org.origin + "/browser")[0] == 400


def test_page_posts_to_itself_only(org):
    _, text = curl(org.origin + "/")
    assert "form-action 'self'" in fields(text)["content-security-policy"], text


# MARK: Scripts of other sites

ORIGINS = ["http://localhost:3000", "https://shop.example"]
SCRIPTED = [("POST", "/oauth2/default/v1/token"), ("DELETE", "/api/v1/sessions/me"), ("GET", "/api/echo")]


@pytest.fixture(scope="module")
def trusting_org(start_org):
    """An org that trusts two web sites."""
    with start_org(*(word for origin in ORIGINS for word in ["--trusted-origin", origin])) as org:
        yield org


def answer_to(origin, *arguments):
    """The status and the header fields of a response to a script of an origin."""
    status, text = curl("-H", f"Origin: {origin}", *arguments)
    return status, fields(text)


@pytest.mark.parametrize("method, path", SCRIPTED)
@pytest.mark.parametrize("origin", ORIGINS)
def test_scripts_of_each_trusted_origin_send_requests(trusting_org, origin, method, path):
    address = trusting_org.origin + path
    status, found = answer_to(
        origin, "-X", "OPTIONS", "-H", f"Access-Control-Request-Method: {method}", address)
    assert status == 204 and found["access-control-allow-origin"] == origin, found
    assert method in found["access-control-allow-methods"].split(", "), found
    _, found = answer_to(origin, "-X", method, address)
    assert found["access-control-allow-origin"] == origin, found


@pytest.mark.parametrize("method, path", SCRIPTED)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "its own"])
def test_scripts_of_other_origins_read_nothing(trusting_org, origin, method, path):
    origin = trusting_org.origin if origin == "its own" else origin
    for words in [["-X", method], ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: POST"]]:
        _, found = answer_to(origin, *words, trusting_org.origin + path)
        assert found and not any(name.startswith("access-control") for name in found), found


@pytest.mark.parametrize("path", ["/", "/sign-in.css"])
def test_scripts_of_trusted_origins_cannot_read_the_page(trusting_org, path):
    status, found = answer_to(ORIGINS[0], "-H", "Accept: application/json", trusting_org.origin + path)
    assert status == 200 and not any(name.startswith("access-control") for name in found), found


# MARK: Options

def test_issuer_can_be_the_org_with_keys_of_two_kinds(start_org):
    with start_org("--org-server", "--es256") as org:
        metadata = requests.get(f"{org.origin}/.well-known/openid-configuration", timeout=10).json()
        assert metadata["issuer"] == org.origin and metadata["token_endpoint"].endswith("/oauth2/v1/token")
        assert metadata["id_token_signing_alg_values_supported"] == ["ES256"]
        assert {key["kty"] for key in requests.get(metadata["jwks_uri"], timeout=10).json()["keys"]} == {"RSA", "EC"}


def test_org_can_have_the_classic_engine(start_org):
    with start_org("--classic") as org:
        about = requests.get(f"{org.origin}/.well-known/okta-organization", timeout=10).json()
        assert about["pipeline"] == "v1"


@pytest.mark.parametrize("options", [[], ["--strict"]], ids=["usual", "strict"])
def test_only_a_strict_org_refuses_members_that_a_form_does_not_have(start_org, options):
    with start_org(*options) as org:
        sign_in = SignIn(org)
        sign_in.begin()
        choices = sign_in.form("select-authenticator-enroll")["value"][0]["options"]
        fields = filled(next(choice for choice in choices if choice["label"] == "Google Authenticator")[
            "value"]["form"]["value"])
        sign_in.submit("select-authenticator-enroll", authenticator=fields | {"key": "google_otp"})
        assert ("currentAuthenticator" in sign_in.answer) == (not options), sign_in.answer
        assert ("messages" in sign_in.answer) == bool(options), sign_in.answer


def run(program, *options):
    """The status of the program, and what it prints. These options start no org."""
    done = subprocess.run([program, *options], capture_output=True, text=True, timeout=10)
    return done.returncode, done.stderr + done.stdout


@pytest.mark.parametrize("options", [
    ["--port", "x"], ["--port"], ["--what"], ["--redirect-uri", "javascript:x"], ["--nonce-lifetime", "-1"],
    ["--trusted-origin", "http://localhost:3000/"], ["--trusted-origin", "localhost"], ["--trusted-origin"]],
    ids=" ".join)
def test_wrong_options_are_explained(served_org_program, options):
    status, text = run(served_org_program, *options)
    assert status == 2 and options[0] in text, text


def test_misspelled_scenario_is_answered_with_a_similar_one(served_org_program):
    status, text = run(served_org_program, "--scenario", "pus")
    assert status == 2 and "push-number" in text and "--list" in text, text


def test_scenarios_are_listed(served_org_program):
    status, text = run(served_org_program, "--list")
    assert status == 0 and "push-number" in text


def test_port_in_use_is_an_error(served_org_program, org):
    status, text = run(served_org_program, "--port", org.port)
    assert status == 1 and "Address already in use" in text, text


# MARK: The end

@pytest.mark.alone
def test_signal_ends_an_org_that_has_just_started(served_org_program):
    """Also if others use the processors."""
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
    try:
        for number in range(20):
            process, _ = served_org.start(served_org_program)
            try:
                process.send_signal([signal.SIGTERM, signal.SIGINT][number % 2])
                assert process.wait(10) == 0
            finally:
                process.kill()
                process.wait()
    finally:
        for other in others:
            other.kill()
            other.wait()
