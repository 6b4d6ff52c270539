"""The files that packages contain, and archives whose bytes depend on nothing else."""
import gzip
import io
import sys
import tarfile
import time
from typing import NamedTuple

from program import PROGRAM, date, output


class File(NamedTuple):
    data: bytes
    mode: int = 0o644


def compressed(data):
    return gzip.compress(data, 9, mtime=0)


def copyright_text():
    """What Debian's format for copyright files asks for. The format wants a licence for each part."""
    year = time.gmtime(date()).tm_year
    return f"""\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: idx-flow
Comment:
 The program contains parts of the Swift toolchain that built it. The file sbom.cdx.json in this folder names
 them. They are not in the sources of idx-flow.

Files: *
Copyright: {year} the authors of idx-flow
License: none-stated
 The sources of idx-flow state no licence. Ask the authors before you pass this program on.

Files: usr/bin/idx-flow
Copyright: {year} the authors of idx-flow; Apple Inc. and the Swift project authors; Unicode, Inc. and others
License: none-stated and Apache-2.0 with Swift-exception and Unicode-3.0
 idx-flow itself: as above.
 .
 The Swift standard library, Dispatch and Foundation: Apache License 2.0 with the Runtime Library Exception of
 Swift, https://www.swift.org/LICENSE.txt. On Debian, /usr/share/common-licenses/Apache-2.0 has the text of the
 Apache License.
 .
 ICU, a part of Foundation: Unicode License V3, https://www.unicode.org/license.txt.
"""


def manual(page):
    """The manual page with the date of the packages. The program cannot know it, and leaves it empty."""
    empty, day = b'.TH IDX-FLOW 1 ""', time.strftime("%Y-%m-%d", time.gmtime(date()))
    if not page.startswith(empty):
        sys.exit("The manual page has no empty date at its beginning.")
    return page.replace(b'""', f'"{day}"'.encode(), 1)


def contents(program, sbom):
    """The files below a prefix such as `/usr/local`, by path."""
    def printed(*arguments):
        return output(PROGRAM, *arguments)
    return {
        "bin/idx-flow": File(program, 0o755),
        "share/man/man1/idx-flow.1.gz": File(compressed(manual(printed("man")))),
        "share/bash-completion/completions/idx-flow": File(printed("completion", "bash")),
        "share/zsh/site-functions/_idx-flow": File(printed("completion", "zsh")),
        "share/fish/vendor_completions.d/idx-flow.fish": File(printed("completion", "fish")),
        "share/doc/idx-flow/copyright": File(copyright_text().encode()),
        "share/doc/idx-flow/sbom.cdx.json": File(sbom),
    }


def archive(files, folder):
    """A .tar.gz with files in a folder: sorted, of root, and with one date.

    It has no entries for folders, so that tar does not change those of `/usr/local`.
    """
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as writer:
        for path, file in sorted(files.items()):
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mode, entry.mtime = len(file.data), file.mode, date()
            entry.uname = entry.gname = "root"
            writer.addfile(entry, io.BytesIO(file.data))
    return gzip.compress(tar.getvalue(), 6, mtime=0)


def source_archive(version):
    """The sources of the last commit, in a folder with the name of the version."""
    return compressed(output("git", "archive", "--format=tar", f"--prefix=idx-flow-{version}/", "HEAD"))
