"""Tokens of Examples/ServedOrg that are bound to a key (DPoP), used by requests-oauth2client, which is independent of
this package.
"""
import re
import urllib.parse

import jwskate
import pytest
import requests
from requests_oauth2client import DPoPKey, InvalidGrant, OAuth2Client

from support.curl import curl, fields
from support.home import LOGIN
from support.org_pages import press
from support.proofs import WRONG, bound_key, make_proof, token_hash
from support.served_org import REDIRECT

PROTECTED = ["token", "userinfo", "api"]


def app_of(org):
    """An app with the proofs of the library."""
    # Without `testing`, the library refuses plain http.
    return OAuth2Client.from_discovery_endpoint(
        f"{org.issuer}/.well-known/openid-configuration", issuer=org.issuer, client_id=org.client,
        redirect_uri=REDIRECT, testing=True)


def sign_in(org, app):
    """Tokens that are bound to a new key."""
    asked = app.authorization_request(scope="openid profile email offline_access", dpop=True)
    end = press(org, asked.uri, f"Sign in as {LOGIN}")
    # Version 1.8 of the library fails when it validates an ID token that comes with a bound token.
    return app.authorization_code(asked.validate_callback(end), validate=False)


def send(address, *proofs, method="GET", authorization=None, form=None):
    """The status of a response, its error with the description, and its nonce.

    Each proof is a header field of its own.
    """
    added = [f"DPoP: {proof}" for proof in proofs] + ([f"Authorization: {authorization}"] if authorization else [])
    body = ["-d", urllib.parse.urlencode(form)] if form else []
    status, text = curl("-X", method, *body, *(word for field in added for word in ["-H", field]), address)

    def found(pattern):
        match = re.search(pattern, text)
        return match and match[1]

    return (status, found(r'error"?[:=]"(\w+)'), found(r'error_description"?[:=]"([^"]*)') or "",
            fields(text).get("dpop-nonce"))


class ProtectedRequest:
    """A request that needs a proof: for tokens, to userinfo, or to an API."""

    def __init__(self, name, org, tokens):
        self.key, self.token = tokens.dpop_key, tokens.access_token
        self.is_token, nonce = name == "token", self.key.as_nonce
        self.address = {"token": f"{org.issuer}/v1/token", "userinfo": f"{org.issuer}/v1/userinfo",
                        "api": f"{org.origin}/api/echo/orders"}[name]
        # What a right proof needs, the status of a refusal, and the rest of the request.
        self.good = {"htm": "POST" if self.is_token else "GET", "htu": self.address, "nonce": nonce}
        self.status, self.rest = 400, {"method": "POST", "form": {
            "grant_type": "refresh_token", "refresh_token": tokens.refresh_token, "client_id": org.client}}
        if not self.is_token:
            self.good["ath"] = token_hash(self.token)
            self.status, self.rest = 401, {"authorization": f"DPoP {self.token}"}

    def proof(self, key=None, **changes):
        return make_proof(key or self.key, **self.good | changes)

    def send(self, *proofs, **rest):
        return send(self.address, *proofs, **self.rest | rest)

    def refuses(self, words, *proofs):
        """Expects that the proofs are refused for this reason, and that no other nonce is asked for."""
        status, error, description, nonce = self.send(*proofs)
        assert (status, error, nonce) == (self.status, "invalid_dpop_proof", None), description
        assert words in description, description


@pytest.fixture(scope="module")
def org(start_org):
    """An org whose tokens are bound to a key."""
    with start_org("--scenario", "dpop") as org:
        yield org


@pytest.fixture(scope="module")
def app(org):
    return app_of(org)


@pytest.fixture
def tokens(org, app):
    return sign_in(org, app)


@pytest.fixture
def protected(org, tokens, request):
    return ProtectedRequest(request.param, org, tokens)


everywhere = pytest.mark.parametrize("protected", PROTECTED, indirect=True)
with_token = pytest.mark.parametrize("protected", PROTECTED[1:], indirect=True)


# MARK: Accepted requests

def test_sign_in_asks_for_a_nonce_and_binds_the_token(org):
    app, log = app_of(org), []
    app.session.hooks["response"].append(lambda answer, **_: log.append(answer))
    tokens = sign_in(org, app)
    assert [(answer.status_code, answer.json().get("error")) for answer in log] == [
        (400, "use_dpop_nonce"), (200, None)], log
    assert tokens.dpop_key.as_nonce == log[0].headers["DPoP-Nonce"] and tokens.token_type == "DPoP"
    assert bound_key(org, tokens.access_token) == tokens.dpop_key.dpop_jkt


def test_refreshed_token_is_bound_to_the_same_key(org, app, tokens):
    newer = app.refresh_token(tokens)
    assert newer.access_token != tokens.access_token
    assert bound_key(org, newer.access_token) == tokens.dpop_key.dpop_jkt


def test_userinfo_gives_a_nonce_of_its_own(app, tokens):
    assert tokens.dpop_key.rs_nonce is None and app.userinfo(tokens)["email"] == LOGIN and tokens.dpop_key.rs_nonce


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/orders", "", "/%7eada/caf%c3%a9/a%20b@c:d"])
def test_api_accepts_the_token(org, tokens, method, path):
    answer = requests.request(method, f"{org.origin}/api/echo{path}?page=2", auth=tokens, timeout=10)
    assert answer.status_code == 200, answer.headers
    assert answer.json().items() >= {
        "method": method, "type": "DPoP", "username": LOGIN, "query": "page=2",
        "path": "/api/echo" + urllib.parse.unquote(path)}.items(), answer.text


def test_api_accepts_the_method_head(org, tokens):
    assert requests.head(f"{org.origin}/api/echo", auth=tokens, timeout=10).status_code == 200


