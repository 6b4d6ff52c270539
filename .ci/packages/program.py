"""The static program that packages contain: its build, its version, its date, and what it needs of the system."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A folder of its own, because one build at a time can use a folder, and examples are built at the same time.
SCRATCH = ROOT / ".build/static"
PROGRAM = SCRATCH / "release/idx-flow"
# The packages contain no debug information.
BUILD = ["swift", "build", "--scratch-path", SCRATCH, "-c", "release", "-debug-info-format", "none",
         "--static-swift-stdlib", "-Xswiftc", "-warnings-as-errors",
         # No library is looked for in the folder of the program, where anybody may have put one.
         "--disable-local-rpath",
         # Threads of the compiler get memory in the order in which they run.
         "-Xswiftc", "-num-threads", "-Xswiftc", "1",
         # The loader makes the tables of addresses read-only before the program starts. A build ID would depend
         # on the path of the folder, because the linker makes it of everything.
         *(word for flag in ("-z", "relro", "-z", "now", "--build-id=none") for word in ("-Xlinker", flag))]


def output(*command, **options):
    """What a command prints, without the environment of the person who runs it."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=environment, **options).stdout


def build(*products, quiet=False):
    """Builds programs, and compiles libraries. Without changes since the last build, this takes a second for each.

    What the compiler prints goes to standard error; if it must be quiet, only after a failure. The order of what the
    compiler writes depends on no random number and, where the system allows it, on no random address.
    """
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
    fixed = ["setarch", "--addr-no-randomize"]
    try:
        allowed = subprocess.run([*fixed, "true"], stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        allowed = False
    manifest = (ROOT / "Package.swift").read_text()
    for product in products:
        # A module of a library has no product of its own.
        is_program = re.search(rf'(program\(|executable(Target)?\(\s*name:)\s*"{product}"', manifest)
        kind = "--product" if is_program else "--target"
        command = [*(fixed if allowed else []), *BUILD, kind, product]
        run = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE if quiet else sys.stderr,
                             stderr=subprocess.STDOUT if quiet else None, text=True)
        if run.returncode:
            sys.stderr.write(run.stdout or "")
            run.check_returncode()
    # Where checks look for a release build.
    usual = ROOT / ".build/release"
    if not usual.is_symlink() or os.readlink(usual) != "static/release":
        usual.unlink(missing_ok=True)
        usual.symlink_to("static/release")


def version():
    """The version in the sources, which is the only place where it is written."""
    source = (ROOT / "Sources/Engine/IDXBase/Transport/Product.swift").read_text()
    return re.search(r'static let version = "([^"]+)"', source)[1]


def date():
    """Seconds since 1970: SOURCE_DATE_EPOCH, or the date of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(output("git", "log", "-1", "--format=%ct"))


def stripped():
    """The program without what depends on the path of the folder: debug information, and Swift's hashes of options.

    The compiler uses these hashes between builds. No program reads them, so they become zeros.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "idx-flow"
        output("strip", "--strip-all", "-o", file, PROGRAM)
        data = bytearray(file.read_bytes())
        sections = output("readelf", "--sections", "--wide", file).decode()
        if found := re.search(r" \.swift_modhash +PROGBITS +\w+ (\w+) (\w+) ", sections):
            offset, size = int(found[1], 16), int(found[2], 16)
            data[offset:offset + size] = bytes(size)
        return bytes(data)


def swift_version():
    return re.search(r"Swift version (\S+)", output("swift", "--version", stderr=subprocess.STDOUT).decode())[1]


def system_libraries():
    """The libraries that the loader must find, each with the versions of symbols that the program uses.

    For example, `libm.so.6` with `GLIBC_2.2.5` and `GLIBC_2.29`.
    """
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", PROGRAM).decode())
    libraries = {name: [] for name in needed}
    file = None
    for line in output("readelf", "--version-info", "--wide", PROGRAM).decode().splitlines():
        if found := re.search(r"File: (\S+)", line):
            file = found[1]
        elif (found := re.search(r"Name: (\S+)", line)) and file:
            libraries.setdefault(file, []).append(found[1])
    if not any(libraries.values()):
        sys.exit(f"readelf found no versions of symbols in {PROGRAM}.")
    return libraries
