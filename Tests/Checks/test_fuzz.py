"""Parsers of bytes from elsewhere fail on no bytes that libFuzzer tries in two seconds each."""
import pytest

from support import script


@pytest.mark.slow
def test_short_fuzzing_runs():
    script.run("fuzz", "all", "100000", IDX_FUZZ_SECONDS="2")
