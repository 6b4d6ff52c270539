"""The AWS CLI asks idx-flow for keys (credential_process), against moto and against a strict service that checks the ID
token or the SAML response, as AWS does.
"""
import concurrent.futures
import contextlib
import datetime
import json
import os
import re
import sys

import pytest

from support import environment
from support.aws import ACCOUNT, ROLE, StrictService, moto
from support.home import ANSWERS, LOGIN, PASSWORD, Home

pytestmark = [pytest.mark.slow, pytest.mark.promise("aws-token", "aws-keys")]
REDIRECT = "com.example.demo:/callback"
SERVED = ["--scenario", "password", "--redirect-uri", REDIRECT]


@pytest.fixture(scope="module")
def org(start_org):
    """A served org whose users sign in with a password."""
    with start_org(*SERVED) as org:
        yield org


@pytest.fixture
def service(org):
    with contextlib.closing(StrictService(org)) as service:
        yield service


def name(org):
    return org.issuer.split("://")[1]


def provider(org):
    return f"arn:aws:iam::{ACCOUNT}:oidc-provider/{name(org)}"


@pytest.fixture
def computer(idx_flow, tmp_path):
    """A person's computer, on which programs use a service of AWS."""
    return lambda org, endpoint: Computer(idx_flow, org, tmp_path, endpoint)


