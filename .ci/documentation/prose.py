"""Checks the texts of documents: links, quoted messages, names in code voice, JSON and shell commands."""
import functools, json, os, pathlib, re, subprocess
import xml.etree.ElementTree as xml

from support import build

from . import links

# Settings of nginx are checked by test_web_servers.py, which starts nginx with them.
LANGUAGES = {"swift", "json", "xml", "sh", "console", "text", "python", "nginx"}
# Names that the texts about the command use, and that belong to other programs or are examples.
FOREIGN = {"--static-swift-stdlib", "--disable-local-rpath", "--name", "TZ"}
README_LINES = 170
# To try it, and for those who check or change it; nobody has to run both.
README_COMMANDS = ["swift run idx-flow signin --demo\n", "swift test\n"]


@functools.cache
def sources():
    """All Swift sources without comments."""
    files = [*pathlib.Path("Sources").rglob("*.swift"), pathlib.Path("Package.swift")]
    return "\n".join(re.sub(r"^ *//.*$", "", file.read_text(), flags=re.M) for file in files)


@functools.cache
def messages():
    """The string literals of the sources, in which values are written as …."""
    text = re.sub(r'"\s*\+\s*"', "", sources())
    for _ in range(3):
        text = re.sub(r"\\\([^()]*\)|(?<=\w)\([^()\n]*\)(?=[^\n]*\\?\))|\{\w+\}", "…", text)
    literals = re.findall(r'"""\n(.*?)"""|"([^"\n]*)"', text, re.S)
    return [" ".join(re.sub(r"\\\n", "", "".join(pair)).split()) for pair in literals]


@functools.cache
def words():
    """The words of the sources: names and values."""
    return set(re.findall(r"[\w.-]*\w", sources())) | set(re.findall(r"\w+", sources()))


@functools.cache
def program():
    return build.folder() / "idx-flow"


@functools.cache
def options():
    """The options of all commands, as their help lists them."""
    overview = subprocess.run([program(), "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z]+)  ", overview, re.M)
    texts = [subprocess.run([program(), name, "--help"], capture_output=True, text=True).stdout for name in names]
    return set(re.findall(r"--[a-z][a-z-]*", " ".join(texts)))


def check_shell(document, block):
    """A shell reads the commands, and `idx-flow` knows their options. They are not run: they need an org."""
    run = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
    if run.returncode:
        document.problem(block.line, run.stderr.strip())
    commands = block.text.replace("\\\n", " ")
    begin = r"(?:^|[|;&(`]|\bswift run|\b(?:if|then|else|do|until|while)\b|\b[A-Z_]+=\S*) *idx-flow"
    for match in re.finditer(begin + r"((?: +(?!--(?: |$))[^\s|;&<>()#]+)+)", commands, re.M):
        arguments = [word.strip("'\"") for word in match[1].split()]
        if arguments[0] == "exec" and not commands[match.end():].lstrip(" ").startswith("-- "):
            document.problem(block.line, "Write -- before the program of exec.")
            continue
        run = subprocess.run(
            [program(), *arguments, "--no-such-option"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env=os.environ | {"HOME": "/nonexistent", "IDX_FLOW_STORE": "file"})
        if "--no-such-option" not in run.stderr:
            document.problem(block.line, f"idx-flow{match[1]}\n    {run.stderr.strip()}")


def check_blocks(document):
    for block in document.blocks:
        if block.language and block.language not in LANGUAGES:
            document.problem(block.line, f"{block.language} is not a language that is checked.")
        try:
            if block.language == "json":
                json.loads(block.text)
            if block.language == "python":
                compile(block.text, str(document.path), "exec")
            if block.language == "xml":
                # A part of a property list, or a whole one.
                xml.fromstring("<block>" + re.sub(r"<[?!][^>]*>", "", block.text) + "</block>")
        except Exception as error:
            document.problem(block.line, f"This cannot be read: {error}")
        if block.language == "sh":
            check_shell(document, block)


def check_messages(document):
    """The messages in a table that begins with `| message |` are messages of the sources."""
    inside = False
    for number, line in enumerate(document.lines, 1):
        inside = line.startswith("| message |") or inside and line.startswith("|")
        if not inside or line.startswith(("| message |", "| ---")):
            continue
        message = line.split("|")[1].strip().replace("`", "")
        parts = [re.escape(part.strip()) for part in message.strip("…").split("…")]
        pattern = re.compile(".*".join(parts))
        if not any(pattern.search(literal) for literal in messages()):
            document.problem(number, f"This is no message: {message}")


def check_names(document):
    """In code voice, the texts about the command name only options and values that exist."""
    if document.path.parent.name != "idx-flow.docc" and str(document.path) != "README.md":
        return
    for number, line in document.prose:
        for span in re.findall(r"`([^`]+)`", line):
            option = re.match(r"--[a-z][a-z-]*", span)
            if option and option[0] not in options() | FOREIGN:
                document.problem(number, f"There is no option {option[0]}.")
        cell = re.match(r"\| `([\w.-]+)` \|", line)
        if cell and not cell[1].isdigit() and cell[1] not in words() | FOREIGN:
            document.problem(number, f"The sources do not contain {cell[1]}.")


def check_figures(documents):
    """A measured time or size stands in one article only, so that two cannot differ."""
    homes = {}
    for document in documents:
        if document.path.parent.suffix != ".docc":
            continue
        for number, line in document.prose:
            for figure in re.findall(r"\b\d[\d.,]* (?:µs|ms|KiB)(?!\w)", line):
                home = homes.setdefault(figure, document.path)
                if home != document.path:
                    document.problem(number, f"{figure} is also in {home}: leave it in one, and link to that.")
    return [problem for document in documents for problem in document.problems]


def check_readme(document):
    """The README is short, and has its two commands, each in a block of its own."""
    if len(document.lines) - 1 > README_LINES:
        document.problem(README_LINES, f"The README has more than {README_LINES} lines.")
    texts = [block.text for block in document.blocks if block.language == "sh"]
    for command in README_COMMANDS:
        if command not in texts:
            document.problem(1, f"No block of the README has this command alone: {command.strip()}")


def check(document):
    """What is wrong with the text of a document."""
    document.check_links()
    links.check(document)
    check_blocks(document)
    check_messages(document)
    check_names(document)
    if str(document.path) == "README.md":
        check_readme(document)
    return document.problems
