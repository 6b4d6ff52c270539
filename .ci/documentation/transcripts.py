"""Plays the transcripts of a document, and compares what is on the screen with what the document shows.

A block of the language `console` is a transcript: a line that begins with "$ " is a command, and the lines
below it are what the terminal shows, with what a person types after a question. An answer that is not shown is
one of the hidden answers of the block, or the password that the demo named. A line "…" stands for any lines,
and … within a line for any text. Values that differ from run to run, such as codes, keys and times, must only
have the same form.

The commands of a document run one after the other in one folder, as a person who has just the files that the
document names. `idx-flow` and `swift run idx-flow` are the program that was built before.
"""
import itertools, os, pathlib, re, shutil, time

import pyte

from support.build import LOCK, SHARED, build, forget, lock
from support.terminal import Terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build/docs/packages"
# The size that a program gets. What has left the window can still be compared.
WIDTH, ROWS, HEIGHT = 110, 50, 400
# A command may have to wait until other builds in the folder are done.
SECONDS = 1200
# An option of the command would build the modules of the root again.
WARNINGS_AS_ERRORS = """
for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-warnings-as-errors"])]
}
"""

# What may differ from run to run. Each is replaced by a value of the same form.
VARIABLE = [
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\dZ?", "2026-01-01 00:00:00"),
    (r"\b\d{4}-\d\d-\d\d\b", "2026-01-01"),
    (r"\b\d{10}\b(?!\d)", "1700000000"),
    (r"\b00u\w{17}\b", "00u00000000000000000"),
    (r"\b[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,7}\b", "AAAA AAAA AAAA AAAA"),
    (r"\b[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}\b", "BBBB-BBBB"),
    (r"(?<=secret=)[A-Z2-7]+", "AAAAAAAAAAAAAAAA"),
    (r"\b[A-Z2-7]{16,}\b", "AAAAAAAAAAAAAAAA"),
    (r"\beyJ[\w-]+\.[\w-]+\.[\w-]+", "eyJ.eyJ.AAA"),
    (r"\b\d{6}\b", "000000"),
    (r"(?<=Choose )\d\d(?= in )", "00"),
    (r"(?<=wait )\d+(?= s\b)|\b\d+(?= (?:ms|min left)\b)", "0"),
    (r"(?<=after )\d+\.\d+ seconds", "0 seconds"),
    (r"(?<=request )[\w-]{20}(?![\w-])", "A" * 20),
    (r'(?<="request_id": ")[\w-]{20}(?=")', "A" * 20),
    (r"^[ █]+$", "    ██"),
]


def normal(line):
    for pattern, value in VARIABLE:
        line = re.sub(pattern, value, line)
    return line.rstrip()


def same_values(expected, shown):
    """What stands on the screen in place of the variable values of a transcript."""
    found = {}
    for pattern, _ in VARIABLE:
        values = [[match.group() for match in re.finditer(pattern, text, re.M)] for text in (expected, shown)]
        if len(values[0]) == len(values[1]):
            found.update(zip(*values))
    return found


def matches(expected, shown):
    """Whether the lines of a transcript are those of a screen."""
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in normal(line).split("…")) + r"\n"
    return re.fullmatch(pattern, "".join(normal(line) + "\n" for line in shown)) is not None


class Stuck(Exception):
    """A command that did not reach its end: the lines of the screen, and why."""


class Window:
    """A command at a terminal, whose lines are all kept."""

    def __init__(self, command, folder, environment):
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self.stream = pyte.Stream(self.screen)
        self.terminal = Terminal(["/bin/bash", "-c", command], environment, folder, ROWS, WIDTH)

    def read(self, seconds):
        """Reads what the command writes; false if it wrote nothing in this time, None at its end."""
        size = len(self.terminal.shown)
        is_new = self.terminal.read(seconds)
        self.stream.feed(self.terminal.shown[size:])
        return None if self.terminal.ended else is_new

    def lines(self):
        """What the screen shows, without the empty lines at its end."""
        shown = [line.rstrip() for line in self.screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def question(self):
        """The row of the cursor and its line, if the line can be a question."""
        row = self.screen.cursor.y
        line = self.screen.display[row][: self.screen.cursor.x]
        return (row, line.rstrip()) if re.search(r"[:?\]] ?$", line.rstrip()) else None


def play(command, expected, hidden, folder, environment):
    """Runs one command and answers its questions as the transcript does. Returns the lines of the screen."""
    window = Window(command, folder, environment)
    deadline = time.monotonic() + SECONDS
    hidden, answered = list(hidden), set()
    with window.terminal:
        while (state := window.read(0.3)) is not None:
            if time.monotonic() > deadline:
                raise Stuck(window.lines(), f"The command did not end within {SECONDS} s.")
            question = window.question()
            if state or not question or question in answered:
                continue
            row, line = question
            if row >= len(expected) or not matches([line], [expected[row][: len(line)]]):
                raise Stuck(window.lines(), "The transcript has no answer to this.")
            answer = expected[row][len(line):].strip()
            # A hidden answer leaves a trace.
            if not answer.strip("•"):
                password = re.search(r"(?:the password|das Passwort) (\S+)", "\n".join(expected))
                answer = hidden.pop(0) if hidden else password[1] if password else ""
            # A value that the transcript shows is typed as this run shows it.
            shown = same_values("\n".join(expected[:row]), "\n".join(window.lines()[:row]))
            answered.add(question)
            window.terminal.enter(shown.get(answer, answer))
        window.terminal.wait(10)
        return window.lines()


def split(block):
    """The commands of a transcript, each with the lines that follow it: (command, number of its line, lines)."""
    if not block.lines or not block.lines[0].startswith("$ "):
        return None
    commands = []
    for number, line in enumerate(block.lines):
        if line.startswith("$ "):
            commands.append([line[2:], number, []])
        elif commands and commands[-1][0].endswith("\\") and not commands[-1][2]:
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][2].append(line)
    return commands


