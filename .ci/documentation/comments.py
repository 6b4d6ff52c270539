"""Type-checks the examples in the documentation comments of the libraries.

An example is a part that is indented by four more spaces, below an empty line. It can use the names of `given.swift`, and
declare them again.
"""
import pathlib, re

from documentation import code
from support import modules

GIVEN = pathlib.Path(__file__).with_name("given.swift")
FOR_APPLE = re.compile(r"@State|\bSignInView\b|\bWebPages\b|\bSystemPasskeys\b")
# What the examples for Apple platforms use besides.
VIEWS = """
import SwiftUI
struct ProfileView: View {
  init(_ credential: Credential?) {}
  var body: some View { Text("") }
}
struct SignInPage: View { var body: some View { Text("") } }
nonisolated(unsafe) let credentials: CredentialModel = given()
nonisolated(unsafe) var reply: Reply = given()
nonisolated(unsafe) let window: ASPresentationAnchor = given()
"""


def examples(file):
    """The examples of public declarations of a source: the number of the first line, and the lines."""
    found, lines, first, is_after_empty = [], [], 0, False
    pending = []
    for number, line in enumerate(file.read_text().split("\n"), 1):
        comment = re.match(r" *///(?: (.*))?$", line)
        text = (comment[1] or "") if comment else None
        if text and text.startswith("    ") and (lines or is_after_empty):
            first = first if lines else number
            lines.append(text[4:])
        elif text == "" and lines:
            lines.append("")
        elif lines:
            pending.append((first, lines))
            lines = []
        if text is None and pending and not line.lstrip().startswith("@"):
            found += pending if re.match(r" *(public|@|case|static)", line) else []
            pending = []
        is_after_empty = text == ""
    return found


def source(found, is_apple):
    """One file for the Swift compiler, with a function for each example."""
    imports = [*modules.NAMES, "AuthenticationServices" if is_apple else "Testing"]
    text = [f"import {module}" for module in imports] + ["import Foundation", GIVEN.read_text()]
    if is_apple:
        text.append(VIEWS)
    for number, (path, first, lines) in enumerate(found):
        code_lines = [f'#sourceLocation(file: "{path}", line: {first})', *lines]
        is_test = lines[0].startswith("@Test")
        begin = f"struct Example{number}" if is_test else f"@MainActor func example{number}() async throws"
        text += [begin + " {", *code_lines, "}"]
    return "\n".join(text) + "\n"


def check():
    """How many examples there are, and what is wrong with them."""
    found = {True: [], False: []}
    for file in sorted((code.ROOT / "Sources").glob("*/IDX*/**/*.swift")):
        for first, lines in examples(file):
            # That is JSON.
            if not lines[0].startswith("{"):
                is_apple = bool(FOR_APPLE.search("\n".join(lines)))
                found[is_apple].append((file.relative_to(code.ROOT), first, lines))
    problems = []
    for is_apple, part in found.items():
        problems += code.compile_text(
            f"comments-{'apple' if is_apple else 'linux'}", source(part, is_apple), is_apple)
    return sum(map(len, found.values())), [line for line in problems if ": warning:" not in line]