class Computer:
    """A home folder, in which the AWS CLI asks idx-flow for keys."""

    def __init__(self, idx_flow, org, folder, endpoint):
        self.org = org
        self.home = Home(
            folder, PATH=f"{idx_flow.parent}:{environment.PYTHON.parent}:{os.environ['PATH']}", NO_COLOR="1",
            AWS_ENDPOINT_URL=endpoint, AWS_DEFAULT_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true")

    def say(self, *words, **options):
        """The output and the errors of a program without a terminal."""
        done = self.home.run(*words, **options)
        assert "eyJ" not in done.stdout + done.stderr, "A token is shown."
        return done.stdout, done.stderr

    def sign_in(self, *options):
        self.say(
            "idx-flow", "signin", "--profile", "work", "--issuer", self.org.issuer, "--client-id", self.org.client,
            "--redirect-uri", REDIRECT, "--script", "-", "--force", *options, input=ANSWERS)

    def configure(self, *options):
        self.configure_command("--profile work --role-arn", ROLE, *options)

    def configure_command(self, *options):
        """Lets the AWS CLI run idx-flow aws with these options."""
        command = " ".join(["idx-flow aws", *options])
        self.say("aws", "configure", "set", "profile.okta.credential_process", command)

    def write_script(self):
        """Writes a file with the answers for the page of the org; returns its path."""
        return str(self.home.write("answers.json", ANSWERS))

    def identity(self):
        """Whom AWS takes the keys for."""
        return json.loads(self.say("aws", "sts", "get-caller-identity", "--profile", "okta")[0])["Arn"]

    def key(self):
        """The ID of the access key that the library of the AWS CLI gets."""
        program = "import botocore.session\n" \
            "print(botocore.session.Session(profile='okta').get_credentials().access_key)"
        return self.say(sys.executable, "-c", program)[0].strip()

    def keys(self, *options, status=0, **variables):
        return self.say(
            "idx-flow", "aws", "--profile", "work", "--role-arn", ROLE, *options, status=status, **variables)

    def files(self):
        return [path for path in self.home.folder.rglob("*") if path.is_file()]

    def at_terminal(self, command, answers):
        """Runs a command at a terminal, and answers its questions; returns what was on standard output."""
        file = self.home.folder / "output"
        with open(file, "wb") as output, self.home.terminal(*command, output=output) as terminal:
            for question, answer in answers:
                terminal.expect(re.escape(question), 60)
                terminal.enter(answer)
            assert terminal.wait(60) == 0, terminal.description
        text = file.read_text()
        file.unlink()
        return text


def test_aws_cli_gets_keys_until_a_sign_out(org, computer):
    """The AWS CLI uses the role, and gets the same keys until a sign-out, which deletes them."""
    with moto() as endpoint:
        ada = computer(org, endpoint)
        ada.sign_in("--scope", "openid profile offline_access")
        ada.configure()
        arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/NAME/{LOGIN}"
        assert ada.identity() == arn
        key = ada.key()
        assert ada.key() == key, "The keys were not kept."
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            keys = {future.result() for future in [pool.submit(ada.key) for _ in range(4)]}
        assert keys == {key}, keys
        assert [path.name for path in (ada.home.folder / ".aws").rglob("*")] == ["config"]

        def holding():
            return [path for path in ada.files() if key.encode() in path.read_bytes()]

        assert [path.parent.name for path in holding()] == ["credentials"], holding()
        assert holding()[0].stat().st_mode & 0o777 == 0o600
        ada.say("idx-flow", "signout", "--profile", "work")
        assert not holding(), holding()
        errors = ada.say("aws", "sts", "get-caller-identity", "--profile", "okta", status=255)[1]
        assert "idx-flow signin" in errors, errors
        ada.sign_in("--scope", "openid profile")
        assert ada.key() != key


def test_programs_that_start_at_once_get_the_same_keys(org, computer, service):
    """Programs that need the first keys at the same time get the same, with one request."""
    ada = computer(org, service.address)
    ada.sign_in("--scope", "openid profile offline_access")
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        keys = {future.result()[0] for future in [pool.submit(ada.keys) for _ in range(6)]}
    assert len(keys) == 1 and service.count == 1, (keys, service.count)


def test_aws_cli_at_a_terminal_asks_for_a_sign_in(org, computer):
    """If nobody is signed in, the AWS CLI at a terminal leads to the questions of the sign-in."""
    with moto() as endpoint:
        ada = computer(org, endpoint)
        ada.sign_in("--scope", "openid profile")
        ada.say("idx-flow", "signout", "--profile", "work")
        ada.configure()
        text = ada.at_terminal(
            ["aws", "sts", "get-caller-identity", "--profile", "okta"],
            [("Username: ", LOGIN), ("Password: ", PASSWORD)])
        assert json.loads(text)["Arn"].endswith(f"assumed-role/NAME/{LOGIN}"), text


def test_variables_are_for_a_shell(org, computer):
    """The lines of --format env set variables for the AWS CLI in a shell."""
    with moto() as endpoint:
        ada = computer(org, endpoint)
        ada.sign_in()
        output = ada.say(
            "sh", "-ec", f'eval "$(idx-flow aws --format env --session-name "a+b=c,d.e@f-g" --role-arn {ROLE})"\n'
            "aws sts get-caller-identity")[0]
        assert json.loads(output)["Arn"].endswith("/NAME/a+b=c,d.e@f-g"), output


def test_id_token_passes_the_checks_of_a_trust_policy(org, computer, service):
    """The ID token passes the checks of an administrator's provider and trust policy."""
    ada = computer(org, service.address)
    ada.sign_in("--scope", "openid profile offline_access")
    keys = json.loads(ada.keys("--duration", "900")[0])
    assert sorted(keys) == ["AccessKeyId", "Expiration", "SecretAccessKey", "SessionToken", "Version"], keys
    end = datetime.datetime.fromisoformat(keys["Expiration"].replace("Z", "+00:00"))
    assert 800 < (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds() <= 900
    assert ada.keys("--duration", "900")[0] == ada.keys("--duration", "900")[0] and service.count == 1
    output = ada.say("idx-flow", "doctor", "--profile", "work", "--role-arn", ROLE)[0]
    assert re.search(rf"^ok +aws +{re.escape(ROLE)} trusts {re.escape(provider(org))}", output, re.M), output


def test_refusal_names_what_has_to_be_configured(org, computer, service):
    """Each refusal names what has to be configured, and nothing is printed for the AWS CLI."""
    ada = computer(org, service.address)
    ada.sign_in("--scope", "openid profile offline_access")

    def refused(status, *words, options=()):
        output, errors = ada.keys(*options, status=status)
        assert not output, output
        for word in words:
            assert word in errors, (word, errors)
        return errors

    service.providers = {}
    refused(4, f"no identity provider for {org.issuer}", f"--url {org.issuer}", f"--client-id-list {org.client}")
    service.providers = {org.issuer: ["another"]}
    refused(4, f"does not have the audience {org.client}", provider(org))
    output = ada.say("idx-flow", "doctor", "--profile", "work", "--role-arn", ROLE, status=4)
    assert "add-client-id-to-open-id-connect-provider" in output[0], output
    assert output[1].endswith("A sign-in can work. The check of AWS failed.\n"), output
    ada.configure()
    errors = ada.say("aws", "sts", "get-caller-identity", "--profile", "okta", status=255)[1]
    assert f"does not have the audience {org.client}" in errors, errors
    service.providers = {org.issuer: [org.client]}
    service.subjects = ["somebody else"]
    errors = refused(4, f"Federated {provider(org)}", f"{name(org)}:aud must accept {org.client}", f"{name(org)}:sub")
    assert re.search(r"must accept 00u\w+", errors), errors
    service.subjects = None
    refused(2, "--duration is longer", ROLE, options=["--duration", "7200"])
    for failure, status, word in [
            ((403, "RegionDisabledException", "STS is not activated in this region"), 2, "--region"),
            ((400, "Throttling", "Rate exceeded"), 7, "too many requests"),
            ((400, "IDPCommunicationError", "The identity provider did not respond"), 6, org.issuer),
            ((400, "ExpiredTokenException", "Token expired: current date/time 1"), 4, "clock"),
            ((503, "ServiceUnavailable", "try later"), 6, "Try again")]:
        service.failure = failure
        refused(status, word, failure[1])
    service.failure = None
    assert json.loads(ada.keys()[0])["Version"] == 1
    service.close()
    refused(6, "AWS cannot be asked", options=["--session-name", "other"])


def test_aws_cli_gets_keys_with_saml(start_org, computer):
    """With an app with SAML, the AWS CLI uses the only role of a person, with one sign-in until a sign-out."""
    # moto reads responses with one role only.
    with start_org(*SERVED, "--aws-role", "Dev") as org, moto() as endpoint:
        ada = computer(org, endpoint)
        script = ada.write_script()
        role = f"arn:aws:iam::{ACCOUNT}:role/Dev"
        assert ada.say("idx-flow", "aws", "--saml", org.app, "--list-roles", "--script", script)[0] == f"{role}\n"
        ada.configure_command("--profile work --saml", org.app, "--script", script)
        assert ada.identity() == f"arn:aws:sts::{ACCOUNT}:assumed-role/Dev/{LOGIN}"
        key = ada.key()
        # The profile has the app and the role now, and nobody is asked again.
        ada.configure_command("--profile work --no-input")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            keys = {future.result() for future in [pool.submit(ada.key) for _ in range(4)]}
        assert keys == {key}, keys
        holding = [path for path in ada.files() if key.encode() in path.read_bytes()]
        assert [path.parent.name for path in holding] == ["credentials"], holding
        assert holding[0].stat().st_mode & 0o777 == 0o600
        ada.say("idx-flow", "signout", "--profile", "work")
        assert not [path for path in ada.files() if key.encode() in path.read_bytes()]
        assert not [path for path in ada.files() if b"PD94" in path.read_bytes()], "A response was saved."
        errors = ada.say("aws", "sts", "get-caller-identity", "--profile", "okta", status=255)[1]
        assert "run idx-flow aws with the same options" in errors, errors


def test_saml_gives_each_of_several_roles(start_org, computer):
    """Each of several roles is that of the response; programs that need the first keys at once share a sign-in."""
    with start_org(*SERVED, "--aws-role", "Dev", "--aws-role", "Audit") as org, \
            contextlib.closing(StrictService(org)) as service:
        ada = computer(org, service.address)
        script, roles = ada.write_script(), [f"arn:aws:iam::{ACCOUNT}:role/{name}" for name in ("Dev", "Audit")]
        command = ["idx-flow", "aws", "--saml", org.app, "--script", script]
        errors = ada.say(*command, status=2)[1]
        assert all(f"\n  {role}\n" in errors for role in roles), errors
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            runs = [pool.submit(ada.say, *command, "--role-arn", roles[0]) for _ in range(6)]
            keys = {future.result()[0] for future in runs}
        assert len(keys) == 1 and service.count == 1, (keys, service.count)
        other = ada.say(*command, "--role-arn", roles[1])[0]
        assert other not in keys and service.count == 2
        service.longest = 900
        errors = ada.say(*command, "--role-arn", roles[1], "--duration", "7200", status=2)[1]
        assert "--duration is longer" in errors, errors
        text = ada.at_terminal(
            ["idx-flow", "aws", "--profile", "work", "--saml", org.app, "--duration", "900"],
            [("Username: ", LOGIN), ("Password: ", PASSWORD), ("Choose 1-2: ", "audit")])
        assert json.loads(text)["Version"] == 1
        assert ada.say("idx-flow", "aws", "--profile", "work", "--duration", "900", "--no-input")[0] == text
        service.close()
        errors = ada.say(*command, "--role-arn", roles[0], "--duration", "901", status=6)[1]
        assert "AWS cannot be asked" in errors, errors
