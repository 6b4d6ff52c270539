"""Runs the program RequestSender, which sends requests with the transport of IDXNetwork."""
import contextlib
import json
import os
import pathlib
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / ".build/release/RequestSender"


class Sender:
    """A process that sends requests; it ends with its `with` statement."""

    def __init__(self, seconds=20, authorities=None, environment=(), prefix=()):
        arguments = [*prefix, str(PROGRAM), str(seconds)] + ([str(authorities)] if authorities else [])
        # Without the proxies of this machine.
        variables = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**variables, **dict(environment)})
        self.outcomes, self.changed, self.count = {}, threading.Condition(), 0
        self.writing = threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        assert self.process.returncode == 0, f"RequestSender ended with {self.process.returncode}"

    def read(self):
        for line in self.process.stdout:
            outcome = json.loads(line)
            with self.changed:
                self.outcomes[outcome["number"]] = outcome
                self.changed.notify_all()
        with self.changed:
            self.outcomes["end"] = True
            self.changed.notify_all()

    def start(self, url, **request):
        """Sends a request and returns its number."""
        with self.writing:
            self.count += 1
            self.write({"number": self.count, "url": url, **request})
            return self.count

    def cancel(self, number):
        self.write({"number": number})

    def write(self, command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def outcome(self, number, timeout=60):
        """Waits for what became of a request."""
        with self.changed:
            assert self.changed.wait_for(
                lambda: number in self.outcomes or "end" in self.outcomes, timeout), "no outcome"
            assert number in self.outcomes, f"RequestSender ended: {self.process.poll()}"
            return self.outcomes.pop(number)

    def send(self, url, **request):
        """Sends a request and waits for what became of it."""
        return self.outcome(self.start(url, **request))

    def sockets(self):
        """The flags of each open socket."""
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        flags = []
        for link in (folder / "fd").iterdir():
            # A socket may be closed meanwhile.
            with contextlib.suppress(FileNotFoundError):
                if os.readlink(link).startswith("socket:"):
                    info = (folder / "fdinfo" / link.name).read_text()
                    flags.append(int(info.split("flags:")[1].split()[0], 8))
        return flags
