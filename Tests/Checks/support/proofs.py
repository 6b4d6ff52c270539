"""Proofs of a key (DPoP, RFC 9449), made by requests-oauth2client, which is independent of this package."""
import base64
import hashlib
import json
import time
import urllib.parse

import jwskate
import jwt
from requests_oauth2client import DPoPKey, validate_dpop_proof


def token_hash(token):
    """The member `ath` of a proof for this access token."""
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()


def bound_key(org, token):
    """The thumbprint of the key that an access token is bound to, after PyJWT has verified the token."""
    key = jwt.PyJWKClient(f"{org.issuer}/v1/keys").get_signing_key_from_jwt(token)
    claims = jwt.decode(token, key, algorithms=["RS256"], audience="api://default", issuer=org.issuer)
    return claims["cnf"]["jkt"]


def make_proof(key, htm, htu, nonce=None, ath=None, **parts):
    """A proof; `parts` are the arguments of `DPoPKey`."""
    return str(DPoPKey(key.private_key, **parts).proof(htm, htu, ath, nonce))


def with_members(**members):
    """Makes a proof from what a right one needs, with other values."""
    return lambda key, good: make_proof(key, **good | members)


def with_address(change):
    """Makes a proof for a changed address."""
    return lambda key, good: make_proof(key, **good | {"htu": change(good["htu"])})


def with_arguments(**parts):
    """Makes a proof with other arguments of `DPoPKey`."""
    return lambda key, good: make_proof(key, **good, **parts)


def with_private_key(key, good):
    return str(jwskate.SignedJwt.sign(
        {"jti": "j", "iat": int(time.time())} | good, key=key.private_key, alg="ES256", typ="dpop+jwt",
        extra_headers={"jwk": key.private_key}))


def with_claims_of_another(key, good):
    header, _, signature = make_proof(key, **good).split(".")
    return f"{header}.{make_proof(key, **good).split('.')[1]}.{signature}"


# What is wrong with a proof: words of the reason that an org gives, and what makes it.
WRONG = {
    "another method": ("htm", with_members(htm="DELETE")),
    "a longer path": ("htu", with_address(lambda address: address + "/more")),
    "another host": ("htu", with_address(
        lambda address: urllib.parse.urlsplit(address)._replace(netloc="127.0.0.1:9").geturl())),
    "another scheme": ("htu", with_address(lambda address: address.replace("http:", "https:"))),
    "too old": ("iat", with_arguments(iat_generator=lambda: int(time.time()) - 400)),
    "from the future": ("iat", with_arguments(iat_generator=lambda: int(time.time()) + 400)),
    "no ID": ("no jti", with_arguments(jti_generator=lambda: "")),
    "another type": ("type dpop+jwt", with_arguments(jwt_typ="JWT")),
    "another algorithm": ("ES256", lambda key, good: make_proof(DPoPKey.generate("ES384"), **good)),
    "a private key in it": ("not a JWT", with_private_key),
    "the signature of another": ("signature", with_claims_of_another),
    "no signature": ("not a JWT", lambda key, good: make_proof(key, **good).rsplit(".", 1)[0] + "."),
    "no JWT": ("not a JWT", lambda key, good: "x"),
}


def verify(org, log):
    """Verifies the proofs in the requests of one command, and that all tokens are bound to the same key.

    Returns the thumbprint of the key, and the IDs of the proofs.
    """
    proved = [exchange for exchange in log if "DPoP" in exchange.headers]
    issued = [json.loads(exchange.answer)["access_token"] for exchange in log
              if exchange.address.endswith("/v1/token") and exchange.status == 200]
    sent = [exchange.headers["Authorization"] for exchange in proved if "Authorization" in exchange.headers]
    assert proved and all(field.startswith("DPoP ") for field in sent), sent
    thumbprint, = {bound_key(org, token) for token in issued + [field.removeprefix("DPoP ") for field in sent]}
    ids, nonce = [], None
    for exchange in proved:
        ath = None
        if "Authorization" in exchange.headers:
            ath = token_hash(exchange.headers["Authorization"].removeprefix("DPoP "))
        proof = validate_dpop_proof(
            exchange.headers["DPoP"], htm=exchange.method, htu=exchange.address.split("?")[0], ath=ath, nonce=nonce,
            algs=["ES256"], leeway=30)
        key = proof.headers["jwk"]
        assert proof.headers == {"typ": "dpop+jwt", "alg": "ES256", "jwk": key}, proof.headers
        assert key.keys() == {"kty", "crv", "x", "y"}, key
        assert jwskate.Jwk(key).thumbprint() == thumbprint
        claims = {"jti", "htm", "htu", "iat"} | ({"ath"} if ath else set()) | ({"nonce"} if nonce else set())
        assert proof.claims.keys() == claims, proof.claims
        ids.append(proof.claims["jti"])
        nonce = exchange.answer_headers.get("DPoP-Nonce", nonce)
    return thumbprint, ids
