"""A package that depends on this one, and has targets QRCode, OAuth, POSIX and JSON of its own.

It declares types with the names of other frameworks, and uses every public type of ours without its module. Its program,
in the folder `dependent`, has a protocol client and a credential store, which are those of the documentation, and a
front-end, with public means only.
"""
import pathlib
import re
import shutil

import pytest

from documentation import markdown
from support import build, modules
from support.commands import run

pytestmark = pytest.mark.slow
SOURCES = pathlib.Path(__file__).resolve().parent / "dependent"
# A module may contain a type with the name of the module.
OWN = {name: f"public struct {name} {{}}\n" for name in ["QRCode", "OAuth", "POSIX", "JSON"]}
# Files of articles that the program contains.
ARTICLES = [("IDXFlow", "AddAProtocol.md", ["BadgeClient.swift", "BadgeServer.swift"]),
            ("IDXStorage", "CredentialsAndStores.md", ["ItemStore.swift"])]
# IDXFlow alone brings what an app needs to embed it.
EMBEDDING = """
import IDXFlow

func embed(_ client: any FlowClient, _ org: FlowConfiguration) async throws -> Secret? {
  let state: FlowState = try await client.start(org)
  let response: IDXResponse = state.response
  return response.stateHandle
}
"""
MANIFEST = """// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "dependent", platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "idx-flow", path: "ROOT")],
  targets: [
    TARGETS
    .target(name: "Dependent", dependencies: [DEPENDENCIES]),
    .executableTarget(name: "Checks", dependencies: [USED]),
  ])
"""


def public_types():
    """The public types of our modules."""
    declaration = re.compile(
        r"^public (?:final |indirect )?(?:struct|enum|class|actor|protocol|typealias) (\w+)", re.M)
    ours = {name for catalog in modules.CATALOGS.values() for file in catalog.parent.rglob("*.swift")
            for name in declaration.findall(file.read_text())}
    assert len(ours) > 80, "The public types were not found."
    return sorted(ours)


def framework_types():
    """The public types of frameworks, by framework."""
    lines = [line for line in (SOURCES / "framework-types").read_text().splitlines() if not line.startswith("#")]
    return {name: set(types.split()) for name, types in (line.split(":", 1) for line in lines)}


def test_public_types_share_no_name_with_types_of_frameworks():
    shared = set(public_types()) & set.union(*framework_types().values())
    assert not shared


def names_of_products():
    """The names of our libraries."""
    names = re.findall(r'\.library\(\s*name: "([^"]+)"', (build.ROOT / "Package.swift").read_text())
    assert names and all(name.startswith("IDX") for name in names), names
    return names


def write_package(package):
    frameworks = framework_types()
    # Foundation's types are the real ones.
    theirs = sorted(set.union(*frameworks.values()) - frameworks["Foundation"])
    own = OWN | {"Frameworks": "".join(f"public struct {name} {{}}\n" for name in theirs)}
    files = {f"{name}/Types.swift": text for name, text in own.items()}
    files["Dependent/Uses.swift"] = "".join(
        [f"import {name}\n" for name in ["Foundation", *own, *modules.NAMES]]
        + [f"typealias Use{name} = {name}\n" for name in public_types()])
    files["Dependent/Embedding.swift"] = EMBEDDING
    files |= {f"Checks/{file.name}": file.read_text() for file in SOURCES.glob("*.swift")}
    for module, article, names in ARTICLES:
        blocks = {pathlib.PurePath(block.file).name: block.text
                  for block in markdown.Document(modules.CATALOGS[module] / article).blocks if block.file}
        files |= {f"Checks/{name}": blocks[name] for name in names}
    for path, text in files.items():
        (package / "Sources" / path).parent.mkdir(parents=True, exist_ok=True)
        (package / "Sources" / path).write_text(text)

    def products(names):
        return "".join(f'.product(name: "{name}", package: "idx-flow"), ' for name in names)
    (package / "Package.swift").write_text(
        MANIFEST.replace("ROOT", str(build.ROOT))
        .replace("TARGETS", "".join(f'.target(name: "{name}"),\n' for name in own))
        .replace("DEPENDENCIES", "".join(f'"{name}", ' for name in own) + products(names_of_products()))
        .replace("USED", products(["IDXFlow", "IDXTesting"])))


def test_client_store_and_front_end_of_another_package_work():
    # The name of a package's folder is a part of its modules, so a folder with another name would build them again.
    package = build.ROOT / ".build/dependent"
    shutil.rmtree(package, ignore_errors=True)
    write_package(package)
    build.build(package)
    run(build.folder() / "Checks", timeout=300)
