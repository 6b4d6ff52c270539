"""The list of what the program contains and needs (SBOM), in the format CycloneDX 1.5."""
import hashlib
import json
import time
import uuid

from program import date, swift_version, system_libraries


def component(kind, name, description, **more):
    return {"type": kind, "bom-ref": name, "name": name, "description": description, **more}


def sbom(version, machine, program):
    digest = hashlib.sha256(program).hexdigest()
    swift = swift_version()
    inside = [
        component(
            "framework", "swift-runtime",
            "The Swift standard library, Dispatch and Foundation of the toolchain; linked into the program",
            version=swift, purl=f"pkg:github/swiftlang/swift@swift-{swift}-RELEASE",
            licenses=[{"expression": "Apache-2.0 WITH Swift-exception"}]),
        component("library", "icu", "A part of Foundation; linked into the program",
                  licenses=[{"license": {"id": "Unicode-3.0"}}]),
    ]
    outside = [component("library", "libcurl", "A library of the system, 7.68 or later; opened for the first request")]
    for library, nodes in sorted(system_libraries().items()):
        used = f"; uses symbols of {', '.join(nodes)}" if nodes else ""
        outside.append(component("library", library, f"A library of the system; loaded at the start{used}"))
    whole = component("application", "idx-flow", f"The program for Linux, {machine}", version=version,
                      hashes=[{"alg": "SHA-256", "content": digest}])
    names = [part["bom-ref"] for part in inside + outside]
    return json.dumps({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # The same program has the same number.
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, digest).urn,
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(date())),
            "component": whole,
        },
        "components": inside + outside,
        "dependencies": [
            {"ref": "idx-flow", "dependsOn": names},
            {"ref": "swift-runtime", "dependsOn": ["icu"]},
            *({"ref": name} for name in names if name != "swift-runtime"),
        ],
    }, indent=2).encode() + b"\n"