class Place:
    """The folder, the home and the programs of the person who follows a document."""

    def __init__(self, document, program):
        self.document = document
        # As long as /home/ada, so that lines break at the same words.
        for number in itertools.count(os.getpid()):
            self.home = pathlib.Path(f"/tmp/i{number % 1000:03d}")
            try:
                self.home.mkdir(mode=0o700)
                break
            except FileExistsError:
                if number > os.getpid() + 1000:
                    raise
        self.name = document.path.stem
        self.folder = WORK / f"{document.path.parent.name}.{self.name}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        programs = self.home / "bin"
        programs.mkdir()
        self._program(programs / "idx-flow", f'exec "{program}" "$@"')
        swift = shutil.which("swift")
        self._program(programs / "swift", f"""
if [ "$1 $2" = "run idx-flow" ]; then shift 2; exec "{program}" "$@"; fi
if [ "$1" = run ]; then shift; set -- run -q "$@"; fi
command=$1; shift
exec flock "{LOCK}" "{swift}" "$command" {" ".join(SHARED)} "$@"
""")
        self.environment = {
            "HOME": str(self.home), "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "NO_COLOR": "1", "TZ": "UTC", "SHELL": "/bin/bash"}

    def _program(self, path, text):
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def write(self, block):
        """Saves a block that has the name of a file."""
        name = block.file.replace("~", str(self.home))
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # The name of a package's folder is a part of its modules, so a folder with another name would build them again.
        text = block.text.replace('path: "../idx-flow"', f'path: "{ROOT}"')
        path.write_text(text + WARNINGS_AS_ERRORS if path.name == "Package.swift" else text)

    def shown(self, line):
        """A line of the screen as a document shows it: with the home of Ada."""
        return line.replace(str(self.home), "/home/ada").replace(str(self.folder), f"/home/ada/{self.name}")

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)


def check(document, program, update=False):
    """Plays all transcripts of a document with the program, and returns what differs."""
    blocks = [block for block in document.blocks if block.language == "console" or block.file]
    if not blocks:
        return []
    problems, differences, changes = [], [], []
    place = Place(document, program)
    try:
        for block in blocks:
            if block.file:
                place.write(block)
                continue
            commands = split(block)
            if commands is None:
                problems.append(f'{document.path}:{block.line}: A transcript begins with "$ ".')
            for command, number, expected in commands or []:
                while expected and not expected[-1]:
                    expected.pop()
                reason = ""
                try:
                    lines = play(command, expected, block.hidden_answers, place.folder, place.environment)
                except Stuck as stuck:
                    lines, reason = stuck.args
                lines = [place.shown(line) for line in lines]
                if reason or not matches(expected, lines):
                    found = problems if reason else differences
                    found.append("\n".join(
                        [f"{document.path}:{block.line + number}: {command}"]
                        + [f"    expected: {line}" for line in expected]
                        + [f"    shown:    {line}" for line in lines] + [f"    {reason}"] * bool(reason)))
                    if not reason:
                        changes.append((block.line + number + command.count("\n"), len(expected), lines))
        if document.has_package:
            done = build(place.folder, "--build-tests", check=False, capture_output=True, text=True)
            if done.returncode != 0:
                problems.append(
                    f"{document.path}: its package does not build without warnings\n{done.stdout}{done.stderr}")
    finally:
        if document.has_package:
            with lock():
                forget()
        place.close()
    if update and changes:
        lines = list(document.lines)
        for start, count, shown in reversed(changes):
            lines[start:start + count] = shown
        document.path.write_text("\n".join(lines))
        print(f"{document.path}: {len(changes)} transcripts were changed", flush=True)
    return problems + ([] if update else differences)
