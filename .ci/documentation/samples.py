"""Checks that the samples of documents are those that the tests run.

A block below a comment `<!-- sample FILE -->` is a part of the file, which may be indented there.
"""
import pathlib, textwrap

FOLDER = pathlib.Path("Tests/SampleTests/Samples")


def contains(lines, part):
    """Whether lines contain others, one after the other, with an indentation that is the same for all of them."""
    for start in range(len(lines) - len(part) + 1):
        if textwrap.dedent("\n".join(lines[start:start + len(part)])).split("\n") == part:
            return True
    return False


def check(documents, is_all):
    """The blocks that their file does not contain, and, with all documents, the files that no document shows."""
    problems, shown = [], set()
    for document in documents:
        for block in document.blocks:
            if not block.sample:
                continue
            file = FOLDER / block.sample
            shown.add(file)
            if not file.is_file():
                problems.append(f"{document.path}:{block.line}: There is no {file}.")
            elif not contains(file.read_text().split("\n"), block.lines):
                problems.append(f"{document.path}:{block.line}: These lines are not in {file}.")
    unused = sorted(set(FOLDER.glob("*.swift")) - shown) if is_all else []
    return problems + [f"{file}: No document shows it." for file in unused]
