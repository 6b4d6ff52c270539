"""The package for Debian, Ubuntu and systems made from them."""
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from contents import File, compressed
from program import date, output, system_libraries

DESCRIPTION = """\
sign in to Okta's Identity Engine without a browser
 idx-flow signs a person in to Okta at a terminal: passwords, several factors,
 passkeys and Okta FastPass, and it sets up authenticators during the sign-in.
 It saves, refreshes and prints the tokens for scripts and other programs.
 "idx-flow signin --demo" shows it with a simulated org, without a network."""


def architecture():
    return output("dpkg", "--print-architecture").decode().strip()


def maintainer():
    """The variables are those of Debian's own tools."""
    name = os.environ.get("DEBFULLNAME", "The authors of idx-flow")
    return f"{name} <{os.environ.get('DEBEMAIL', 'idx-flow@example.invalid')}>"


def is_later(one, other):
    return subprocess.run(["dpkg", "--compare-versions", one, "gt", other]).returncode == 0


def later(one, other):
    return one if is_later(one, other) else other


def library_packages():
    """The packages with the libraries, each with the first version that has all symbols.

    Debian writes into the `symbols` file of a library's package which of its versions brought which version of
    symbols.
    """
    tables = {}
    for file in sorted(pathlib.Path("/var/lib/dpkg/info").glob("*.symbols")):
        for line in file.read_text().splitlines():
            if found := re.match(r"(\S+\.so\S*) (\S+)", line):
                package, nodes = found[2], tables.setdefault(found[1], (found[2], {}))[1]
            elif found := re.match(r" (\S+)@(\S+) (\S+)", line):
                if found[1] == found[2]:
                    nodes[found[1]] = found[3]
    packages = {}
    for library, nodes in system_libraries().items():
        package, known = tables.get(library, (None, {}))
        unknown = [node for node in nodes if node not in known]
        if package is None or unknown:
            sys.exit(f"No package of this system says which version of it has {library} {' '.join(unknown)}.")
        first = functools.reduce(later, (known[node] for node in nodes), "0")
        packages[package] = later(first, packages.get(package, "0"))
    return packages


def depends():
    libraries = [package if first == "0" else f"{package} (>= {first})"
                 for package, first in sorted(library_packages().items())]
    # The program opens libcurl itself, by these names; see Libcurl.swift.
    return ", ".join([*libraries, "libcurl4 (>= 7.68.0) | libcurl3-gnutls (>= 7.68.0)", "ca-certificates"])


def changelog(version):
    day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(date()))
    return (f"idx-flow ({version}) unstable; urgency=medium\n\n  * Version {version}.\n\n"
            f" -- {maintainer()}  {day}\n").encode()


def control(version, files):
    size = sum(-(-len(file.data) // 1024) for file in files.values())
    return f"""\
Package: idx-flow
Version: {version}
Architecture: {architecture()}
Maintainer: {maintainer()}
Installed-Size: {size}
Depends: {depends()}
Suggests: fido2-tools, libsecret-tools, xdg-utils
Section: utils
Priority: optional
Description: {DESCRIPTION}
""".encode()


def package(version, contents):
    """The bytes of the package."""
    files = {"usr/" + path.replace("zsh/site-functions", "zsh/vendor-completions"): file
             for path, file in contents.items()}
    files["usr/share/doc/idx-flow/changelog.gz"] = File(compressed(changelog(version)))
    sums = "".join(f"{hashlib.md5(file.data).hexdigest()}  {path}\n" for path, file in sorted(files.items()))
    everything = files | {"DEBIAN/control": File(control(version, files)), "DEBIAN/md5sums": File(sums.encode())}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        for path, file in everything.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(file.data)
            (root / path).chmod(file.mode)
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (date(), date()))
        result = pathlib.Path(folder) / "package.deb"
        # With one thread, the bytes do not depend on the number of processors.
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "-z1", "--build", root, result],
            check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(date())})
        return result.read_bytes()
