"""The packages that `.ci/package` has built, and the one for Debian in an empty Debian root."""
import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import time

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from support import build, demo, environment
from support.commands import run
from support.home import Home

pytestmark = pytest.mark.package
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
PERSON = ["--userspec=person:person"]


@pytest.fixture(scope="module")
def packages():
    """The folder with the packages."""
    folder = build.ROOT / ".build/packages"
    if not folder.exists():
        pytest.fail("There are no packages. Run .ci/package first.")
    return folder


# MARK: Building them

@pytest.mark.promise("same-package")
def test_packages_are_the_same_if_they_are_made_again(packages, tmp_path):
    """Without the network, and with another time zone and umask. It prints what it builds, and no more."""
    again = tmp_path / "again"
    printed = run("unshare", "--net", "sh", "-c", f'umask 077; exec .ci/package "{again}"', cwd=build.ROOT,
                  env={**os.environ, "TZ": "Asia/Kolkata", "LANG": "de_DE.UTF-8"})
    names = sorted(os.listdir(again), key=lambda name: (name == "SHA256SUMS", name))
    package, = again.glob("*.deb")
    lines = [r"(?:Some changes are not committed.*\n)?Building idx-flow \S+ for Linux \w+\. .*",
             f"These files are in {re.escape(str(again))}:", *(rf" +[\d,]+  {re.escape(name)}" for name in names),
             f"To install it: (?:sudo )?apt install {re.escape(str(package))}"]
    assert re.fullmatch("".join(line + r"\n" for line in lines), printed), printed
    bytes_of = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in (packages, again)]
    assert bytes_of[0].keys() == bytes_of[1].keys()
    assert not [name for name in bytes_of[0] if bytes_of[0][name] != bytes_of[1][name]]
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=packages)


def test_failed_build_shows_what_the_compiler_printed(tmp_path):
    swift = tmp_path / "swift"
    swift.write_text("#!/bin/sh\necho a message\necho another message >&2\nexit 1\n")
    swift.chmod(0o755)
    done = subprocess.run([".ci/package", tmp_path / "failed"], cwd=build.ROOT, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode and "a message\nanother message\nThis command failed: " in done.stderr


# MARK: What they contain

@pytest.fixture(scope="module")
def unpacked(packages, tmp_path_factory):
    """The folder in the archive."""
    archive_file, = packages.glob("*-linux-*.tar.gz")
    folder = tmp_path_factory.mktemp("archive")
    with tarfile.open(archive_file) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.iterdir())


@pytest.mark.promise("same-package")
def test_package_for_debian_and_archive_have_the_same_files(packages, unpacked, tmp_path):
    package, = packages.glob("*.deb")
    run("dpkg-deb", "--extract", package, tmp_path)
    for file in unpacked.rglob("*"):
        path = str(file.relative_to(unpacked)).replace("zsh/site-functions", "zsh/vendor-completions")
        assert not file.is_file() or file.read_bytes() == (tmp_path / "usr" / path).read_bytes(), path


@pytest.mark.promise("own-library")
def test_program_names_no_folder_of_this_computer(unpacked):
    """It contains no path of where it was built, and looks for libraries in no folder of its own."""
    program = unpacked / "bin/idx-flow"
    assert str(build.ROOT).encode() not in program.read_bytes()
    assert not re.findall(r"R(?:UN)?PATH.*", run("readelf", "--dynamic", program))


def test_list_of_contents_is_valid_and_names_the_program(packages, unpacked):
    text = next(packages.glob("*.cdx.json")).read_text()
    assert not JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    assert json.loads(text)["metadata"]["component"]["hashes"][0]["content"] == hashlib.sha256(
        (unpacked / "bin/idx-flow").read_bytes()).hexdigest()


def test_homebrew_formula_names_the_archives(packages):
    environment.install({"ruby": "ruby"})
    run("ruby", "-wc", packages / "idx-flow.rb")
    downloads = re.findall(r'url ".*/([^/"]+)"\s+sha256 "(\w+)"', (packages / "idx-flow.rb").read_text())
    assert set(downloads) == {(file.name, hashlib.sha256(file.read_bytes()).hexdigest())
                              for file in packages.glob("*.tar.gz")}


# MARK: An empty Debian

def in_root(root, *command, **options):
    return run("chroot", root, *command, env=ENVIRONMENT, **options)


@contextlib.contextmanager
def mounted(root):
    """The root has /proc, and the terminals of this machine."""
    mounts = [(["-t", "proc", "none"], root / "proc"), (["--bind", "/dev/pts"], root / "dev/pts")]
    for options, place in mounts:
        run("mount", *options, place)
    try:
        yield
    finally:
        for _, place in reversed(mounts):
            run("umount", place)


