#!/usr/bin/env python3
"""What checks run with: packages of Debian, and one Python environment with the packages of PyPI that they name.

As a program, it makes the environment with the named modules, and prints the path of its Python.
"""
import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build/python"
PYTHON = FOLDER / "bin/python"
# Modules that checks import, and what pip installs for them.
REQUIREMENTS = {
    "authlib": "authlib", "awscli": "awscli", "cryptography": "cryptography",
    # Only its script is used, which needs no Playwright.
    "axe_playwright_python": "--no-deps axe-playwright-python",
    "cyclonedx": "cyclonedx-python-lib[json-validation]==11.5.0", "flask": "flask", "flask_cors": "flask-cors",
    "h2": "h2", "jsonschema": "jsonschema[format]==4.26.0", "jwt": "pyjwt[crypto]", "moto": "moto>=5",
    "pyte": "pyte==0.8.2", "requests": "requests", "requests_oauth2client": "requests-oauth2client>=1.5",
    "selenium": "selenium", "webauthn": "webauthn",
}


@contextlib.contextmanager
def lock():
    """One check at a time installs something."""
    (ROOT / ".build").mkdir(exist_ok=True)
    with open(ROOT / ".build/environment.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(packages):
    """Installs packages of Debian. Each is named by a program, or the path of a file, that it brings."""
    with lock():
        missing = [name for what, name in packages.items() if not (shutil.which(what) or os.path.exists(what))]
        if missing:
            subprocess.run(["apt-get", "update", "-qq"], check=True)
            subprocess.run(
                ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True,
                stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def make(*modules):
    """Makes the Python environment, in which these modules can be imported."""
    install({ensurepip_folder(): "python3-venv"})
    with lock():
        if missing_modules("pip") != []:
            subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER], check=True)
        wanted = [REQUIREMENTS[module] for module in missing_modules(*modules)]
        # An option is for its own package only.
        plain = [requirement for requirement in wanted if not requirement.startswith("-")]
        for arguments in [plain, *(requirement.split() for requirement in wanted if requirement not in plain)]:
            if arguments:
                subprocess.run(
                    [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments], check=True)


def ensurepip_folder():
    """What a venv needs of the Python that runs this, which Debian has in a package of its own."""
    return str(pathlib.Path(os.__file__).parent / "ensurepip")


def missing_modules(*modules):
    """Those that cannot be imported, or nothing if there is no environment."""
    find = "import importlib.util, sys; print(*[name for name in sys.argv[1:] if not importlib.util.find_spec(name)])"
    try:
        return subprocess.check_output([PYTHON, "-c", find, *modules], text=True).split()
    except (OSError, subprocess.CalledProcessError):
        return None


def enter(*modules):
    """Runs this program again in the Python environment, in which it can import these modules."""
    if pathlib.Path(sys.prefix) != FOLDER:
        make(*modules)
        os.execv(PYTHON, [str(PYTHON), *sys.argv])


if __name__ == "__main__":
    make(*sys.argv[1:])
    print(PYTHON)
