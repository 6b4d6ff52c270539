"""Recorded responses and conversations, and servers and networks that fail. The folder is that of --conformance."""
import importlib.util
import json
import pathlib
import re
import sys

import pytest

from support import build
from support.commands import run

FAULTS = pathlib.Path(__file__).resolve().parent / "faults"


def sign_in(idx_flow):
    return [idx_flow, "signin", "--issuer", "{issuer}", "--client-id", "{client_id}", "--redirect-uri",
            "{redirect_uri}", "--script", "{script}"]


def scenarios(config):
    return sorted((config.option.conformance.resolve() / "scenarios").glob("*.json"))


def pytest_generate_tests(metafunc):
    if "scenario" in metafunc.fixturenames:
        # Without the option, the fixture `conformance` skips the test.
        found = scenarios(metafunc.config) if metafunc.config.option.conformance else [pathlib.Path("none")]
        metafunc.parametrize("scenario", found, ids=[path.stem for path in found])


def test_recorded_responses_are_read_as_expected(conformance, idx_flow):
    run(conformance / "expected.py", "--check", f"{idx_flow} inspect --format json", conformance / "corpus")


def test_conversation_is_recorded_without_secrets_and_played(conformance, idx_flow, home, scenario):
    recording = home.folder / "recording.json"
    run(sys.executable, conformance / "replay.py", scenario, "--", *sign_in(idx_flow), "--record", recording,
        env=home.environment)
    script = home.folder / "script.json"
    # The script of the recording reads what a person entered from variables.
    saved = home.run(idx_flow, "replay", recording, "--save-script", script)
    variables = re.findall(r"reads the variable (.*)\.", saved.stdout + saved.stderr)
    home.run(idx_flow, "replay", recording, "--script", script, **{name: "123456" for name in variables})


@pytest.mark.slow
def test_faults_of_the_network_and_the_server(conformance, idx_flow, home, pytestconfig):
    """About 50 faults at one request, in about a minute; with --all-faults, at each request of all conversations."""
    if pytestconfig.option.all_faults:
        chosen = ["--jobs", "10", *scenarios(pytestconfig), FAULTS / "push.json"]
    else:
        chosen = ["--at", "^challenge/answer$", "--jobs", "8", conformance / "scenarios/identity-first-password.json"]
    run(sys.executable, conformance / "fault_matrix.py", *chosen, "--", *sign_in(idx_flow), cwd=build.ROOT,
        env=home.environment)


# MARK: Changed ID tokens

@pytest.fixture(scope="module")
def replay(conformance):
    """The module replay.py of the folder."""
    specification = importlib.util.spec_from_file_location("replay", conformance / "replay.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def signed_in(conformance, replay, idx_flow, home):
    """Signs in while one character of a part of the ID token is changed; returns the end of the program and the token.
    """
    def run(part):
        play = replay.Play(str(conformance / "scenarios/identity-first-password.json"))

        class Signer(replay.Signer):
            last = None

            def token(self, claims):
                parts = super().token(claims).split(".")
                if part is not None:
                    text, place = parts[part], len(parts[part]) // 2
                    parts[part] = text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1:]
                Signer.last = ".".join(parts)
                return Signer.last
        play.signer = Signer()
        server = replay.serve(play)
        try:
            return home.run(
                idx_flow, "signin", "--issuer", play.base + "/oauth2/default", "--client-id", play.client_id,
                "--redirect-uri", replay.REDIRECT_URI, "--script",
                home.write("script.json", json.dumps(play.scenario["script"])), status=None), Signer.last
        finally:
            server.shutdown()
    return run


def saved(home):
    return list(home.folder.rglob("credentials/*"))


def test_unchanged_token_is_accepted(signed_in, home):
    done, _ = signed_in(None)
    assert done.returncode == 0 and len(saved(home)) == 1, done


@pytest.mark.promise("id-token")
@pytest.mark.parametrize("part", range(3), ids=["header", "claims", "signature"])
def test_changed_token_is_refused(signed_in, home, part):
    """The sign-in names the check that failed, saves nothing and shows no token."""
    done, token = signed_in(part)
    said = done.stdout + done.stderr
    assert done.returncode != 0 and not saved(home) and "The ID token was refused." in said, said
    assert not any(piece in said for piece in token.split(".")), said
