"""The documentation: the README, the articles of all catalogs, and the documentation of all symbols.

`pytest -k "docs and README"` checks the documents with this name. With --update, transcripts that differ get what the
terminal showed: look at the changes.

How to write a block of a document:

  swift                 All blocks of an article are type-checked together; each can use the names of those before it. What
                        they use but do not declare is in a comment `<!-- given ... -->` at the top of the article.
  <!-- sample FILE -->  before a block: its lines are also in that file of Tests/SampleTests/Samples, which the tests run.
                        There, Task.sleep, coordinators and models move the clock of the org in place of waiting. Every
                        sample that signs in has such a file or a transcript, unless it needs a terminal, a network or
                        an Apple platform.
  a file                The sentence before the block says what to do and ends with the path, such as "Put this into
                        `Package.swift`:". The package of an article is built, and finds idx-flow in ../idx-flow.
  console               A transcript: lines that begin with "$ " are run at a terminal, what a person types there is typed,
                        and what the terminal shows is compared. Codes, keys, times and tokens need only the same form.
                        … stands for any text, and in a line of its own for any lines. `<!-- types A, B -->` before the
                        block names answers that the terminal does not show.
  sh                    Commands that need an org or the network: not run, but their options are checked.
  json, xml, python     JSON, a part of a property list, Python. `text` is not checked.

A table that begins with `| message |` quotes texts of the sources.
"""
import concurrent.futures
import pathlib
import shutil

import pytest

from documentation import code, comments, markdown, prose, samples, site, transcripts
from support import build
from support.commands import run

pytestmark = pytest.mark.slow
FILES = sorted(str(file.relative_to(build.ROOT)) for file in [
    build.ROOT / "README.md", *(build.ROOT / ".github").glob("*.md"), *build.ROOT.glob("Examples/*/README.md"),
    *build.ROOT.glob("Sources/**/*.docc/**/*.md")])


@pytest.fixture(scope="module", autouse=True)
def root():
    """Documents are named by their path in the project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(build.ROOT)
        yield


def read(name):
    return markdown.Document(pathlib.Path(name))


def expect_none(problems):
    assert not problems, "\n".join(["", *problems])


# MARK: Apple platforms, whose modules and symbols the examples and the site need

def test_code_for_apple_platforms_fits_stand_ins_for_the_modules_of_apple():
    run(".ci/check-apple")


@pytest.fixture(scope="module")
def apple_modules():
    code.update_apple_modules()


# MARK: Documents

@pytest.mark.parametrize("name", FILES)
def test_text_names_what_exists(debug_build, name):
    """Links, quoted messages, options, values, and blocks of JSON, property lists, Python and commands."""
    expect_none(prose.check(read(name)))


def test_measured_figure_is_in_one_article_only():
    expect_none(prose.check_figures([read(name) for name in FILES]))


@pytest.mark.parametrize("name", FILES)
def test_sample_is_a_part_of_its_file(name):
    expect_none(samples.check([read(name)], False))


def test_each_sample_is_in_a_document():
    expect_none(samples.check([read(name) for name in FILES], True))


@pytest.mark.parametrize("name", FILES)
def test_swift_code_compiles(debug_build, request, name):
    document = read(name)
    if any(code.APPLE_MODULES.search(block.text) for block in document.blocks):
        request.getfixturevalue("apple_modules")
    expect_none(code.check(document))


def test_examples_in_comments_compile(debug_build, apple_modules):
    count, problems = comments.check()
    expect_none(problems)
    assert count > 0


@pytest.fixture(scope="module")
def played(request, debug_build, pytestconfig):
    """Plays the transcripts of all chosen documents, and returns what differs in each."""
    chosen = [item.callspec.params["name"] for item in request.session.items
              if getattr(item, "originalname", "") == "test_transcripts_are_what_the_terminal_shows"]
    program = build.folder() / "idx-flow"
    for folder in transcripts.WORK.glob("*.*"):
        shutil.rmtree(folder)
    # Only one package at a time can be built in the folder. The commands of other documents wait most of the time, such
    # as for a push.
    with concurrent.futures.ThreadPoolExecutor(1) as builder, concurrent.futures.ThreadPoolExecutor(3) as players:
        plays = {}
        for name in chosen:
            document = read(name)
            pool = builder if document.has_package else players
            plays[name] = pool.submit(transcripts.check, document, program, pytestconfig.option.update)
        return {name: play.result() for name, play in plays.items()}


@pytest.mark.parametrize("name", FILES)
def test_transcripts_are_what_the_terminal_shows(played, name):
    """The package of a tutorial is built too."""
    expect_none(played[name])


# MARK: The site

def test_symbols_are_documented_and_links_lead_to_pages(debug_build, apple_modules):
    """Builds the site, with warnings as errors."""
    run(".ci/build-docs")
    expect_none(site.check(build.ROOT / ".build/docs"))
