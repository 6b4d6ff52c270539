"""No secret is in the output of the program, with demos, with a server that knows its secrets, and after damage."""
import concurrent.futures
import json
import re
import secrets
import time
import urllib.parse
import urllib.request

import pytest

from support import build
from support.home import ANSWERS, IDENTIFY, LOGIN, PASSWORD, Home
from support.recorder import Recorder
from support.secret_search import Search, hits
from support.terminal import plain

pytestmark = pytest.mark.promise("error-content", "token-commands")
NEW_PASSWORD, SECURITY_ANSWER = "Bernoulli-Numbers-1842", "Difference"
# The output of the demo that is meant for its user: the password and other secrets of the user, the text of emails, and
# addresses to open in a browser.
DEMO_OUTPUT = (
    r"(?m)^demo: the user is \S+, the password \S+$", r"(?m)^demo: .* shows \S+$",
    r"(?m)^demo: the answer to the security question is \S+$", r"(?m)^mailbox: .*$",
    r"(?m)^\s*https://demo\.okta\.example/\S+$")


class Person:
    """Runs commands in a home folder, and lets a search look at what they print."""

    def __init__(self, idx_flow, search, folder):
        self.idx_flow, self.search, self.home = idx_flow, search, Home(folder, BROWSER="true")

    def run(self, *words, status=0, searched=("stdout", "stderr"), exceptions=(), input=None):
        self.search.learn_store(self.home.folder)
        done = self.home.run(self.idx_flow, *words, status=status, seconds=60, input=input)
        self.search.learn_store(self.home.folder)
        for stream in searched:
            self.search.look(f"{stream} of {' '.join(map(str, words))}", getattr(done, stream), exceptions)
        return done

    def sign_in(self, server, *words, passwords=(PASSWORD,), **options):
        script = self.home.write("script.json", json.dumps(
            [IDENTIFY] + [
                {"step": "challenge-authenticator", "fields": {"credentials.passcode": one}} for one in passwords]))
        return self.run("signin", *server.options, "--script", script, *words, **options)

    def show(self, server, *passwords, **options):
        """Signs in as a program that shows the screens."""
        values = [{"identifier": LOGIN}, *({"credentials.passcode": one} for one in passwords)]
        return self.run("signin", "--front-end", "json", *server.options, "--force", **options, input="".join(
            json.dumps({"number": number, "reply": "submit", "values": one}) + "\n"
            for number, one in enumerate(values, 1)))

    def play(self, *words, exceptions=()):
        """Plays a sign-in at a terminal for some seconds; returns whether it succeeded, and asked for a secret."""
        out, err = self.home.folder / "out", self.home.folder / "err"
        with open(out, "wb") as output, open(err, "wb") as errors, self.home.terminal(
                self.idx_flow, *words, rows=60, columns=100, output=output, errors=errors) as window:
            has_secret = self.answer(window, err)
            window.process.terminate()
            status = window.wait(5)
        self.search.learn_store(self.home.folder)
        for place, text in ("screen", window.shown), ("stdout", out.read_text()), ("stderr", err.read_text()):
            self.search.look(f"the {place} of {' '.join(words)}", text, exceptions)
        return status == 0, has_secret

    def answer(self, window, err):
        """Answers the questions of a sign-in; returns whether one was for a secret, which the search learns."""
        deadline, counts, mark, has_secret = time.monotonic() + 15, {}, 0, False
        while not window.ended and time.monotonic() < deadline and len(counts) < 25:
            if window.read(0.25):
                continue
            last = plain(window.shown[mark:]).split("\n")[-1]
            if not re.search(r"[:?] ?$", last):
                continue
            counts[last] = counts.get(last, 0) + 1
            if counts[last] > 3:
                break
            mark = len(window.shown)
            text = answer(last, plain(window.shown) + err.read_text(errors="replace"), counts[last])
            # The demo prints the codes.
            if text in (PASSWORD, NEW_PASSWORD, SECURITY_ANSWER):
                self.search.learn(text)
                has_secret = True
            window.enter(text)
        return has_secret


def answer(prompt, output, count):
    """The answer of a user to a prompt that is shown for the `count`-th time."""
    low = prompt.lower()
    choice = re.search(r"Choose 1(?:-(\d+))?", prompt)
    if choice:
        return str(min(count, int(choice.group(1) or 1)))
    if re.search(r"\[y/n\]: ?$", low):
        return "y"
    if "username" in low or "email" in low or "user name" in low:
        return LOGIN
    if "password" in low or "again" in low:
        return PASSWORD if "new" not in low and "again" not in low else NEW_PASSWORD
    if "weave" in low:
        return SECURITY_ANSWER
    # An answer that is set up is shown.
    if "answer" in low:
        return "With cards"
    if "phone" in low:
        return "+15550100142"
    codes = re.findall(r"(?:shows|is) ([\w-]{4,})\.?\s*$", output, re.M)
    return codes[-1] if codes else "Babbage"


