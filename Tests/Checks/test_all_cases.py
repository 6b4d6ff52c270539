"""Some tests of Swift run some of many similar cases, so that `swift test` is fast. Here they run all of them."""
import re

import pytest

from support import build

CALL = ".sample(every:"
FILES = {file: file.read_text() for file in sorted((build.ROOT / "Tests").rglob("*.swift"))
         if file.name not in ("Sample.swift", "ExpectationTests.swift")}


def sampled_suites():
    """The suites with tests that take a sample, as a filter names them, and how often each does."""
    for file, text in FILES.items():
        module = file.relative_to(build.ROOT / "Tests").parts[0]
        parts = re.split(r"\bstruct (\w+Tests)\b", text)
        yield from ((f"{module}.{name}", body.count(CALL)) for name, body in zip(parts[1::2], parts[2::2])
                    if CALL in body)


SUITES = dict(sampled_suites())


def test_every_sample_is_in_a_suite():
    assert SUITES and sum(SUITES.values()) == sum(text.count(CALL) for text in FILES.values())


@pytest.mark.parametrize("suite", SUITES)
def test_all_cases(swift_test, suite):
    output = swift_test(f"^{suite}/", IDX_FLOW_TESTS="all")
    assert re.search(r"Test run with [1-9]\d* tests?\b.* passed", output), output[-2000:]
