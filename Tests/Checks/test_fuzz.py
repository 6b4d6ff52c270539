"""Parsers of bytes from elsewhere fail on no bytes that libFuzzer tries in two seconds each."""
import os
import subprocess

import pytest

from support import build


@pytest.mark.slow
def test_short_fuzzing_runs():
    done = subprocess.run([build.ROOT / ".ci/fuzz", "all", "100000"], env={**os.environ, "IDX_FUZZ_SECONDS": "2"},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
