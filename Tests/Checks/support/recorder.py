"""A small server for sign-ins with a password, which knows each secret that it sent or received."""
import base64
import http.server
import json
import secrets
import sys
import threading
import time
import urllib.parse

from .home import PASSWORD
from .secret_search import strings


class Recorder(http.server.ThreadingHTTPServer):
    """Tells a search its secrets; `fault` says what the server does wrong.

    `echo PATH` refuses a request with its own content as message; `fail PATH` fails with it.
    """
    daemon_threads = True

    def __init__(self, search, fault=""):
        super().__init__(("127.0.0.1", 0), Answers)
        self.search, self.fault, self.faults, self.verifiers, self.passwords = search, fault, 0, set(), 0
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.issuer = self.url + "/oauth2/default"
        # The server issues no ID tokens.
        self.options = ["--issuer", self.issuer, "--client-id", "client", "--redirect-uri", "com.example:/callback",
                        "--scope", "profile offline_access"]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, error, *_):
        self.shutdown()
        self.server_close()
        assert error or not self.fault or self.faults, f"No request met the fault “{self.fault}”."

    def handle_error(self, request, client):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client)

    def secret(self, prefix=""):
        value = prefix + secrets.token_urlsafe(30)
        self.search.learn(value)
        return value

    def jwt(self):
        now = int(time.time())
        parts = [{"alg": "RS256", "kid": "k"}, {
            "iss": self.issuer, "aud": "client", "sub": "00u1", "iat": now, "exp": now + 3600,
            "nonce": self.secret()}, {"signature": "x" * 200}]
        token = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().strip("=") for part in parts)
        self.search.learn(token)
        return token


class Answers(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        server, path = self.server, self.path.rsplit("/", 1)[-1]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        is_json = "json" in self.headers.get("Content-Type", "")
        values = {} if is_json else dict(urllib.parse.parse_qsl(body))
        sent = json.loads(body) if body.startswith("{") else {}
        names = ("state", "nonce", "code_verifier", "interaction_code", "refresh_token", "token")
        server.search.learn(bearer, *(values.get(name) for name in names), sent.get("stateHandle"),
                            sent.get("interactionHandle"), *strings(sent.get("credentials", {})))
        server.verifiers |= {values["code_verifier"]} if "code_verifier" in values else set()
        server.passwords += "credentials" in sent
        server.faults += server.fault.endswith(f" {path}")
        if server.fault == f"echo {path}":
            words = f"Not with {body} {bearer}"
            return self.answer(400, {"error": "x", "error_description": words, "errorSummary": words},
                               {"X-Okta-Request-Id": words})
        if server.fault == f"fail {path}":
            return self.answer(500, f"<html>{body} {bearer}</html>")
        self.answer(*getattr(self, path, lambda _: (404, {}))(sent))

    def answer(self, status, body, headers={}):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": len(data)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def form(self, name, *fields):
        handle = self.server.secret("02")
        value = [*fields, {
            "name": "stateHandle", "required": True, "value": handle, "visible": False, "mutable": False}]
        return {"version": "1.0.0", "stateHandle": handle, "remediation": {
            "type": "array", "value": [{
                "rel": ["create-form"], "name": name, "method": "POST", "value": value,
                "href": self.server.url + "/idp/idx/" + name.split("-")[0],
                "accepts": "application/json; okta-version=1.0.0"}]}}

    def interact(self, _):
        return 200, {"interaction_handle": self.server.secret("ih_")}

    def introspect(self, _):
        return 200, self.form("identify", {"name": "identifier", "label": "Username", "required": True})

    def identify(self, _, status=200, **more):
        passcode = {"name": "passcode", "label": "Password", "secret": True}
        credentials = {"name": "credentials", "type": "object", "required": True, "form": {"value": [passcode]}}
        return status, {**self.form("challenge-authenticator", credentials), **more}

    def challenge(self, sent):
        if sent["credentials"]["passcode"] != PASSWORD:
            return self.identify(sent, 401, messages={"type": "array", "value": [
                {"class": "ERROR", "message": "Wrong.", "i18n": {"key": "incorrectPassword"}}]})
        code = {"name": "interaction_code", "value": self.server.secret("ic_")}
        return 200, {"version": "1.0.0", "stateHandle": self.server.secret("02"), "successWithInteractionCode": {
            "rel": ["create-form"], "name": "issue", "method": "POST", "href": self.server.issuer + "/v1/token",
            "value": [code], "accepts": "application/x-www-form-urlencoded"}}

    def token(self, _):
        tokens = {"token_type": "Bearer", "expires_in": 3600, "scope": "profile offline_access",
                  "access_token": self.server.secret("at-"), "refresh_token": self.server.secret("rt_")}
        if self.server.fault == "odd ID token":
            self.server.faults += 1
            tokens["id_token"] = self.server.jwt()
        return 200, tokens

    def keys(self, _):
        return 200, {"keys": []}

    def userinfo(self, _):
        return 200, {"sub": "00u1", "name": "Ada"}

    def revoke(self, _):
        return 200, ""
