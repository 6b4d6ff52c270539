"""Scripts of .ci, run by tests."""
import os
import subprocess

from .build import ROOT

FOLDER = ROOT / ".ci"


def run(name, *arguments, **variables):
    """Runs a script, and shows what it printed if it fails."""
    done = subprocess.run(
        [FOLDER / name, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, **variables})
    print(done.stdout)
    assert done.returncode == 0, f".ci/{name} ended with {done.returncode}."