def test_introspection_names_the_key_until_the_token_is_revoked(org, app, tokens):
    found = app.introspect_token(tokens.access_token)
    assert found["active"] and found["cnf"] == {"jkt": tokens.dpop_key.dpop_jkt}, found
    assert app.revoke_access_token(tokens.access_token)
    protected = ProtectedRequest("api", org, tokens)
    refusal = protected.send(protected.proof())
    assert refusal[:2] == (401, "invalid_token"), refusal


def test_address_of_a_proof_has_no_query_and_can_be_normalized(org, tokens):
    protected = ProtectedRequest("api", org, tokens)
    address = f"{org.origin}/api/echo/%7eada/caf%c3%a9?page=2"
    proof = protected.proof(htu=address)
    # This is what the library makes of it.
    assert jwskate.Jwt(proof).htu == f"{org.origin}/api/echo/~ada/caf%C3%A9"
    assert send(address, proof, authorization=f"DPoP {protected.token}")[0] == 200


# MARK: Refused proofs

@everywhere
@pytest.mark.parametrize("flaw", WRONG, ids=lambda name: name.replace(" ", "-"))
def test_wrong_proof_is_refused(protected, flaw):
    words, make = WRONG[flaw]
    protected.refuses(words, make(protected.key, protected.good))


@everywhere
def test_two_proofs_are_refused(protected):
    protected.refuses("not a JWT", protected.proof(), protected.proof())


@everywhere
def test_missing_proof_is_refused(protected):
    protected.refuses("missing" if protected.is_token else "not a JWT")


@everywhere
@pytest.mark.parametrize("nonce", [None, "unknown"])
def test_wrong_nonce_is_answered_with_the_right_one(protected, nonce):
    status, error, _, new = protected.send(protected.proof(nonce=nonce))
    assert (status, error, new) == (protected.status, "use_dpop_nonce", protected.key.as_nonce)


@everywhere
def test_proof_is_accepted_once(protected):
    proof = protected.proof()
    assert protected.send(proof)[0] == 200
    protected.refuses("used before", proof)


@with_token
def test_proof_must_name_the_token(protected):
    protected.refuses("ath", protected.proof(ath=None))
    protected.refuses("ath", protected.proof(ath=token_hash("another")))


@with_token
def test_proof_of_another_key_is_refused(protected):
    protected.refuses("another key", protected.proof(DPoPKey.generate()))


@with_token
@pytest.mark.parametrize("authorization", ["Bearer {token}", "DPoP {token}A", "DPoP {refresh}", None])
def test_field_must_have_the_token_and_its_type(protected, tokens, authorization):
    field = authorization and authorization.format(token=protected.token, refresh=tokens.refresh_token)
    refusal = protected.send(protected.proof(), authorization=field)
    assert refusal[:2] == (401, "invalid_token" if authorization else None), refusal


@with_token
def test_type_of_the_token_can_have_lowercase_letters(protected):
    assert protected.send(protected.proof(), authorization=f"dpop {protected.token}")[0] == 200


# MARK: Tokens of another key

def test_code_is_bound_to_the_key_of_its_request(org, app):
    asked = app.authorization_request(scope="openid", dpop=True)
    end = asked.validate_callback(press(org, asked.uri, f"Sign in as {LOGIN}"))
    # A request without a proof does not use the code up.
    status, error, description, _ = send(f"{org.issuer}/v1/token", method="POST", form={
        "grant_type": "authorization_code", "code": end.code, "client_id": org.client,
        "code_verifier": end.code_verifier, "redirect_uri": REDIRECT})
    assert (status, error) == (400, "invalid_dpop_proof") and "missing" in description, description
    with pytest.raises(InvalidGrant) as refusal:
        app.authorization_code(
            end.code, dpop_key=DPoPKey.generate(), code_verifier=end.code_verifier, redirect_uri=REDIRECT)
    assert "another key" in refusal.value.description


def test_refresh_token_is_bound_to_its_key(org, tokens):
    protected = ProtectedRequest("token", org, tokens)
    status, error, description, _ = protected.send(protected.proof(DPoPKey.generate()))
    assert (status, error) == (400, "invalid_grant") and "another key" in description, description


def test_refused_requests_do_not_use_up_the_refresh_token(org, app, tokens):
    protected = ProtectedRequest("token", org, tokens)
    for words, make in WRONG.values():
        protected.refuses(words, make(protected.key, protected.good))
    assert app.refresh_token(tokens).access_token


# MARK: Nonces

def test_expired_nonce_is_replaced(start_org):
    with start_org("--scenario", "dpop", "--nonce-lifetime", "4") as org:
        app = app_of(org)
        tokens = sign_in(org, app)
        old, protected = tokens.dpop_key.as_nonce, ProtectedRequest("token", org, tokens)
        protected.rest["form"]["refresh_token"] = "x"
        # The token is refused until the nonce has expired.
        while (refusal := protected.send(protected.proof()))[1] == "invalid_grant":
            pass
        assert refusal[:2] == (400, "use_dpop_nonce") and refusal[3] not in [None, old], refusal
        newer = app.refresh_token(tokens)
        assert tokens.dpop_key.as_nonce != old
        assert requests.get(f"{org.origin}/api/echo", auth=newer, timeout=10).status_code == 200


def test_org_can_need_no_nonces(start_org):
    with start_org("--scenario", "dpop", "--nonce-lifetime", "0") as org:
        tokens = sign_in(org, app_of(org))
        assert requests.get(f"{org.origin}/api/echo", auth=tokens, timeout=10).status_code == 200
        assert tokens.dpop_key.as_nonce is None and tokens.dpop_key.rs_nonce is None
