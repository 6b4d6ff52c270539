"""Builds of other packages in the folder of the root, where all modules but their own are built already."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What is built must not follow from what another package built there before.
SHARED = ["--scratch-path", ROOT / ".build", "--disable-build-manifest-caching"]


def build(package, *arguments, **options):
    """Builds the package of a folder."""
    try:
        subprocess.run(["swift", "build", *SHARED, *arguments], cwd=package, check=True, **options)
    finally:
        forget()


def forget():
    """What is built next in the folder does not follow from what was built there before."""
    for manifest in (ROOT / ".build").glob("*.yaml"):
        manifest.unlink()
