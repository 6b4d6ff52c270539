"""The program of Examples/ServedOrg, which was built before."""
import contextlib
import signal
import subprocess

# Where an org redirects if no option names another address.
REDIRECT = "http://127.0.0.1:8080/callback"


def start(program, *options):
    """Starts an org at any free port: its process, and what it prints about itself."""
    process = subprocess.Popen([program, "--port", "0", *options], text=True, stdout=subprocess.PIPE)
    try:
        return process, facts(process)
    except BaseException:
        process.kill()
        raise


def facts(process):
    """What an org prints about itself when it has started. Of a name that occurs twice, the first value."""
    found = {}
    for line in process.stdout:
        if line.startswith("Press"):
            break
        name, value = line.strip().split(": ", 1)
        found.setdefault(name, value)
    return found


class Org:
    """A served org, with what it prints about itself."""

    def __init__(self, facts):
        self.facts, self.issuer, self.client = facts, facts["issuer"], facts["client ID"]
        self.redirect, self.app = facts.get("redirect URI"), facts.get("app with SAML")
        self.origin = self.issuer.removesuffix("/oauth2/default")
        self.port = self.origin.rsplit(":", 1)[1]


@contextlib.contextmanager
def served(program, *options):
    """Starts an org, and expects at the end that it ends well."""
    process, found = start(program, *options)
    try:
        yield Org(found)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0, "The server did not end well."
    finally:
        process.kill()
        process.wait()
