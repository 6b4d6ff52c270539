"""Screens as JSON: each line fits the schema, by another implementation of JSON Schema, and a program uses them.

The tests of Swift write the screens of every scenario, and demos are played at pipes. Each line must fit the schema as
it is, and as a strict one, which allows no other members; each member of the schema must be in some line; and a line
that is changed must be refused. So the encoder and the schema cannot change alone.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

import jsonschema
import pytest
import referencing

from support import build
from support.home import LOGIN, PASSWORD, Home

SCHEMAS = [json.loads((build.ROOT / "Sources" / path).read_text()) for path in (
    "Engine/IDXFlow/IDXFlow.docc/Resources/screen-1.schema.json",
    "idx-flow/idx-flow.docc/Resources/front-end-1.schema.json")]
SOURCES = {schema["$id"]: schema for schema in SCHEMAS}
_, FRONT_END = SOURCES
NEW_PASSWORD = "Difference-1846"
DEMOS = ["basic", "password", "push-number", "push-rejected", "email", "two-phones", "enroll-google", "enroll-phone",
         "enroll-passkey", "passkey", "recover --recover", "register --register", "basic --flow device", "idp",
         "device-challenge", "captcha", "granular-consent", "password-expiring", "locked", "denied-final"]
# Nothing listens at this port.
FAILURE = "--issuer http://127.0.0.1:9 --client-id 0oaExample --redirect-uri com.example:/callback"
PLAYS = [f"--demo {demo}" for demo in DEMOS] + [FAILURE]
Played = collections.namedtuple("Played", "lines replies status errors")


# MARK: The schema

def strict(schema):
    """The schema in which an object with properties has no others."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {name: strict(part) for name, part in schema.items()}
    if changed.get("type") == "object" and "properties" in changed:
        changed.setdefault("additionalProperties", False)
    return changed


def validator(schemas, reference):
    registry = referencing.Registry().with_resources(
        (schema["$id"], referencing.Resource.from_contents(schema)) for schema in schemas)
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator({"$ref": reference}, registry=registry, format_checker=checker)


PUBLISHED_LINE, STRICT_LINE = validator(SCHEMAS, FRONT_END), validator([strict(one) for one in SCHEMAS], FRONT_END)
REPLY = validator(SCHEMAS, FRONT_END + "#/$defs/reply")


def problems(line):
    """What does not fit the schema in a line."""
    for error in [*PUBLISHED_LINE.iter_errors(line), *STRICT_LINE.iter_errors(line)]:
        deepest = jsonschema.exceptions.best_match([error])
        yield f"{deepest.json_path}: {deepest.message[:300]}\n{json.dumps(line)}"


def note_members(schema, value, root, seen):
    """Notes which members of a schema a value has, by the identity of their schemas."""
    if "$ref" in schema:
        name, _, place = schema["$ref"].partition("#")
        target = root = SOURCES.get(name, root)
        for step in filter(None, place.split("/")):
            target = target[step]
        note_members(target, value, root, seen)
    for part in [*schema.get("oneOf", []), *schema.get("allOf", [])]:
        note_members(part, value, root, seen)
    if isinstance(value, dict):
        for name, part in schema.get("properties", {}).items():
            if isinstance(part, dict) and name in value:
                seen.add(id(part))
                note_members(part, value[name], root, seen)
    if isinstance(value, list) and "items" in schema:
        for element in value:
            note_members(schema["items"], element, root, seen)


def all_members(schema, path):
    """The identity and the path of all members of a schema, without those of replies, which are not written."""
    if isinstance(schema, list):
        for part in schema:
            yield from all_members(part, path)
    if isinstance(schema, dict):
        for name, part in schema.items():
            if name in ("properties", "$defs"):
                for member, value in part.items():
                    if name == "properties" and isinstance(value, dict):
                        yield id(value), f"{path}/{member}"
                    if member != "reply":
                        yield from all_members(value, f"{path}/{member}")
            elif name != "if":
                yield from all_members(part, path)


