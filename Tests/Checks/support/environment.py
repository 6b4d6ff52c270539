#!/usr/bin/env python3
"""What checks need: packages of Debian, and packages of PyPI in one Python environment.

As a program, it makes the environment with the named modules, or with all, and prints the path of its Python.
"""
import contextlib
import fcntl
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".build/python"
PYTHON = FOLDER / "bin/python"
# Modules that checks import, and what pip installs for them.
REQUIREMENTS = {
    "authlib": "authlib", "awscli": "awscli", "cryptography": "cryptography",
    "cyclonedx": "cyclonedx-python-lib[json-validation]==11.5.0", "flask": "flask", "flask_cors": "flask-cors",
    "h2": "h2", "jsonschema": "jsonschema[format]==4.26.0", "jwt": "pyjwt[crypto]", "moto": "moto>=5",
    "pyte": "pyte==0.8.2", "pytest": "pytest==9.0.3", "requests": "requests",
    "requests_oauth2client": "requests-oauth2client>=1.5", "selenium": "selenium", "webauthn": "webauthn",
    "xdist": "pytest-xdist==3.8.0",
}
# Of these, only files are used, which need no other packages.
FILES = {"axe_playwright_python": "axe-playwright-python"}

# Debian has what makes environments in a package of its own.
FOR_ENVIRONMENTS = {str(pathlib.Path(os.__file__).parent / "ensurepip"): "python3-venv"}


@contextlib.contextmanager
def lock():
    """One check at a time installs something."""
    (ROOT / ".build").mkdir(exist_ok=True)
    with open(ROOT / ".build/environment.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class NoSuchPackage(Exception):
    """There is no such package for this machine."""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        if re.search("Unable to locate package|has no installation candidate|No matching distribution", done.stdout):
            raise NoSuchPackage(done.stdout)
        sys.stderr.write(done.stdout)
        done.check_returncode()


def missing(packages):
    return [name for what, name in packages.items() if not (shutil.which(what) or glob.glob(what))]


def install(packages, recommended=False):
    """Installs packages of Debian. Each is named by a program, or a pattern for the path of a file, that it brings."""
    if not missing(packages):
        return
    with lock():
        # Another check may have installed them meanwhile.
        if names := missing(packages):
            run("apt-get", "update", "-qq")
            run("apt-get", "install", "-y", "-qq", *([] if recommended else ["--no-install-recommends"]), *names,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def unpack(folder, *packages):
    """Unpacks packages of Debian in a folder, without their scripts. The folder keeps their files too."""
    with lock():
        if not (folder / "unpacked").exists():
            folder.mkdir(parents=True, exist_ok=True)
            run("apt-get", "update", "-qq")
            run("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", *packages, cwd=folder)
            for file in folder.glob("*.deb"):
                run("dpkg-deb", "-x", file, folder)
            (folder / "unpacked").touch()


def pip(folder, *arguments):
    """Installs in an environment."""
    run(folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments)


def installed_in(folder):
    """What pip has installed in an environment, which is made if it does not exist."""
    if not (folder / "installed.txt").exists():
        run(sys.executable, "-m", "venv", "--clear", folder)
        (folder / "installed.txt").touch()
    return (folder / "installed.txt").read_text().split()


def extend(folder, *requirements):
    """Installs in an environment what it does not have."""
    install(FOR_ENVIRONMENTS)
    with lock():
        installed = installed_in(folder)
        if not {*requirements} <= {*installed}:
            pip(folder, *requirements)
            (folder / "installed.txt").write_text("\n".join([*installed, *requirements]))


def make(*modules):
    """Makes the Python environment, in which these modules can be imported."""
    install(FOR_ENVIRONMENTS)
    with lock():
        installed = installed_in(FOLDER)
        wanted = {REQUIREMENTS.get(module) or FILES[module] for module in modules}
        if wanted <= {*installed}:
            return
        # All together, so that none of them gets a version that another cannot use.
        all_of_them = sorted({*installed, *wanted})
        if packages := [name for name in all_of_them if name not in FILES.values()]:
            pip(FOLDER, *packages)
        if files := [name for name in all_of_them if name in FILES.values()]:
            pip(FOLDER, "--no-deps", *files)
        (FOLDER / "installed.txt").write_text("".join(f"{name}\n" for name in all_of_them))


def enter(*modules):
    """Runs this program again in the Python environment, in which it can import these modules."""
    if pathlib.Path(sys.prefix) != FOLDER:
        make(*modules)
        os.execv(PYTHON, [str(PYTHON), *sys.argv])


if __name__ == "__main__":
    make(*(sys.argv[1:] or [*REQUIREMENTS, *FILES]))
    print(PYTHON)
