"""A client of Identity Engine that sends the forms of an org as they are, with values that a test chooses."""
import base64
import hashlib
import json
import secrets

import requests

from .home import LOGIN, PASSWORD
from .served_org import REDIRECT


class SignIn:
    """A sign-in with Identity Engine."""

    def __init__(self, org):
        self.org, self.verifier = org, secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        handle = requests.post(f"{org.issuer}/v1/interact", {
            "client_id": org.client, "redirect_uri": REDIRECT, "scope": "openid", "state": "st-1",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256"}, timeout=10).json()["interaction_handle"]
        self.post(f"{org.origin}/idp/idx/introspect", {"interactionHandle": handle})

    def post(self, address, body):
        media = "application/ion+json; okta-version=1.0.0"
        self.answer = requests.post(
            address, json.dumps(body), headers={"Content-Type": media, "Accept": media}, timeout=10).json()

    @property
    def forms(self):
        return self.answer.get("remediation", {}).get("value", [])

    def form(self, name):
        found = [form for form in self.forms if form["name"] == name]
        assert found, f"There is no form {name}: {self.answer}"
        return found[0]

    def submit(self, form, **values):
        """Sends a form with these values, and with those that the server has written into it."""
        form = self.form(form) if isinstance(form, str) else form
        self.post(form["href"], filled(form["value"]) | values)

    def begin(self):
        """Sends the username and the password, in one form if the first one has both."""
        password = {"credentials": {"passcode": PASSWORD}}
        if any(field["name"] == "credentials" for field in self.form("identify")["value"]):
            return self.submit("identify", identifier=LOGIN, **password)
        self.submit("identify", identifier=LOGIN)
        self.submit("challenge-authenticator", **password)

    def redeem(self, code=None):
        """Gets tokens for the code of the last response, or for another one."""
        if code is None:
            assert "successWithInteractionCode" in self.answer, self.answer
            done = self.answer["successWithInteractionCode"]["value"]
            code = next(field["value"] for field in done if field["name"] == "interaction_code")
        tokens = requests.post(f"{self.org.issuer}/v1/token", {
            "grant_type": "interaction_code", "interaction_code": code, "client_id": self.org.client,
            "code_verifier": self.verifier}, timeout=10).json()
        assert "access_token" in tokens, tokens


def filled(fields):
    """The values of the fields that have one, or that have only one option."""
    values = {}
    for field in fields:
        options = field.get("options", [])
        only = options[0].get("value") if len(options) == 1 else None
        values[field["name"]] = filled(field["form"]["value"]) if "form" in field else field.get("value", only)
    return {name: value for name, value in values.items() if value not in [None, {}] and not (
        isinstance(value, dict) and "form" in value)}