def changes(value):
    """The value with one member changed: another name, or another type."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            for changed in changes(element):
                yield [*value[:index], changed, *value[index + 1:]]
    if isinstance(value, dict):
        for name, element in value.items():
            rest = {other: value[other] for other in value if other != name}
            yield {**rest, name + "Changed": element}
            yield {**rest, name: [{}] if not isinstance(element, list) else {}}
            if name not in ("passkey", "autoFillPasskey", "end"):
                for changed in changes(element):
                    yield {**rest, name: changed}


# MARK: A person at pipes

def answer(field, state):
    """What a person enters in a demo."""
    meaning, name = field.get("contentType"), field["id"].lower()
    if field["kind"] == "choice":
        state["choices"] += 1
        return field["choices"][state["choices"] % len(field["choices"])]["id"]
    if field["kind"] == "toggle":
        return True
    if meaning == "one-time-code" or name.endswith(("passcode", "totp")) and meaning is None:
        return state["code"]
    known = {"username": LOGIN, "current-password": PASSWORD, "new-password": NEW_PASSWORD, "email": LOGIN}
    if "phone" in name:
        return "+15550100188"
    return known.get(meaning, field.get("suggestion") or "Difference")


def visible(inputs, state):
    """The inputs with those of the choice that will be made."""
    for field in inputs:
        yield field
        if field["kind"] == "choice":
            chosen = answer(field, state)
            yield from visible(next(c["inputs"] for c in field["choices"] if c["id"] == chosen), state)


def reply(screen, count, state):
    """What a person does at a screen."""
    if count > 25 or screen["attempt"] > 3:
        return {"reply": "cancel"}
    if screen["action"]["role"] in ("start_over", "alternative") and not screen["inputs"]:
        ways = [way for way in screen["options"] if way["role"] == "alternative"] or [screen["options"][-1]]
        return {"reply": "choose", "option": ways[0]["id"]}
    values = {field["id"]: answer(field, state) for field in visible(screen["inputs"], dict(state))}
    return {"reply": "submit", "values": values}


def play(idx_flow, folder, options):
    """Plays a sign-in at pipes."""
    lines, replies, state = [], [], {"code": "000000", "choices": -1}
    with subprocess.Popen(
            [idx_flow, "signin", "--front-end", "json", *options.split()], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=Home(folder).environment, encoding="utf-8") as flow:
        for text in flow.stdout:
            line = json.loads(text)
            lines.append(line)
            shown = [line.get("text", ""), *line.get("screen", {}).get("notes", [])]
            for word in " ".join(shown).replace(".", " ").split():
                if word.isdigit() and len(word) >= 6:
                    state["code"] = word
            if (screen := line.get("screen")) and screen["action"]["role"] != "wait":
                replies.append({**reply(screen, len(replies), state), "number": screen["number"]})
                print(json.dumps(replies[-1]), file=flow.stdin, flush=True)
        errors = flow.stderr.read()
    return Played(lines, replies, flow.returncode, errors)


@pytest.fixture(scope="module")
def written(swift_test, tmp_path_factory):
    """The screens that the tests of Swift write, as lines, by the names of their files."""
    folder = tmp_path_factory.mktemp("screens")
    swift_test("ScreenJSON", SCREEN_JSON_FOLDER=folder, IDX_FLOW_TESTS="all")
    return {file.stem: [{"type": "screen", "version": 1, "screen": json.loads(line)}
                        for line in file.read_text().splitlines()] for file in sorted(folder.glob("*.jsonl"))}


@pytest.fixture(scope="module")
def played(idx_flow, tmp_path_factory):
    """All sign-ins at pipes, by their options."""
    homes = [tmp_path_factory.mktemp("home") for _ in PLAYS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(PLAYS, pool.map(lambda home, options: play(idx_flow, home, options), homes, PLAYS)))


@pytest.fixture(scope="module")
def lines(written, played):
    return [line for lines in [*written.values(), *(one.lines for one in played.values())] for line in lines]


# MARK: Tests

@pytest.mark.parametrize("schema", SCHEMAS, ids=["screen", "front-end"])
def test_schema_is_valid(schema):
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("options", PLAYS)
def test_last_line_says_how_the_sign_in_ended(played, options):
    one = played[options]
    assert [line["type"] for line in one.lines].count("end") == 1 and one.lines[-1]["type"] == "end", one.errors
    assert one.lines[-1].get("exit_status", 0) == one.status


def test_lines_fit_the_schema(written, lines):
    assert len(written) >= 100
    found = [problem for line in lines for problem in problems(line)]
    assert not found, "\n".join(found[:5])


def test_replies_fit_the_schema(played):
    for one in played.values():
        for sent in one.replies:
            REPLY.validate(sent)


def test_some_line_has_each_member_of_the_schema(lines):
    seen, root = set(), SOURCES[FRONT_END]
    for line in lines:
        note_members(root["$defs"][line["type"]], line, root, seen)
    everything = [member for schema in SCHEMAS for member in all_members(schema, schema["$id"])]
    assert everything and not sorted({path for part, path in everything if part not in seen})


def test_changed_lines_do_not_fit_the_schema(written, lines):
    # The test “complete” writes a screen with nearly all members, which no scenario has together.
    samples = [written["complete"][0], written["danger"][0],
               next(line for line in lines if "deviceChallenge" in line.get("screen", {})),
               next(line for line in lines if line["type"] == "news")]
    accepted = [changed for sample in samples for changed in changes(sample) if STRICT_LINE.is_valid(changed)]
    assert not accepted


@pytest.mark.parametrize("options, words", [
    ("basic", "Google Authenticator is set up."), ("push", "Approved."),
    ("recover --recover", "Choose a new password")])
def test_example_signs_in(home, idx_flow, options, words):
    """Examples/JSONFrontEnd signs in, and nobody can type."""
    (home.folder / "idx-flow").symlink_to(idx_flow)
    done = home.run(sys.executable, build.ROOT / "Examples/JSONFrontEnd/sign_in.py", "--force", "--demo",
                    *options.split(), PATH=f"{home.folder}:{os.environ['PATH']}")
    assert done.stdout.splitlines()[-1] == "signed_in" and words in done.stdout
