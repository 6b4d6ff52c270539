"""The program of Examples/ServedOrg, which was built before."""
import pathlib
import subprocess

PROGRAM = pathlib.Path(__file__).resolve().parent.parent.parent / ".build/debug/ServedOrg"


def start(*options):
    """Starts an org at any free port: its process, and what it prints about itself."""
    process = subprocess.Popen([PROGRAM, "--port", "0", *options], text=True, stdout=subprocess.PIPE)
    return process, facts(process)


def facts(process):
    """What an org prints about itself when it has started. Of a name that occurs twice, the first value."""
    found = {}
    for line in process.stdout:
        if line.startswith("Press"):
            break
        name, value = line.strip().split(": ", 1)
        found.setdefault(name, value)
    return found
