"""Builds of this package, and of other packages in its folder, where all modules but their own are built already."""
import contextlib
import fcntl
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What is built must not follow from what another package built there before.
SHARED = ["--scratch-path", str(ROOT / ".build"), "--disable-build-manifest-caching"]

# A check that builds in the folder locks this file, so that no other check deletes the plan of its build.
LOCK = ROOT / ".build/build.lock"


@contextlib.contextmanager
def lock():
    LOCK.parent.mkdir(exist_ok=True)
    with open(LOCK, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(package, *arguments, **options):
    """Builds the package of a folder."""
    return swift("build", package, *arguments, **options)


def swift(command, package, *arguments, check=True, **options):
    """Runs a command of SwiftPM for the package of a folder."""
    with lock():
        try:
            return subprocess.run(["swift", command, *SHARED, *arguments], cwd=package, check=check, **options)
        finally:
            forget()


def forget():
    """Deletes the plans of builds. A build of the root would use that of another package."""
    for plan in (ROOT / ".build").glob("*.yaml"):
        plan.unlink()


def release(*products):
    """Builds programs and libraries as packages contain them."""
    with lock():
        subprocess.run([ROOT / ".ci/package", "--build", *products], check=True)


def folder(configuration="debug"):
    """The folder of a build, without the link to it, which each build makes again."""
    with lock():
        return (ROOT / ".build" / configuration).resolve(strict=True)
