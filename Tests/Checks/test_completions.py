"""Completions of command lines in bash, zsh and fish, with the Tab key at a terminal, and the manual page."""
import re
import subprocess

import pytest

from support import environment
from support.home import Home, LOGIN, PASSWORD
from support.terminal import plain

# What is typed before the Tab key, and the completed line.
LINES = [
    ("idx-flow sta", "idx-flow status"),
    ("idx-flow logi", "idx-flow login"),
    ("idx-flow signin --redi", "idx-flow signin --redirect-uri"),
    ("idx-flow signin --flow cla", "idx-flow signin --flow classic"),
    ("idx-flow signin --flow=cla", "idx-flow signin --flow=classic"),
    ("idx-flow signin --first-factor otp,pu", "idx-flow signin --first-factor otp,push"),
    ("idx-flow signin --demo push-nu", "idx-flow signin --demo push-number"),
    ("idx-flow token --demo --user ad", "idx-flow token --demo --user ada@example.com"),
    ("idx-flow token --demo --user ada@ex", "idx-flow token --demo --user ada@example.com"),
    ("idx-flow use --demo ada@", "idx-flow use --demo ada@example.com"),
    ("idx-flow signin --script answ", "idx-flow signin --script answers.json"),
    ("idx-flow signin --script=answ", "idx-flow signin --script=answers.json"),
    ("idx-flow inspect --format json answ", "idx-flow inspect --format json answers.json"),
    ("idx-flow completion fi", "idx-flow completion fish"),
    ("idx-flow help exi", "idx-flow help exit-status"),
    # Not finished with a space at a word that is the beginning of others.
    ("idx-flow signin --demo pus\t-n", "idx-flow signin --demo push-number"),
    ("idx-flow signin --demo=pus\t-n", "idx-flow signin --demo=push-number"),
]
# What is typed before several Tab keys, and words that the shell then lists. Bash lists them at the second key
# that adds nothing.
LISTS = [
    ("idx-flow signin --demo pus", ["push", "push-number", "push-timeout"]),
    ("idx-flow sign", ["signin", "signout"]),
]
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             ["bind 'set enable-bracketed-paste off'", "source <(idx-flow completion bash)"]),
    "zsh": (["zsh", "-f", "-i"],
            ["unsetopt zle_bracketed_paste prompt_sp", "PS1='$ '", "autoload -U compinit && compinit -u",
             "bindkey -e", "source <(idx-flow completion zsh)"]),
    # As a file in a folder of fpath.
    "zsh with fpath": (["zsh", "-f", "-i"],
                       ["unsetopt zle_bracketed_paste prompt_sp", "PS1='$ '",
                        "mkdir -p functions; idx-flow completion zsh > functions/_idx-flow",
                        "fpath=($PWD/functions $fpath)", "autoload -U compinit && compinit -u",
                        "bindkey -e"]),
    "fish": (["fish", "--no-config", "-i"],
             ["function fish_prompt; echo -n '$ '; end", "set -g fish_autosuggestion_enabled 0",
              "idx-flow completion fish | source"]),
}
# A shell on a busy computer may need longer until it has reacted to a key.
PAUSES = (0.4, 1.5, 5)


@pytest.fixture(scope="module", params=SHELLS)
def shell(request, idx_flow, tmp_path_factory):
    """A shell that completes the command, in the folder of a person who is signed in to the demo."""
    environment.install({"zsh": "zsh", "fish": "fish"})
    command, preparation = SHELLS[request.param]
    folder = tmp_path_factory.mktemp("home")
    # Fish draws lists only at a terminal that can move the cursor.
    home = Home(folder, PATH=f"{folder}:/usr/bin:/bin", PS1="$ ", ZDOTDIR=str(folder), fish_features="no-query-term",
                TERM="xterm" if command[0] == "fish" else "dumb")
    (folder / "idx-flow").symlink_to(idx_flow)
    answers = home.write("answers.json", '[{"step": "identify", "fields": {"identifier": "%s", '
                         '"credentials.passcode": "%s"}}, {"step": "skip"}]' % (LOGIN, PASSWORD))
    home.run("idx-flow", "signin", "--demo", "--script", answers)
    with home.terminal(*command) as terminal:
        terminal.settle(1)
        for line in [*preparation, "echo rea''dy"]:
            terminal.enter(line)
        terminal.expect("ready")
        terminal.settle()
        terminal.folder = folder
        yield terminal


def completed(shell, typed, pause):
    """The command line after the Tab key. It is not run: its words are written to a file instead."""
    # Without the file, an earlier line cannot be taken for this one.
    file = shell.folder / "line"
    file.unlink(missing_ok=True)
    shell.type(typed + "\t")
    shell.settle(pause)
    shell.type("\x01printf '%s ' > line ")
    shell.type("\r")
    shell.settle(pause)
    return file.read_text().strip() if file.exists() else shell.description


@pytest.mark.parametrize("typed, expected", LINES)
def test_tab_key_completes(shell, typed, expected):
    for pause in PAUSES:
        if (line := completed(shell, typed, pause)) == expected:
            break
    assert line == expected


@pytest.mark.parametrize("typed, words", LISTS)
def test_tab_key_lists(shell, typed, words):
    for pause in PAUSES:
        shell.type(typed)
        shell.settle(pause)
        shown = ""
        for _ in range(3):
            shell.type("\t")
            shown += shell.settle(pause)
        shell.type("\x03")
        shell.settle(pause)
        # Escape sequences of fish stand between words too.
        found = set(re.split(r"[^a-z-]+", re.sub("\x1b[^a-zA-Z]*[a-zA-Z]", " ", shown)))
        if found >= set(words):
            break
    assert found >= set(words), shown


def test_groff_reads_the_manual_page_without_warnings(idx_flow):
    environment.install({"groff": "groff"})
    page = subprocess.run([idx_flow, "man"], capture_output=True, check=True).stdout
    formatted = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page, capture_output=True)
    assert (formatted.returncode, formatted.stderr) == (0, b"")
    text = plain(re.sub(".\x08", "", formatted.stdout.decode()))
    for words in ["IDX-FLOW(1)", "idx-flow signin --demo [NAME]", "--redirect-uri URI", "EXIT STATUS", "AWS_ROLE_ARN"]:
        assert words in text
