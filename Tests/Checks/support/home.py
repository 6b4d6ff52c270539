"""A home folder, in which programs run without the settings of the person who runs the tests."""
import json
import os
import pathlib
import subprocess

from .terminal import Terminal

LOGIN, PASSWORD, NEW_PASSWORD = "ada@example.com", "Analytical-1843", "Mechanism-1831"
# The two steps of a sign-in, and a script with both.
IDENTIFY = {"step": "identify", "fields": {"identifier": LOGIN}}
GIVE_PASSWORD = {"step": "challenge-authenticator", "fields": {"credentials.passcode": PASSWORD}}
ANSWERS = json.dumps([IDENTIFY, GIVE_PASSWORD])


class Home:
    def __init__(self, folder, **variables):
        self.folder = pathlib.Path(folder)
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment = {
            **kept, "HOME": str(folder), "XDG_DATA_HOME": f"{folder}/data", "XDG_CONFIG_HOME": f"{folder}/config",
            "LANG": "C.UTF-8", "TERM": "xterm-256color", "IDX_FLOW_STORE": "file", "IDX_FLOW_RETRY_TIME": "0",
            **variables}

    def run(self, *command, status=0, seconds=120, input=None, **variables):
        """Runs a program that has no terminal, and expects its exit status; `None` stands for any."""
        done = subprocess.run(
            command, cwd=self.folder, env={**self.environment, **variables}, input=input or "", text=True,
            capture_output=True, timeout=seconds, start_new_session=True)
        assert status in (None, done.returncode), (
            f"{' '.join(map(str, command))} ended with {done.returncode} and not {status}:\n{done.stdout}{done.stderr}")
        return done

    def terminal(self, *command, rows=60, columns=120, output=None, errors=None, **variables):
        """Starts a program at a terminal."""
        return Terminal(command, {**self.environment, **variables}, self.folder, rows, columns, output, errors)

    def write(self, name, text):
        """Writes a file that only its owner may read; returns its path."""
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o600)
        return file