@pytest.fixture
def search():
    """What this test learns; at its end, none of the secrets may be in a text."""
    search = Search(PASSWORD, NEW_PASSWORD)
    yield search
    search.expect_none()


@pytest.fixture
def ada(idx_flow, search, tmp_path):
    return Person(idx_flow, search, tmp_path)


# MARK: The search itself

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIwMHUxIn0." + "c2lnbmF0dXJl" * 8
HANDLE, OWN = "02" + "aB3-" * 10, "not of any form 1+1=2"
KNOWN = {OWN, PASSWORD, TOKEN}


@pytest.mark.parametrize("text", [
    f"so: {TOKEN}.", f"\x1b[1m{HANDLE}\x1b[0m", f"v={'Zx9_' * 10 + 'Qq7'}&", f"ih_{HANDLE[2:]}",
    "the password is " + PASSWORD, PASSWORD[:5] + "\x1b[0m" + PASSWORD[5:], PASSWORD[:9] + "\r\n   " + PASSWORD[9:],
    urllib.parse.quote(OWN, safe=""), f"… {TOKEN[40:70]} …"],
    ids=["token", "handle", "verifier", "other handle", "password", "colored", "wrapped", "escaped", "cut"])
def test_search_finds_a_secret(text):
    assert hits(text, KNOWN)


def test_search_finds_nothing_in_a_clean_text():
    assert not hits(f"idx-flow: Nobody is signed in. {'a' * 43} 0oaDemoApp0000000001 eyJ. 02", KNOWN)


def test_search_ignores_only_what_the_demo_prints_for_its_user():
    line = f"demo: the user is {LOGIN}, the password {PASSWORD}\n"
    assert not hits(line, KNOWN, DEMO_OUTPUT)
    assert hits(line.replace("demo", "note"), KNOWN, DEMO_OUTPUT)


# MARK: Output of the program

def test_no_secret_is_in_the_log_of_the_tests_in_swift(pytestconfig):
    if not pytestconfig.option.log:
        pytest.skip("there is no log: --log names it")
    passwords = {password for file in (build.ROOT / "Tests").rglob("*.swift") for password in re.findall(
        r'"((?:[A-Za-z]+-)+\d{4}|hunter2[\w-]*)"', file.read_text())}
    assert len(passwords) > 3
    search = Search(*passwords)
    search.look("the log", pytestconfig.option.log.read_text(errors="replace"))
    search.expect_none()


@pytest.fixture
def server(search):
    with Recorder(search) as server:
        yield server


@pytest.fixture
def signed_in(ada, server):
    """Somebody who is signed in, after a wrong password."""
    wrong = "Wrong-Guess-" + secrets.token_hex(4)
    ada.sign_in(server, passwords=(wrong, PASSWORD))
    assert server.verifiers and server.passwords == 2 and wrong in ada.search.known
    return ada


def test_commands_print_no_secret(signed_in):
    # The tokens are opaque.
    for command, status in {"status": 0, "whoami": 0, "list": 0, "refresh": 0, "token --decode": 1}.items():
        signed_in.run(*command.split(), status=status)
        signed_in.run(*command.split(), "--json", status=status)
    for command, status in {"whoami": 0, "refresh": 0, "status --check": 1}.items():
        signed_in.run(*command.split(), "--verbose", status=status)
    signed_in.run("exec", "--", "true")


@pytest.mark.parametrize("command", [
    "token", "token --json", "token --type refresh", "token --format header", "token --format kubernetes",
    "exec --verbose -- sh -c"])
def test_requested_token_is_on_standard_output_only(signed_in, command):
    words = [*command.split(), *(["echo $ACCESS_TOKEN"] if "exec" in command else [])]
    done = signed_in.run(*words, searched=["stderr"])
    assert hits(done.stdout, signed_in.search.known)


def test_sign_in_prints_no_secret(ada, server):
    wrong = "Wrong-Guess-" + secrets.token_hex(4)
    assert "access_token" in ada.sign_in(server, "--no-store", searched=["stderr"]).stdout
    ada.sign_in(server, "--json", "--force")
    ada.sign_in(server, "--no-input", "--force")
    ada.sign_in(server, "--json", "--force", passwords=[wrong], status=4)
    ada.show(server, wrong, PASSWORD)
    ended, _ = ada.play("signin", *server.options, "--force")
    assert ended, ada.search.texts[-3:]


