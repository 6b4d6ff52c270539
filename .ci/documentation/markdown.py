"""Reads Markdown: code blocks, links and headings.

A block is a file if the sentence before it says what to do with it and ends with the name in code voice and a
colon, such as "Save this as `answers.json`:". A comment `<!-- given ... -->` declares what the examples of an article use but
do not declare themselves, `<!-- types A, B -->` names the hidden answers of the next transcript, and
`<!-- sample FILE -->` the file of the tests that contains the next block.
"""
import dataclasses, pathlib, re

FILE = re.compile(r"\b(?:[Pp]ut|[Ss]ave|[Rr]eplace|[Ww]rite|[Aa]dd|[Cc]reate|[Cc]hange)\b[^.]*`([\w~./-]+)`:$")


@dataclasses.dataclass
class Block:
    language: str
    lines: list
    # The number of the first line of code, counted from 1.
    line: int
    file: str | None
    hidden_answers: list
    # The path of the file of Tests/SampleTests that contains the block.
    sample: str | None

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


class Document:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.lines = self.path.read_text().split("\n")
        self.blocks, self.given, self.links, self.headings, self.prose = [], [], [], [], []
        self.problems = []
        self._read()

    @property
    def has_package(self):
        """Whether the document shows a package of its own."""
        return any(block.file == "Package.swift" for block in self.blocks)

    def problem(self, line, message):
        self.problems.append(f"{self.path}:{line}: {message}")

    def _read(self):
        fence, comment, paragraph, answers, sample, opened = None, None, [], [], None, 0
        for number, line in enumerate(self.lines, 1):
            if comment is not None:
                if line.strip() == "-->":
                    comment = None
                else:
                    comment.append((number, line))
            elif fence is not None:
                if line.strip() == "```":
                    self.blocks.append(fence)
                    fence, paragraph, answers, sample = None, [], [], None
                else:
                    fence.lines.append(line)
            elif match := re.fullmatch(r"<!-- types (.+) -->", line):
                answers = match[1].split(", ")
            elif match := re.fullmatch(r"<!-- sample (\S+) -->", line):
                sample = match[1]
            elif line == "<!-- given":
                comment = self.given
            elif match := re.fullmatch(r"```(\w*)", line):
                name = FILE.search(" ".join(paragraph))
                fence = Block(match[1], [], number + 1, name[1] if name else None, answers, sample)
                opened = number
                if not match[1]:
                    self.problem(number, "A code block needs a language; use text for other texts.")
            elif line.lstrip().startswith("```"):
                self.problem(number, "A code block begins in the first column, with one word as its language.")
            else:
                if match := re.fullmatch(r"(#+) (.+)", line):
                    self.headings.append(match[2])
                    paragraph = []
                elif not line.strip():
                    # The sentence before a block may be separated from it by an empty line.
                    paragraph = paragraph if paragraph and paragraph[-1].endswith(":") else []
                else:
                    paragraph.append(line.strip())
                self.prose.append((number, line))
        if fence is not None:
            self.problem(opened, "This code block does not end.")
        if comment is not None:
            self.problem(len(self.lines), "A comment does not end.")
        # A link may continue on the next line.
        text = "\n".join(f"{line} \0{number}\0" for number, line in self.prose)
        text = re.sub(r"`[^`\n]*`", "", text)
        # docc checks pictures, whose names have no extension.
        text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
        for match in re.finditer(r"\]\(\s*([^)\s\0]+)[^)]*\)", text):
            number = re.compile(r"\0(\d+)\0").search(text, match.start())
            self.links.append((int(number[1]), match[1]))

    def anchors(self):
        """The names by which GitHub links to the headings."""
        found = []
        for heading in self.headings:
            plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
            found.append(plain)
        return [
            name if name not in found[:place] else f"{name}-{found[:place].count(name)}"
            for place, name in enumerate(found)]

    def check_links(self):
        """Notes links to files and headings that do not exist; docc checks the links of its own kind."""
        for line, link in self.links:
            if re.match(r"https://[\w.-]+(/|$)", link) or link.startswith("doc:"):
                continue
            path, _, anchor = link.partition("#")
            target = (self.path.parent / path).resolve() if path else self.path.resolve()
            if not target.exists():
                self.problem(line, f"There is no {link}.")
            elif anchor and anchor not in Document(target).anchors():
                self.problem(line, f"{path or 'This file'} has no heading #{anchor}.")
