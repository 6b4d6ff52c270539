"""Some tests of Swift take a sample of many cases of the same kind, so that `swift test` is fast. Here they take all."""
import re

import pytest

from support import build


def sampling():
    """The suites with a test that takes a sample, as a filter names them."""
    for file in sorted((build.ROOT / "Tests").rglob("*Tests.swift")):
        module = file.relative_to(build.ROOT / "Tests").parts[0]
        parts = re.split(r"\bstruct (\w+Tests)\b", file.read_text())
        yield from (f"{module}.{name}" for name, body in zip(parts[1::2], parts[2::2]) if ".sample(every:" in body)


SUITES = list(sampling())


def test_some_suites_take_a_sample():
    assert SUITES


@pytest.mark.parametrize("suite", SUITES)
def test_all_cases(swift_test, suite):
    output = swift_test(f"^{suite}/", IDX_FLOW_TESTS="all")
    assert re.search(r"Test run with [1-9]\d* tests? in .* passed", output), output[-2000:]
