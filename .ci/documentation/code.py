"""Type-checks the Swift code of an article.

A block with the name of a file is that file of the article's package, which is built if the article has a
Package.swift; a later block with the same name replaces it. All other blocks of an article are checked
together, each inside the scope of the one before it, so that it can use its names and declare them again. A
block that cannot be in a function (an extension, a protocol, a test) stands at the top of the file.
"""
import re, subprocess

from support import build
from support.build import ROOT

WORK = ROOT / ".build/docs/code"
APPLE = ROOT / ".build/apple/macOS"
APPLE_MODULES = re.compile(r"^import (SwiftUI|AuthenticationServices)$", re.M)
# What a checked example may do: some values are there only to be shown.
ACCEPTED = re.compile(
    r"was never used|never mutated|never read|will never be executed|is unnecessary|no calls to throwing"
    r"|no 'async' operations")
TOP = re.compile(r"^(extension|@main|@Test|@Suite|protocol|public|nonisolated)\b", re.M)


def update_apple_modules():
    """Makes the modules and symbol graphs for Apple platforms again if a source is newer."""
    sources = [*(ROOT / "Sources").rglob("*.swift"), *(ROOT / "Tests/AppleModules").rglob("*.swift")]
    symbols = APPLE.with_name("symbols")
    if not symbols.is_dir() or symbols.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        subprocess.run([".ci/check-apple"], cwd=ROOT, check=True)


def at(document, line):
    return f'#sourceLocation(file: "{document.path}", line: {line})'


def given(document):
    """Declarations without bodies, made complete."""
    lines = []
    for number, line in document.given:
        if match := re.fullmatch(r"(let|var) (\w+): (.+)", line):
            line = f"nonisolated(unsafe) {match[1]} {match[2]}: {match[3]} = given()"
        elif line.startswith("func ") and not line.endswith("}"):
            line += " { fatalError() }"
        lines += [at(document, number), line]
    return lines


def source(document, blocks):
    """One file for the Swift compiler, with the lines of an article."""
    imports, top, nested = [], [], []
    for block in blocks:
        code = []
        for number, line in enumerate(block.lines, block.line):
            if re.match(r"(@testable )?import \w+", line):
                imports += [at(document, number), line]
                line = ""
            code.append(line)
        text = [at(document, block.line), *code]
        if TOP.search(block.text):
            top += text
        else:
            nested.append(text)
    declared = [line for _, line in document.given if line.startswith("import ")]
    rest = [line for line in given(document) if not line.startswith("import ")]
    body = [line for text in nested for line in ["do {", *text]] + ["}"] * len(nested)
    return "\n".join(
        imports + declared + ["import Foundation", "func given<T>() -> T { fatalError() }"] + rest + top
        + ["func article() async throws {", *body, "}", ""])


def compile_text(name, text, apple):
    """The compiler's errors, and the warnings that a reader would get too, for a text for Apple platforms or not."""
    WORK.mkdir(parents=True, exist_ok=True)
    if apple:
        text = re.sub(r"^import Foundation$", "import AppleFoundation", text, flags=re.M)
    file = WORK / f"{name}.swift"
    file.write_text(text)
    modules = APPLE if apple else build.folder() / "Modules"
    command = ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6",
               "-module-name", "Article", "-I", modules, "-I", "Sources/System/CLibcurl/include",
               "-module-cache-path", WORK / "cache", file]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    lines = re.findall(r"^(.+?:\d+:\d+: (?:error|warning): .+)$", run.stderr + run.stdout, re.M)
    found = [line for line in dict.fromkeys(lines) if ": error:" in line or not ACCEPTED.search(line)]
    if run.returncode != 0 and not found:
        found = [f"{name}: {run.stderr}{run.stdout}"]
    return [line.replace(f"{ROOT}/", "") for line in found]


def check(document):
    """What is wrong with the fragments of an article; its files are checked when its package is built."""
    blocks = [block for block in document.blocks if block.language == "swift"]
    fragments = [block for block in blocks if not block.file]
    if len(fragments) < len(blocks) and not any(block.file == "Package.swift" for block in blocks):
        return [f"{document.path}: It has files of Swift, but no Package.swift."]
    if not fragments:
        return []
    name = re.sub(r"\W", "_", str(document.path))
    text = source(document, fragments)
    return compile_text(name, text, APPLE_MODULES.search(text))
