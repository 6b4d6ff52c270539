"""Servers of others that run on this computer, with plain http: Glewlwyd of Debian, NanoIDP and Canaille of PyPI."""
import contextlib
import html
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from . import environment
from .ports import free_port, wait_for_port

FOLDER = environment.ROOT / ".build/servers"
PYTHON = FOLDER / "python"
REQUIREMENTS = ["nanoidp==3.4.0", "canaille[front,oidc,server,sqlite]==0.3.6"]
LOGIN, PASSWORD, EMAIL = "ada", "Analytical-1843", "ada@example.com"
SCOPES = ["openid", "profile", "email", "offline_access"]


class Browser:
    """Follows redirects and keeps cookies."""

    def __init__(self):
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())

    def send(self, url, form=None, method=None, expected=200, **members):
        """The text of a response, and its address; the request has a form, or JSON with the members, or no body."""
        body = urllib.parse.urlencode(form) if form else json.dumps(members) if members else None
        request = urllib.request.Request(url, body and body.encode(), method=method)
        if members:
            request.add_header("Content-Type", "application/json")
        try:
            answer = self.opener.open(request, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text = answer.read().decode()
            assert answer.status == expected, f"{url} has the status {answer.status}: {text[:200]}"
            return text, answer.url

    def fill_in(self, page, **fields):
        """Sends the first form of a page to the page itself; returns the address that follows."""
        text, page = self.send(page)
        form = re.search(r"(?is)<form.*?</form>", text)[0]
        tags = [dict(re.findall(r'(\w+)="([^"]*)"', tag)) for tag in re.findall(r'<input[^>]*"hidden"[^>]*>', form)]
        return self.send(page, {tag["name"]: html.unescape(tag["value"]) for tag in tags} | fields)[1]


class Server:
    """A server with a user, a client for programs without a secret, and a browser for the user."""

    scopes = SCOPES
    sign_ins = [("browser", "when-required"), ("device", "never")]
    has_push, requires_proofs = False, False
    # The statuses of doctor and other commands, and what they say.
    unknown_client, unknown_redirect = (2, "no active app with the client ID"), (2, "is not registered for the app")
    introspection, revocation = (4, "does not let this app ask"), (0, "revoked the refresh token and the access token")

    def __init__(self, folder):
        self.port, port = free_port(), free_port()
        self.folder, self.client = pathlib.Path(folder), "idx-flow"
        self.origin = self.issuer = f"http://127.0.0.1:{self.port}"
        self.redirect = f"http://127.0.0.1:{port}/callback"

    @contextlib.contextmanager
    def running(self):
        """Starts the program of the server, and waits until it answers."""
        with open(self.folder / "server.log", "w") as log:
            process = subprocess.Popen(
                self.prepare(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
            try:
                wait_for_port(self.port, process, self.folder / "server.log")
                self.set_up()
                yield self
            finally:
                # Some servers start more processes.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def set_up(self):
        """Makes the user and the client, unless a file has them."""


class Glewlwyd(Server):
    """Requires pushed requests, and signs in ES256."""

    root, has_push = FOLDER / "glewlwyd", True
    sign_ins = [("browser", "when-required"), ("browser", "always"), ("device", "never"), ("device", "always")]
    # It does not say why it refuses pushed requests, and wants a client secret for the others.
    unknown_client = unknown_redirect = (4, "Check the client ID, the redirect URI")
    introspection, revocation = (4, "does not let this app ask"), (4, "does not let this app revoke")

    @classmethod
    def install(cls):
        """The scripts of its packages would ask for a database and start a service."""
        environment.unpack(cls.root, "glewlwyd", "glewlwyd-common")
        [file] = cls.root.glob("glewlwyd_*.deb")
        needed = subprocess.check_output(["dpkg-deb", "-f", file, "Depends"], text=True)
        environment.install({
            f"/var/lib/dpkg/info/{name}[.:]*list": name for name in re.findall(r"(?<!\S)lib[\w.+-]+", needed)})

    def prepare(self):
        self.api, self.issuer = f"{self.origin}/api", f"{self.origin}/api/issuer"
        library, shared = self.root / "usr/lib/glewlwyd", self.root / "usr/share"
        tables = (shared / "dbconfig-common/data/glewlwyd/install/sqlite3").read_text()
        # Clients have one more property.
        bound = '"dpop_bound":{"multiple":false,"read":true,"write":true},"redirect_uri":{'
        with contextlib.closing(sqlite3.connect(self.folder / "database")) as database:
            database.executescript(tables.replace('"redirect_uri":{', bound, 1))
        settings = {
            "bind_address": "127.0.0.1", "external_url": self.origin, "login_url": "login.html", "api_prefix": "api",
            "static_files_path": f"{shared}/glewlwyd/webapp/", "log_mode": "console", "log_level": "DEBUG",
            "cookie_domain": "127.0.0.1", "hash_algorithm": "SHA512", "plugin_module_path": f"{library}/plugin",
            "user_module_path": f"{library}/user", "client_module_path": f"{library}/client",
            "user_auth_scheme_module_path": f"{library}/scheme"}
        (self.folder / "settings").write_text(
            f'port={self.port}\ncookie_secure=0\ndatabase={{type="sqlite3" path="{self.folder}/database"}};\n'
            + "".join(f'{name}="{value}"\n' for name, value in settings.items()))
        return [self.root / "usr/bin/glewlwyd", "--config-file", self.folder / "settings"]

    def set_up(self):
        administrator = Browser()
        administrator.send(f"{self.api}/auth/", username="admin", password="password")
        key, public = long_key()
        for name in SCOPES[1:]:
            administrator.send(f"{self.api}/scope/", name=name, password_required=True, scheme={})
        administrator.send(f"{self.api}/mod/plugin/", module="oidc", name="issuer", display_name="issuer", parameters={
            "iss": self.issuer, "jwt-type": "ecdsa", "jwt-key-size": "256", "key": key, "cert": public,
            "jwks-show": True, "oauth-as-iss-id": True, "allowed-scope": SCOPES, "refresh-token-one-use": "always",
            "access-token-duration": 3600, "refresh-token-duration": 7200, "code-duration": 60,
            "auth-type-code-enabled": True, "auth-type-device-enabled": True, "auth-type-refresh-enabled": True,
            "device-authorization-expiration": 600, "device-authorization-interval": 1,
            "pkce-allowed": True, "pkce-required": True, "oauth-par-allowed": self.has_push, "oauth-par-duration": 60,
            "oauth-par-required": self.has_push, "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
            "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 5,
            "oauth-dpop-nonce-mandatory": self.requires_proofs, "oauth-dpop-nonce-counter": 10,
            "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound" if self.requires_proofs else "none",
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True})
        administrator.send(
            f"{self.api}/client/", client_id=self.client, confidential=False, enabled=True, dpop_bound="true",
            authorization_type=["code", "device_authorization", "refresh_token"], redirect_uri=[self.redirect],
            token_endpoint_auth_method=["none"])
        administrator.send(f"{self.api}/user/", username=LOGIN, password=PASSWORD, enabled=True, scope=SCOPES)

    def visit(self, page, code=None):
        browser = Browser()
        browser.send(f"{self.api}/auth/", username=LOGIN, password=PASSWORD)
        browser.send(f"{self.api}/auth/grant/{self.client}", method="PUT", scope=" ".join(SCOPES))
        browser.send(f"{page}?code={code}&g_continue" if code else f"{page}&g_continue")


def long_key():
    """A new private key and its public key, as PEM, whose coordinates do not begin with a zero.

    Glewlwyd leaves out such zeros when it publishes a key. RFC 7518 forbids that, and idx-flow does not accept it.
    """
    numbers = None
    while numbers is None or not (numbers.x >> 248 and numbers.y >> 248):
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


class BindingGlewlwyd(Glewlwyd):
    """Requires proofs of a key with its nonce. It gives no nonce for pushed requests, so these are not used."""

    has_push, requires_proofs = False, True
    unknown_client = unknown_redirect = (4, "the status 403")
    sign_ins = [("browser", "when-required"), ("device", "always")]


class PythonServer(Server):
    @classmethod
    def install(cls):
        environment.extend(PYTHON, *REQUIREMENTS)


class NanoIDP(PythonServer):
    def prepare(self):
        client = {
            "client_id": self.client, "token_endpoint_auth_method": "none", "redirect_uris": [self.redirect]}
        (self.folder / "settings.yaml").write_text(json.dumps({
            "server": {"host": "127.0.0.1", "port": self.port}, "oauth": {"issuer": self.issuer, "clients": [client]}}))
        (self.folder / "users.yaml").write_text(json.dumps({"users": {LOGIN: {"password": PASSWORD, "email": EMAIL}}}))
        return [PYTHON / "bin/nanoidp", "--config", self.folder]

    def visit(self, page, code=None):
        fields = {"user_code": code, "action": "authorize"} if code else {}
        Browser().fill_in(page, username=LOGIN, password=PASSWORD, **fields)


class Canaille(PythonServer):
    scopes, sign_ins = SCOPES[:3], [("browser", "when-required")]
    # Its pages do not say what is wrong, and it revokes tokens only for a client secret.
    unknown_client, unknown_redirect = (4, "the status 404"), (4, "the status 400")
    revocation = (4, "does not let this app revoke")

    def prepare(self):
        def call(*arguments):
            return subprocess.check_output(
                [PYTHON / "bin/canaille", *arguments], cwd=self.folder, text=True, stderr=subprocess.DEVNULL)

        key = json.loads(call("jwk", "create", "rsa"))
        (self.folder / "canaille.toml").write_text(
            f'SECRET_KEY = "secret"\nSERVER_NAME = "127.0.0.1:{self.port}"\nPREFERRED_URL_SCHEME = "http"\n'
            f'CANAILLE.DATABASE = "sql"\nCANAILLE_SQL.DATABASE_URI = "sqlite:///{self.folder}/database"\n'
            f"CANAILLE_OIDC.ACTIVE_JWKS = [{{{', '.join(f'{name} = {json.dumps(key[name])}' for name in key)}}}]\n")
        call("install")
        call("create", "user", "--user-name", LOGIN, "--password", PASSWORD, "--emails", EMAIL, "--family-name", "L")
        call("create", "client", "--client-id", self.client, "--client-name", self.client, "--redirect-uris",
             self.redirect, "--token-endpoint-auth-method", "none", "--id-token-signed-response-alg", "RS256",
             "--response-types", "code", "--grant-types", "authorization_code", "--grant-types", "refresh_token",
             *(word for scope in self.scopes for word in ["--scope", scope]))
        call("set", "client", self.client, "--audience", self.client)
        return [PYTHON / "bin/canaille", "run", "--bind", f"127.0.0.1:{self.port}"]

    def visit(self, page):
        browser = Browser()
        for answer in [{"login": LOGIN}, {"password": PASSWORD}, {"answer": "accept"}]:
            page = browser.fill_in(page, **answer)


KINDS = [Glewlwyd, BindingGlewlwyd, NanoIDP, Canaille]
