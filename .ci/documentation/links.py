"""Turns the links of articles into links of DocC.

Articles link as files do, so that a forge such as GitHub can follow the links: `[Language](SignIn.md#language)`. DocC
would leave these links as they are, and no page of the site has such an address.
"""
import re, shutil, sys

from .markdown import Document

# The end of a link to an article, or to a heading of the same one.
LINK = re.compile(r"\]\(([^)\s:#]+\.md(?:#[^)\s]+)?|#[^)\s]+)\)")
# A link to the page of a library, with its name.
MODULE = re.compile(r"\[(IDX\w*)\]\((?:[^()\s]*/)?\1\.md\)")
COMMAND = re.compile(r"^`idx-flow\s([a-z]+)\s--help`$")
# In its articles, the help of a command that they name becomes a link.
COMMANDS = "idx-flow.docc"


def catalog(article):
    return next((folder for folder in article.parents if folder.suffix == ".docc"), None)


def address(document, link):
    """The address in DocC of what a link of a document leads to."""
    path, _, anchor = link.partition("#")
    target = Document((document.path.parent / path).resolve()) if path else document
    home, name = catalog(target.path), target.path.stem if path else ""
    if not home:
        sys.exit(f"{document.path}: {path} is not an article, so the site has no page for it.")
    if path and (name == home.stem or home != catalog(document.path)):
        name = f"/documentation/{home.stem}" + (f"/{name}" if name != home.stem else "")
    if anchor:
        heading = target.headings[target.anchors().index(anchor)]
        # DocC keeps the letters as they are.
        anchor = "#" + re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
    return f"doc:{name}{anchor}"


def converted(document):
    """The text of a document with links of DocC, also to the pages of commands whose help it names."""
    # Every second part is code.
    parts = re.split(r"(^```.*?^```$|`[^`]*`)", "\n".join(document.lines), flags=re.M | re.S)
    # A link to the address would lead to the page of what a catalog extends in that module, if there is one.
    parts[::2] = [MODULE.sub(r"``/\1``", part) for part in parts[::2]]
    parts[::2] = [LINK.sub(lambda match: f"]({address(document, match[1])})", part) for part in parts[::2]]
    if document.path.parent.name == COMMANDS:
        parts[1::2] = [COMMAND.sub(r"[\g<0>](doc:idx-flow-\1)", part) for part in parts[1::2]]
    return "".join(parts)


def copy(source, folder):
    """Copies a catalog into a folder, with links of DocC."""
    place = folder / source.name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source, place)
    for article in source.rglob("*.md"):
        document = Document(article.resolve())
        document.check_links()
        if document.problems:
            sys.exit("\n".join(document.problems))
        (place / article.relative_to(source)).write_text(converted(document))
    return place


def check(document):
    """Notes links of DocC to articles: a forge shows the articles of all catalogs too, and would show only a name."""
    if not catalog(document.path):
        return
    for number, line in document.prose:
        if re.search(r"<doc:|\]\(doc:", re.sub(r"`[^`]*`", "", line)):
            document.problem(number, "A forge cannot follow this link. Write it as [Language](SignIn.md#language).")
