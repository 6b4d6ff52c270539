"""The modules of the libraries that others may use, which are those with documentation."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The catalog of each one; IDXScreens only exports IDXFlow again.
CATALOGS = {catalog.stem: catalog for catalog in sorted((ROOT / "Sources").glob("*/IDX*/*.docc"))}
NAMES = sorted(CATALOGS)



def files(name):
    """The files of the module with this name; none if there is no such module."""
    return [file for folder in (ROOT / "Sources").glob(f"**/{name}") for file in folder.rglob("*.*")]
