"""Twice the input takes at most three times the work, for each parser of untrusted bytes, with the cases of Tests/Growth.

First the time of the processor is measured. Where it grows faster than expected three times, valgrind counts the
instructions, and only that decides: the result does not depend on the machine's speed or load.
"""
import pathlib
import re
import subprocess

import pytest

from support import build, commands, environment, modules

pytestmark = [pytest.mark.slow, pytest.mark.promise("recording-addresses", "response-limits")]
# How much the work may grow, and from which growth of the time on it is counted: the time of linear work can be a
# little more than twice as long.
LIMIT, SUSPECT = 3, 2.5
PARSERS = sorted(name for file in (build.ROOT / "Tests/Fuzzing").glob("*Target*.swift")
                 for name in re.findall(r'= FuzzTarget\(\s*name: "([\w-]+)"', file.read_text()))


@pytest.fixture(scope="module")
def program(debug_build, tmp_path_factory):
    """Links the cases with the modules of the debug build, to which @testable gives access."""
    environment.install({"valgrind": "valgrind"})
    # SwiftPM keeps the objects of files that are gone. The files of IDXPages need code that SwiftPM makes of its style.
    objects = [file for module in debug_build.glob("*.build")
               if re.fullmatch("(IDX(?!Pages)[A-Za-z]*|CLibcurl)[.]build", module.name)
               for names in [{f"{source.name}.o" for source in modules.files(module.stem)}]
               for file in module.rglob("*.o") if file.name in names]
    sources = [*build.ROOT.glob("Tests/Fuzzing/*Target*.swift"), *build.ROOT.glob("Tests/Growth/*.swift"),
               build.ROOT / "Sources/Testing/idx-benchmark/Sink.swift",
               build.ROOT / "Sources/idx-flow/Inspect/ResponseSummary.swift"]
    # SwiftPM names a package after its folder.
    package = re.sub(r"\W", "_", build.ROOT.name.lower())
    file = tmp_path_factory.mktemp("growth") / "checks"
    commands.run(
        "swiftc", "-enable-testing", "-parse-as-library", "-swift-version", "6", "-package-name", package,
        "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault",
        "-I", debug_build / "Modules", "-I", "Sources/System/CLibcurl/include", "-module-name", "Checks",
        # valgrind cannot read the newest debug information.
        "-Xlinker", "--strip-debug", "-o", file, *sources, *objects, cwd=build.ROOT)
    return file


def run(*command):
    """The rows that the program prints: the parser and what grows, the size, and the work for it, twice and four times.
    """
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {f"{parser}\t{name}": [int(number) for number in work] for parser, name, _, *work in rows}


def count(program, name, folder):
    """The instructions for the inputs of one case."""
    # A count is written before each call of the marking function: one for each run, and one between.
    names = list(run("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--dump-line=no",
                     "--dump-before=*growthMark*", program, "count", name))
    counts = {}
    for file in pathlib.Path(folder).glob("out.*"):
        text = file.read_text()
        counts[int(re.search(r"^part: (\d+)", text, re.M)[1])] = int(re.search(r"^totals: (\d+)", text, re.M)[1])
        file.unlink()
    runs = [counts[part] for part in sorted(counts) if part % 2 == 0]
    # Other cases may contain the same words.
    return runs[3 * names.index(name):][:3]


def growth(work):
    return max(work[1] / work[0], work[2] / work[1])


@pytest.mark.parametrize("parser", PARSERS)
def test_work_grows_with_the_input(program, parser, tmp_path):
    timed = run(program, "time", f"{parser}\t")
    assert timed, "There is no case."
    suspects = [name for name in timed if growth(timed[name]) > SUSPECT]
    # Other programs can disturb a measurement, but hardly three times in a row.
    for _ in range(2):
        suspects = [name for name in suspects if growth(run(program, "time", name)[name]) > SUSPECT]
    counted = {name: count(program, name, tmp_path) for name in suspects}
    assert not [name for name in counted if growth(counted[name]) > LIMIT], (
        f"Instructions for a size, twice and four times: {counted}")
