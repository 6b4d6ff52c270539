"""Parsers of bytes from elsewhere fail on no bytes that libFuzzer tries in two seconds each."""
import os

import pytest

from support import build
from support.commands import run


@pytest.mark.alone
@pytest.mark.slow
def test_short_fuzzing_runs():
    run(build.ROOT / ".ci/fuzz", "all", "100000", env={**os.environ, "IDX_FUZZ_SECONDS": "2"})
