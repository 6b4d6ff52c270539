"""Some tests of Swift take a sample of many cases of the same kind, so that `swift test` is fast. Here they take all."""
import re

import pytest

from support import build

SAMPLED = sorted(
    f"{file.relative_to(build.ROOT / 'Tests').parts[0]}.{file.stem}"
    for file in (build.ROOT / "Tests").rglob("*Tests.swift") if ".sample(every:" in file.read_text())


@pytest.mark.parametrize("suite", SAMPLED)
def test_of_all_cases(swift_test, suite):
    output = swift_test(f"^{suite}/", IDX_FLOW_TESTS="all")
    assert re.search(r"Test run with [1-9]\d* tests? in .* passed", output), output[-2000:]


def test_some_tests_take_a_sample():
    assert SAMPLED
