"""Checks the built documentation: public symbols are documented and in a topic group, and links lead to pages."""
import json, pathlib, re

# A type with more members than this groups them in its documentation comment; DocC groups fewer by their kind. Values,
# such as the known names of a set, need no group.
MEMBERS = 30
VALUES = {"Type Properties", "Enumeration Cases"}


def undocumented(symbols):
    """The public symbols without documentation, in the symbol graphs of all modules."""
    for graph in sorted(symbols.rglob("*.symbols.json")):
        for symbol in json.loads(graph.read_text())["symbols"]:
            # The extension of a type of another module has no documentation of its own; its members have.
            if "docComment" not in symbol and symbol["kind"]["identifier"] != "swift.extension":
                yield f"{graph.parent.name}: {'.'.join(symbol['pathComponents'])} has no documentation."


def undocumented_lines(sources):
    """The public declarations without a comment above them, also those that only Apple platforms compile."""
    for file in sorted(sources.glob("*/IDX*/**/*.swift")):
        lines = file.read_text().split("\n")
        for number, line in enumerate(lines):
            # A condition of the compiler, an attribute or a modifier may stand between.
            if not re.match(r" *public (?!import |extension )", line):
                continue
            above = number - 1
            while above >= 0 and re.match(r" *(@\w|#if|#else|\))", lines[above]):
                above -= 1
            if not lines[above].lstrip().startswith("///"):
                yield f"{file}:{number + 1}: no documentation: {line.strip()}"


def ungrouped(archives):
    """The symbols that a page with many, or the page of a module, leaves to the groups that DocC makes."""
    for archive in sorted(archives.glob("*.doccarchive")):
        for file in sorted((archive / "data/documentation").rglob("*.json")):
            page = json.loads(file.read_text())
            groups = [group for group in page.get("topicSections", [])
                      if not (group.get("generated") and group["title"] in VALUES)]
            made = [name for group in groups if group.get("generated") for name in group["identifiers"]]
            count = sum(len(group["identifiers"]) for group in groups)
            isModule = page["metadata"].get("role") == "collection" and file.parent.name == "documentation"
            if made and (isModule or count > MEMBERS):
                names = ", ".join(name.rpartition("/")[2] for name in made)
                yield f"{page['identifier']['url']}: not in a topic group: {names}"


def without_page(archives):
    """The links of pages that are neither to a page of the site nor to another site."""
    for file in sorted(archives.glob("*.doccarchive/data/documentation/**/*.json")):
        page = json.loads(file.read_text())
        for name, reference in page["references"].items():
            if reference["type"] == "link" and not re.match(r"https?://", reference["url"]):
                yield f"{page['identifier']['url']}: the site has no page {name}."


def check(folder):
    folder = pathlib.Path(folder)
    return [*undocumented(folder / "symbols"), *undocumented_lines(pathlib.Path("Sources")),
            *ungrouped(folder / "archives"), *without_page(folder / "archives")]
