"""Clients of other people sign in to the simulated org of Examples/ServedOrg, to their real end.

They are a module of Apache, an agent for the command line, Okta's client for Python, and commands that get keys of AWS,
which moto issues. What cannot be installed is skipped.
"""
import contextlib
import html
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import urllib.parse

import boto3
import pytest
import requests

from support import build, environment
from support.aws import moto
from support.commands import run
from support.home import LOGIN, PASSWORD
from support.ports import free_port

pytestmark = pytest.mark.slow
SECRET, ROLE = "a-secret-for-tests", "arn:aws:iam::123456789012:role/Dev"
MODULES = "/usr/lib/apache2/modules/"
# The commands for AWS need older versions of some packages than the checks do.
PYTHON = build.ROOT / ".build/py-clients"


def install(*packages, **debian):
    """Installs packages of PyPI in an environment of their own, and those of Debian by what they bring."""
    try:
        environment.install(debian)
        for package in packages:
            environment.extend(PYTHON, package)
    except environment.NoSuchPackage as error:
        pytest.skip(f"It cannot be installed: {error}")


@contextlib.contextmanager
def running(*command, **options):
    """Runs a program until the statement ends."""
    process = subprocess.Popen(command, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        process.kill()
        process.wait()


def output(*command, answers="", **options):
    """What a command prints. It has no terminal, so that it reads passwords from its input."""
    return run(*command, input=answers, timeout=40, start_new_session=True, **options)


def wait_for(pattern, lines):
    """What matches a pattern in the first line that has it."""
    read = []
    for line in lines:
        if found := re.search(pattern, line):
            return found[0]
        read.append(line)
    pytest.fail(f"No line has {pattern}: {''.join(read)}")


def press(address, follow=True):
    """Opens the page of the org in a browser, continues as the user, and returns the page that follows."""
    browser = requests.Session()
    page = browser.get(address, timeout=10)
    forms = re.findall(r'<form method="post" action="([^"]+)">(.*?)</form>', page.text, re.S)
    action, form = next(((a, f) for a, f in forms if f"as {LOGIN}" in f), (None, None))
    assert form, f"{page.status_code} of {page.url}: {page.text[:300]}"
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', html.unescape(form)))
    return browser.post(urllib.parse.urljoin(page.url, action), fields, allow_redirects=follow, timeout=10)


APACHE = """
Listen 127.0.0.1:{port}
DefaultRuntimeDir {folder}
PidFile {folder}/pid
ErrorLog /dev/stderr
LogLevel notice
User nobody
Group nogroup
DocumentRoot {folder}
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client}
OIDCClientSecret {secret}
OIDCRedirectURI http://127.0.0.1:{port}/callback
OIDCCryptoPassphrase a-phrase-for-tests
OIDCScope "openid profile email"
OIDCRemoteUserClaim email
<Location />
  AuthType openid-connect
  Require valid-user
  Options +Includes
  SetOutputFilter INCLUDES
</Location>
"""


@pytest.fixture
def open_folder():
    """A folder that other users can read."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        yield folder


def test_apache_knows_who_signed_in(start_org, open_folder):
    install(**{"/usr/sbin/apache2": "apache2-bin", MODULES + "mod_auth_openidc.so": "libapache2-mod-auth-openidc"})
    port = free_port()
    names = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "include", "auth_openidc"]
    modules = "".join(f"LoadModule {name}_module {MODULES}mod_{name}.so\n" for name in names)
    (open_folder / "index.html").write_text('<!--#echo var="REMOTE_USER" --> is <!--#echo var="OIDC_CLAIM_name" -->')
    with start_org("--redirect-uri", f"http://127.0.0.1:{port}/callback", "--client-secret", SECRET) as org:
        (open_folder / "apache.conf").write_text(modules + APACHE.format(
            port=port, folder=open_folder, issuer=org.issuer, client=org.client, secret=SECRET))
        with running("/usr/sbin/apache2", "-f", open_folder / "apache.conf", "-DFOREGROUND",
                     stderr=subprocess.PIPE) as server:
            wait_for("resuming normal operations", server.stderr)
            assert f"{LOGIN} is Ada Byron" in press(f"http://127.0.0.1:{port}/").text


def test_oidc_agent_gets_tokens(start_org, tmp_path):
    """The code flow. In its device flow, it sends the client ID twice, which Okta refuses too."""
    install(**{"oidc-agent": "oidc-agent-cli"})
    redirect = f"http://localhost:{free_port()}"
    with start_org("--redirect-uri", redirect, "--client-secret", SECRET) as org:
        variables = {**os.environ, "HOME": str(tmp_path), "OIDC_CONFIG_DIR": str(tmp_path), "OIDC_ENCRYPTION_PW": "x"}
        agent = json.loads(output("oidc-agent", "--json", "--socket-path", tmp_path / "socket", env=variables))
        variables["OIDC_SOCK"] = agent["socket"]
        try:
            with running(
                    "oidc-gen", "demo", "--issuer", org.issuer, "--client-id", org.client, "--client-secret", SECRET,
                    "--scope", "openid email offline_access", "--flow", "code", "--redirect-uri", redirect, "--pw-env",
                    "--prompt", "none", "--confirm-yes", "--no-url-call", env=variables, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as command:
                assert "Success" in press(wait_for(r"http://\S+/authorize\S+", command.stdout)).text
                text = command.communicate(timeout=30)[0]
                assert command.returncode == 0, text
            token = output("oidc-token", "--force-new", "demo", env=variables).strip()
            field = {"Authorization": f"Bearer {token}"}
            assert requests.get(f"{org.issuer}/v1/userinfo", headers=field, timeout=10).json()["email"] == LOGIN
        finally:
            # After SIGTERM, its server for the redirect would run on for some seconds.
            os.killpg(os.getpgid(int(agent["dpid"])), signal.SIGKILL)


def test_client_of_okta_for_python_signs_in(start_org):
    install("okta-client-python==0.3.0")
    with start_org() as org, running(
            PYTHON / "bin/python", build.ROOT / "Tests/Checks/support/sign_in_with_okta_client.py", org.issuer,
            org.client, org.redirect, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
        end = press(client.stdout.readline().strip(), follow=False).headers["Location"]
        _, errors = client.communicate(end + "\n", timeout=60)
        assert client.returncode == 0, errors


@contextlib.contextmanager
def org_with_tls(start_org, folder):
    """An org behind socat, as in the README: its host, its certificate, and the code of the user's app."""
    certificate, key, port = f"{folder}/certificate.pem", f"{folder}/key.pem", free_port()
    output("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
           "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
    with running("socat", "-d", "-d", f"OPENSSL-LISTEN:0,bind=127.0.0.1,fork,cert={certificate},key={key},verify=0",
                 f"TCP:127.0.0.1:{port}", stderr=subprocess.PIPE) as front:
        host = wait_for(r"127\.0\.0\.1:\d+", front.stderr)
        with start_org("--port", str(port), "--address", f"https://{host}", "--scenario", "google", "--aws-role", "Dev",
                       "--classic"):
            page = requests.get(f"http://127.0.0.1:{port}", headers={"Accept": "application/json"}, timeout=10)
            yield host, certificate, page.json()["users"][0]["codes"]["google_otp"]


@pytest.mark.parametrize("package, command, answers", [
    ("aws-okta-processor==1.10.0",
     f"aws-okta-processor authenticate --user {LOGIN} --pass {PASSWORD} --organization {{}} --role {ROLE} "
     "--factor token:software:totp:google", "{}\n"),
    ("aws-okta-keyman==0.10.0",
     f"aws_okta_keyman --org https://{{}} --username {LOGIN} --appid exkDemoApp0000000001/272 --region us-east-1",
     f"{PASSWORD}\n{{}}\n")], ids=["aws-okta-processor", "aws-okta-keyman"])
def test_command_gets_keys_of_aws(start_org, tmp_path, package, command, answers):
    install("requests", package, socat="socat", openssl="openssl")
    with org_with_tls(start_org, tmp_path) as (host, certificate, code), moto() as aws:
        # Without a service for passwords, nobody is asked whether to save one.
        text = output(*command.format(host).split(), answers=answers.format(code), env={
            "PATH": f"{PYTHON}/bin:{os.environ['PATH']}", "HOME": str(tmp_path), "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": aws, "REQUESTS_CA_BUNDLE": certificate,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"})
        text += "".join(file.read_text() for file in tmp_path.glob(".aws/credentials"))
        found = [re.search(rf'(?i){name}"?\s*[:=]\s*"?([^\s",]+)', text) for name in [
            "access_?key_?id", "secret_?access_?key", "session_?token"]]
        assert all(found), text
        user = boto3.client("sts", "us-east-1", None, True, None, aws, *(keys[1] for keys in found))
        assert user.get_caller_identity()["Arn"].endswith(f":assumed-role/Dev/{LOGIN}")