def test_inspected_response_shows_no_handle(ada, server):
    """The JSON output contains all of the response, even the handle."""
    with urllib.request.urlopen(server.url + "/idp/idx/introspect", b"{}") as response:
        file = ada.home.write("response.json", response.read().decode())
    assert "identify" in ada.run("inspect", file).stdout
    ada.run("inspect", "--format", "json", file, searched=["stderr"])


@pytest.mark.parametrize("damaged", [lambda text: text[:-40], lambda text: text.replace('"version":1', '"version":9')],
                         ids=["cut", "another version"])
def test_damaged_store_is_not_printed(signed_in, damaged):
    [file] = (signed_in.home.folder / "data/idx-flow/credentials").iterdir()
    text = file.read_text()
    assert damaged(text) != text
    file.write_text(damaged(text))
    for command, status in {"status": 9, "list": 9, "list --json": 9, "refresh": 9, "token": 9}.items():
        signed_in.run(*command.split(), status=status)


# A refusal, and a failure of the server.
STATUSES = {"echo": 4, "fail": 6}


@pytest.mark.parametrize("fault", STATUSES)
@pytest.mark.parametrize("path, command", [("userinfo", "whoami"), ("token", "refresh"), ("revoke", "signout")])
def test_command_at_a_faulty_server_prints_no_secret(signed_in, server, fault, path, command):
    server.fault = f"{fault} {path}"
    signed_in.run(command, status=STATUSES[fault])


@pytest.mark.parametrize("fault", STATUSES)
@pytest.mark.parametrize("path", ["interact", "introspect", "identify", "challenge", "token"])
def test_sign_in_at_a_faulty_server_prints_no_secret(ada, search, fault, path):
    # After a failure, the person is asked again, for which the script and the program have no answer.
    script, shown = {("identify", "fail"): (6, 130), ("challenge", "fail"): (3, 130)}.get(
        (path, fault), (STATUSES[fault], STATUSES[fault]))
    for words in [], ["--json"]:
        with Recorder(search, f"{fault} {path}") as server:
            ada.sign_in(server, *words, status=script)
    with Recorder(search, f"{fault} {path}") as server:
        ada.show(server, PASSWORD, status=shown)


def test_refused_id_token_is_not_printed(ada, search):
    with Recorder(search, "odd ID token") as server:
        done = ada.sign_in(server, "--scope", "openid profile", status=1)
    assert "ID token" in done.stderr


def test_commands_without_their_server_print_no_secret(signed_in, server):
    server.shutdown()
    server.server_close()
    for command, status in {"whoami": 6, "refresh --json": 6, "signout": 6}.items():
        signed_in.run(*command.split(), status=status)
    signed_in.sign_in(server, status=6)


# MARK: Demos

@pytest.mark.slow
def test_demos_print_no_secret(idx_flow, home, tmp_path_factory):
    names = [demo["name"] for demo in json.loads(home.run(idx_flow, "signin", "--demo", "list", "--json").stdout)]
    plays = [["signin", "--demo", name, "--no-qr"] for name in names]
    plays += [["signin", "--demo", f"--{goal}"] for goal in ("recover", "unlock", "register")]
    plays += [["signin", "--demo", "password", "--json"], ["signin", "--demo"]]
    # An answer that one demo shows can be a secret of another.
    people = [Person(idx_flow, Search(PASSWORD, NEW_PASSWORD), tmp_path_factory.mktemp("home")) for _ in plays]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda ada, words: ada.play(*words, exceptions=DEMO_OUTPUT), people, plays))
    assert len(names) > 50 and sum(ended for ended, _ in results) > len(names) / 2, list(zip(plays, results))
    assert sum(has_secret for _, has_secret in results) > len(names) / 3
    commands_of_a_demo(people[names.index("password")])
    for ada in people:
        ada.search.expect_none()


def commands_of_a_demo(ada):
    for command in "status", "whoami", "list", "refresh":
        ada.run(command, "--demo")
        ada.run(command, "--demo", "--json")
    assert ada.run("token", "--demo", searched=["stderr"]).stdout.strip() in ada.search.known
    ada.run("signout", "--demo")
    script = ada.home.write("script.json", ANSWERS)
    ada.run("signin", "--demo", "password", "--script", script, exceptions=DEMO_OUTPUT)
    ada.run("signout", "--demo", "--json")