def unpack_root(root, package):
    """A root with nothing but what is essential, and the downloaded packages that ours needs.

    It needs the network once, and is kept in .build.
    """
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M))
    key = f"{release['VERSION_CODENAME']}: {run('dpkg-deb', '--field', package, 'Depends')}"
    saved, saved_key = build.ROOT / ".build/debian-root.tar", build.ROOT / ".build/debian-root.key"
    if saved.exists() and saved_key.exists() and saved_key.read_text() == key:
        run("tar", "-xf", saved, "-C", root)
        return
    run("debootstrap", "--variant=minbase", release["VERSION_CODENAME"], root)
    shutil.copy(package, root / "package.deb")
    with mounted(root):
        in_root(root, "apt-get", "update", "-qq")
        in_root(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "--download-only", "/package.deb")
    (root / "package.deb").unlink()
    saved_key.unlink(missing_ok=True)
    run("tar", "-cf", saved, "-C", root, ".")
    saved_key.write_text(key)


def files_of(root):
    """All files, except those where the system keeps its own state, and those of a person."""
    own = [root / name for name in ("proc", "dev", "tmp", "home", "var/lib/dpkg", "var/lib/apt", "var/log", "var/cache")]
    return {os.path.join(folder, name) for folder, folders, names in os.walk(root)
            if not any(pathlib.Path(folder).is_relative_to(place) for place in own) for name in [*folders, *names]}


def expect_complete(root):
    """The files are complete and in place, bash can read its completions, and a request finds libcurl."""
    # It succeeds also if it names files that differ.
    assert not in_root(root, "dpkg", "--verify", "idx-flow")
    assert {file.name for file in (root / "var/lib/dpkg/info").glob("idx-flow.*")} == {
        "idx-flow.list", "idx-flow.md5sums"}, "The package has more than files."
    manual = root / "usr/share/man/man1/idx-flow.1.gz"
    day = time.strftime("%Y-%m-%d", time.gmtime(manual.stat().st_mtime))
    page = gzip.decompress(manual.read_bytes()).decode()
    assert page.startswith(f'.TH IDX-FLOW 1 "{day}" '), "The manual page does not have the date of the package."
    assert page.replace(f'"{day}"', '""', 1) == in_root(root, "idx-flow", "man")
    for shell, file in {"bash": "bash-completion/completions/idx-flow", "zsh": "zsh/vendor-completions/_idx-flow",
                        "fish": "fish/vendor_completions.d/idx-flow.fish"}.items():
        text = (root / "usr/share" / file).read_text()
        assert text and text == in_root(root, "idx-flow", "completion", shell)
    in_root(root, "bash", "-c", ". /usr/share/bash-completion/completions/idx-flow && complete -p idx-flow")
    # Nothing listens there. With a libcurl that cannot be used, the message would be another one.
    refused = subprocess.run(
        ["chroot", *PERSON, root, "idx-flow", "doctor", "--issuer", "https://127.0.0.1:1", "--client-id", "0oa1",
         "--redirect-uri", "com.example.app:/callback"],
        env={**ENVIRONMENT, "HOME": "/home/person"}, capture_output=True, text=True)
    assert "connection was refused" in refused.stdout and "libcurl" not in refused.stdout


@pytest.mark.isolated(network=False)
@pytest.mark.promise("debian-package", "own-library")
def test_package_for_debian_is_installed_used_and_removed(packages, tmp_path):
    environment.install({"debootstrap": "debootstrap"})
    package, = packages.glob("*.deb")
    # Other users must be able to enter the folder.
    root = build.ROOT / ".build/debian-root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    unpack_root(root, package)
    with mounted(root):
        assert not in_root(root, "sh", "-c", "command -v curl openssl idx-flow || true"), "The root is not empty."
        in_root(root, "useradd", "--create-home", "person")
        shutil.copy(package, root / "tmp")
        in_root(root, "apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{package.name}")
        installed = files_of(root)
        expect_complete(root)
        # An ordinary user plays the demo.
        with Home(tmp_path).terminal(
                "chroot", *PERSON, root, "env", "--unset=XDG_DATA_HOME", "--unset=XDG_CONFIG_HOME",
                "HOME=/home/person", "idx-flow", "signin", "--demo", "--force", PATH=ENVIRONMENT["PATH"]) as terminal:
            demo.play(terminal)
        in_root(root, "apt-get", "purge", "-y", "idx-flow")
        assert not [path for path in files_of(root) if "idx-flow" in path or path not in installed]
        assert not in_root(root, "sh", "-c", "ls /var/lib/dpkg/info/idx-flow.* 2>/dev/null || true")
    shutil.rmtree(root)
