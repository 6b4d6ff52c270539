"""The transport of Linux with real servers, proxies and versions of libcurl.

The tests run in network and mount namespaces of their own, so that names, addresses and certificate authorities are
those of the tests, and nothing leaves this computer.
"""
import contextlib
import gzip
import ipaddress
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from cryptography import x509

from certificates import DAY, NOW, Authority, Server, sign
from delay import SERVER, delayed_hosts, inside
from nginx import CountingServer, running_nginx
from processing import ProcessingServer
from sender import Sender
from support import build, environment, isolation, processes
from support.commands import run
from support.ports import free_port, wait_for_port
from support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.isolated]
SLOW_ENDS = pathlib.Path(__file__).resolve().parent / "network/slow_ends.c"
HEADERS, LIBRARIES = build.ROOT / ".build/libcurl-headers", build.ROOT / ".build/libcurl-versions"
# Python packages that bring a libcurl with them, by its version: the package, and the Python it is for.
WHEELS = {"7.71.1": ("pyproj==3.0.1", "3.9"), "7.76.1": ("pyproj==3.2.1", "3.9"),
          "7.80.0": ("Fiona==1.8.22", "3.10"), "8.23.0": ("pycurl==7.49.0", "3.11")}


# MARK: What the tests need

@pytest.fixture(scope="module", autouse=True)
def programs(release):
    """Builds the program that sends requests, and installs servers."""
    environment.install({
        "nginx": "nginx-light", "tinyproxy": "tinyproxy", "curl": "curl", "ip": "iproute2",
        "/usr/lib/*-linux-gnu/libcurl-gnutls.so.4": "libcurl3-gnutls"})
    release("RequestSender")


@pytest.fixture(scope="module")
def headers():
    """The headers of libcurl. They are not installed, because a build must not need them."""
    environment.unpack(HEADERS, "libcurl4-openssl-dev")
    return HEADERS / "usr/include"


def download(version):
    """Unpacks the libcurl of a Python package."""
    package, python = WHEELS[version]
    platforms = [word for name in ("2010", "2014", "_2_28") for word in ("--platform", f"manylinux{name}_x86_64")]
    with environment.lock(), tempfile.TemporaryDirectory() as folder:
        if (LIBRARIES / version).exists():
            return
        run(environment.PYTHON, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
                "--python-version", python, *platforms, "-d", folder, package)
        wheel, = pathlib.Path(folder).glob("*.whl")
        unpacked = pathlib.Path(folder) / "unpacked"
        shutil.unpack_archive(wheel, unpacked, "zip")
        libraries, = unpacked.glob("*.libs")
        shutil.copytree(libraries, LIBRARIES / version)
        library, = (LIBRARIES / version).glob("libcurl-*.so.4*")
        (LIBRARIES / version / "libcurl.so.4").symlink_to(library.name)


@pytest.fixture(scope="module", params=["of the system", "GnuTLS", *WHEELS])
def libcurl(request, tmp_path_factory):
    """The variables with which a program uses this version of libcurl."""
    if request.param == "of the system":
        return {}
    if request.param == "GnuTLS":
        library, = pathlib.Path("/usr/lib").glob("*-linux-gnu/libcurl-gnutls.so.4")
        folder = tmp_path_factory.mktemp("gnutls")
        (folder / "libcurl.so.4").symlink_to(library)
        return {"LD_LIBRARY_PATH": str(folder)}
    download(request.param)
    return {"LD_LIBRARY_PATH": str(LIBRARIES / request.param)}


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A certificate authority, and its file."""
    authority = Authority("Authority of this check")
    authority.file = tmp_path_factory.mktemp("authority") / "authority.pem"
    authority.file.write_bytes(authority.pem)
    return authority


@pytest.fixture
def backend():
    """A server that answers each request with its body."""
    backend = isolation.run(CountingServer)
    # Some tests end connections.
    backend.server.handle_error = lambda *_: None
    yield backend
    backend.server.close()


@contextlib.contextmanager
def replaced(path, text, folder):
    """A file of the system has another content while the body runs."""
    file = folder / path.strip("/").replace("/", "-")
    file.write_text(text)
    run("mount", "--bind", file, os.path.realpath(path))
    try:
        yield
    finally:
        run("umount", os.path.realpath(path))


@contextlib.contextmanager
def closed(listener, connections=()):
    """Closes a listener and its connections when the body ends."""
    try:
        yield
    finally:
        # This ends `accept`, which close() alone does not.
        listener.shutdown(socket.SHUT_RDWR)
        for one in [listener, *connections]:
            one.close()


# MARK: The interface of libcurl

def test_constants_and_structures_are_those_of_the_real_headers(headers, tmp_path):
    header = build.ROOT / "Sources/System/CLibcurl/include/CLibcurl.h"
    names = re.findall(r"\bIDX_(CURL\w+) = (-?\d+)", header.read_text())
    assert len(names) > 90
    same = "".join(f'_Static_assert(IDX_{name} == (long)({name}), "{name}");\n' for name, _ in names)
    members = {
        ("IDXSocketAddress", "struct curl_sockaddr"): {
            "family": "family", "socketType": "socktype", "protocol": "protocol", "length": "addrlen", "bytes": "addr"},
        ("IDXTransferMessage", "CURLMsg"): {
            "kind": "msg", "transfer": "easy_handle", "data.result": "data.result"},
        ("IDXLibraryVersion", "curl_version_info_data"): {
            "age": "age", "version": "version", "number": "version_num", "features": "features"},
    }
    for (ours, theirs), pairs in members.items():
        for mine, real in pairs.items():
            same += f'_Static_assert(offsetof(struct {ours}, {mine}) == offsetof({theirs}, {real}), "{real}");\n'
    same += '_Static_assert(sizeof(struct IDXTransferMessage) == sizeof(CURLMsg), "CURLMsg");\n'
    source = tmp_path / "constants.c"
    source.write_text(f'#include <stddef.h>\n#include <curl/curl.h>\n#include "{header}"\n{same}')
    include, = headers.glob("*-linux-gnu")
    run("clang", "-fsyntax-only", "-Werror", "-I", include, source)


# MARK: Certificates

def sites(authority, folder):
    """The sites of badssl.com that matter here: their files and settings of nginx."""
    middle = Authority("Authority in the middle", authority)
    servers = {
        "good": Server(authority), "chain": Server(middle, chain=[middle]),
        "expired": Server(authority, start=NOW - 9 * DAY, end=NOW - DAY),
        "not yet valid": Server(authority, start=NOW + DAY, end=NOW + 9 * DAY),
        "wrong host": Server(authority, host="other.example"), "self-signed": Server(None),
        "unknown authority": Server(Authority("Another authority")),
        "missing intermediate": Server(middle), "old TLS": Server(authority),
    }
    old = "ssl_protocols TLSv1 TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;"
    return {title: (server.save(folder, title.replace(" ", "-")), old if title == "old TLS" else "")
            for title, server in servers.items()}


@pytest.mark.promise("private-authority", "tls-failure")
def test_certificate_with_a_mistake_is_refused_before_anything_is_sent(libcurl, authority, backend, tmp_path):
    with running_nginx(tmp_path, sites(authority, tmp_path), backend) as nginx:
        with Sender(authorities=authority.file, environment=libcurl) as sender:
            for title in nginx.ports:
                outcome = sender.send(nginx.url(title), body=title)
                if title in ("good", "chain"):
                    assert outcome.get("body") == title
                else:
                    assert outcome.get("error") == "insecure" and not outcome["mayHaveArrived"], title
                    assert ("TLS" if title == "old TLS" else "certificate") in outcome["message"], title
            for host in "127.0.0.1", "[::1]":
                assert sender.send(nginx.url("good", host), body="address").get("status") == 200
        # Without the file, the authority is unknown, also if the folder of the system contains it.
        with Sender(environment=libcurl) as sender:
            assert sender.send(nginx.url("good"), body="unknown").get("error") == "insecure"
    assert set(backend.counted) == {"good", "chain", "address"}


@pytest.mark.promise("private-authority")
def test_authorities_of_the_system_are_trusted(authority, backend, tmp_path):
    bundle = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    with running_nginx(tmp_path, sites(authority, tmp_path), backend) as nginx, \
            replaced(str(bundle), bundle.read_text() + authority.pem.decode(), tmp_path), Sender() as sender:
        assert sender.send(nginx.url("good"), body="system").get("status") == 200


# MARK: Connections

@pytest.mark.promise("processed-once")
def test_request_over_a_connection_that_ends_is_processed_at_most_once(libcurl, authority, tmp_path):
    files = Server(authority).save(tmp_path, "faults")
    shares_connections = None
    for fault in None, "trailers", "reset", "close", "goaway", "unprocessed goaway", "refused":
        with ProcessingServer(files, lambda number: fault if number % 4 == 3 else None) as server, \
                Sender(authorities=authority.file, environment=libcurl) as sender:
            outcomes = [sender.send(server.url, body=f"{number}", group="one") for number in range(24)]
            # A request without a group never shares a connection.
            others = server.connections
            for number in range(3):
                sender.send(server.url, body=f"own {number}")
            assert server.connections >= others + 3, fault
        assert max(server.processed.values()) == 1, (fault, server.processed)
        for number, outcome in enumerate(outcomes):
            answered = outcome.get("status") == 200
            assert not answered or outcome["body"] == f"{number}", (fault, outcome)
            assert answered or outcome["mayHaveArrived"], (fault, outcome)
            assert answered or fault not in (None, "trailers"), outcome
        if fault is None:
            shares_connections = others == 1
        if shares_connections and fault == "unprocessed goaway":
            assert not [outcome for outcome in outcomes if "error" in outcome], "It was not repeated."


@pytest.mark.promise("cut-body")
@pytest.mark.parametrize("kind", ["length", "chunks", "HTTP/1.0", "HTTP/1.1", "gzip"])
def test_cut_body_is_never_taken_for_a_whole_one(libcurl, authority, tmp_path, kind):
    """Over TLS, the end of a body is certain only with close_notify; anybody on the way can leave it out."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*Server(authority).save(tmp_path, "cut"))
    body = b"x" * 80_000
    head, sent = {
        "length": (b"HTTP/1.1 200 OK\r\nContent-Length: 80000\r\n\r\n", body),
        "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"13880\r\n" + body + b"\r\n0\r\n\r\n"),
        "HTTP/1.0": (b"HTTP/1.0 200 OK\r\n\r\n", body),
        "HTTP/1.1": (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", body),
        "gzip": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n", gzip.compress(body)),
    }[kind]

    def serve():
        while listener.fileno() >= 0:
            with contextlib.suppress(OSError):
                plain, _ = listener.accept()
                connection = context.wrap_socket(plain, server_side=True)
                is_whole = b"/whole " in connection.recv(65536)
                connection.sendall(head + (sent if is_whole else sent[:len(sent) // 2]))
                if is_whole:
                    with contextlib.suppress(OSError):
                        connection.unwrap()
                    connection.close()
                else:
                    # Without close_notify.
                    socket.close(connection.detach())

    listener = socket.create_server(("localhost", 0), family=socket.AF_INET)
    threading.Thread(target=serve, daemon=True).start()
    url = f"https://localhost:{listener.getsockname()[1]}"
    with closed(listener), Sender(authorities=authority.file, environment=libcurl) as sender:
        whole, lost = (sender.send(f"{url}/{how}", method="GET") for how in ("whole", "lost"))
    if kind == "gzip":
        assert whole.get("error") == "bad_response"
    else:
        assert len(whole.get("body", "")) == len(body)
    assert "error" in lost and lost["mayHaveArrived"]


@pytest.mark.promise("processed-once")
def test_no_request_fails_while_nginx_is_reloaded(authority, backend, tmp_path):
    """nginx also ends connections, and no request is processed twice."""
    site = {"busy": (Server(authority).save(tmp_path, "busy"), "keepalive_requests 10;")}
    count, groups = 3000, 12
    with running_nginx(tmp_path, site, backend) as nginx, Sender(authorities=authority.file) as sender:
        over, reloads = threading.Event(), []

        def reload():
            while not over.wait(0.4):
                nginx.reload()
                reloads.append(time.monotonic())
        failed, lock = [], threading.Lock()

        def visit(group):
            for number in range(count // groups):
                outcome = sender.send(nginx.url("busy"), body=f"{group} {number}", group=f"{group}")
                if outcome.get("body") != f"{group} {number}":
                    with lock:
                        failed.append(outcome)
        reloader = threading.Thread(target=reload)
        visits = [threading.Thread(target=visit, args=[group]) for group in range(groups)]
        for thread in [reloader, *visits]:
            thread.start()
        for thread in visits:
            thread.join()
        over.set()
        reloader.join()
    assert not failed, failed[:2]
    assert len(reloads) >= 3, "nginx was hardly reloaded."
    assert len(backend.counted) == count and max(backend.counted.values()) == 1


def least(measure, times):
    """The least of several measured seconds."""
    def once():
        start = time.monotonic()
        measure()
        return time.monotonic() - start
    return min(once() for _ in range(times))


@pytest.mark.alone
def test_requests_of_a_sign_in_share_round_trips(authority, tmp_path):
    """Six requests of a sign-in over a delay of 60 ms take at most 9 round trips, as with one curl."""
    host = Server(authority, host=SERVER)
    host.certificate = sign(host.key.public_key(), host.name, authority, [
        (x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(SERVER))]), False)])
    with delayed_hosts(0.030):
        listener = inside("idx-server", lambda: socket.create_server((SERVER, 0)))
        with ProcessingServer(host.save(tmp_path, "far"), host=SERVER, listener=listener) as server:
            measured = []
            for turn in range(3):
                with Sender(authorities=authority.file, prefix=["ip", "netns", "exec", "idx-client"]) as sender:
                    start = time.monotonic()
                    for number in range(6):
                        assert sender.send(server.url, body=f"{turn} {number}", group="one").get("status") == 200
                    measured.append(time.monotonic() - start)
            curl = least(lambda: run(
                "ip", "netns", "exec", "idx-client", "curl", "-sS", "--cacert", authority.file, "-d", "curl",
                *[server.url] * 6), 3)
            trip = inside("idx-client", lambda: least(
                lambda: socket.create_connection(listener.getsockname()).close(), 5))
    print(f"a round trip {trip * 1000:.0f} ms, six requests {min(measured) / trip:.1f}, with curl {curl / trip:.1f}")
    assert min(measured) / trip <= 9


@pytest.mark.alone
def test_server_that_sends_without_end_stops_no_other_request(authority, backend, tmp_path):
    files = Server(authority).save(tmp_path, "floods")
    with ProcessingServer(files, lambda number: "flood") as server, \
            Sender(seconds=20, authorities=authority.file) as sender:
        start = time.monotonic()
        attacked = sender.start(server.url, body="attacked", group="one")
        wait_until(lambda: server.processed)
        assert sender.send(f"http://127.0.0.1:{backend.port}/", body="local").get("body") == "local"
        outcome = sender.outcome(attacked)
        # On a busy computer, the server sends too slowly for a flood: then the time limit ends the request.
        is_flood = outcome.get("error") == "bad_response" and "without end" in outcome["message"]
        assert is_flood or outcome.get("error") == "timed_out"
        assert time.monotonic() - start < 30


def test_server_that_lies_about_http_2_gets_a_connection_for_each_request(authority, tmp_path):
    """The connection is one of HTTP/1.1, whatever the status line says."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*Server(authority).save(tmp_path, "lies"))
    context.set_alpn_protocols(["http/1.1"])
    listener, accepted = socket.create_server(("127.0.0.1", 0)), []

    def lie():
        with contextlib.suppress(OSError):
            while True:
                stream = context.wrap_socket(listener.accept()[0], server_side=True)
                accepted.append(stream)
                stream.recv(65536)
                stream.sendall(b"HTTP/2 200\r\nContent-Length: 2\r\n\r\nok")
    threading.Thread(target=lie, daemon=True).start()
    with closed(listener, accepted), Sender(authorities=authority.file) as sender:
        for _ in range(3):
            sender.send(f"https://localhost:{listener.getsockname()[1]}/", body="x", group="one")
    assert len(accepted) == 3


# MARK: Proxies and names

@contextlib.contextmanager
def tinyproxy(folder, target):
    """A proxy that asks for a password; its port."""
    port = free_port()
    configuration = folder / "tinyproxy.conf"
    configuration.write_text(
        f"Port {port}\nListen 127.0.0.1\nTimeout 60\nBasicAuth ada Gehe1m\nMaxClients 20\n"
        f"ConnectPort {target}\nLogLevel Error\n")
    proxy = subprocess.Popen(["tinyproxy", "-d", "-c", configuration], stdout=subprocess.DEVNULL)
    try:
        wait_for_port(port, proxy)
        yield port
    finally:
        proxy.terminate()
        proxy.wait()


def test_request_goes_through_a_proxy_and_an_error_names_it_without_the_password(
        libcurl, authority, backend, tmp_path):
    run("ip", "addr", "replace", f"{SERVER}/32", "dev", "lo")
    listener = socket.create_server((SERVER, 0))
    files = Server(authority, host="org.example").save(tmp_path, "org")
    with replaced("/etc/hosts", f"{SERVER} org.example\n127.0.0.1 localhost\n", tmp_path), \
            tinyproxy(tmp_path, listener.getsockname()[1]) as port, \
            ProcessingServer(files, host="org.example", listener=listener) as org:
        for number, (address, result) in enumerate({
            f"http://ada:Gehe1m@127.0.0.1:{port}": 200, f"ada:Gehe1m@localhost:{port}": 200,
            f"http://ada:wrong@127.0.0.1:{port}": "proxy_refused",
            f"http://127.0.0.1:{port}": "proxy_refused", "foo://127.0.0.1": "unreachable",
            f"http://ada:Gehe1m@127.0.0.1:{free_port()}": "unreachable",
            "http://ada:Gehe1m@nowhere.invalid:1": "unreachable",
        }.items()):
            with Sender(authorities=authority.file, environment={"https_proxy": address, **libcurl}) as sender:
                outcome = sender.send(org.url, body=f"{number}", group="one")
                assert result in (outcome.get("status"), outcome.get("error")), (address, outcome)
                if "error" in outcome:
                    assert not outcome["mayHaveArrived"] and "through the proxy" in outcome["message"]
                for secret in "Gehe1m", "wrong", "ada":
                    assert secret not in str(outcome)
                # Requests for this computer never use it.
                assert sender.send(f"http://127.0.0.1:{backend.port}/", body="local").get("body") == "local"
        with Sender(authorities=authority.file, environment={
                "https_proxy": "http://127.0.0.1:1", "no_proxy": "org.example", **libcurl}) as sender:
            assert sender.send(org.url, body="direct").get("status") == 200
        assert max(org.processed.values()) == 1


@pytest.mark.alone
def test_request_can_be_canceled_while_its_name_is_looked_up(libcurl, backend, tmp_path):
    """Others go on meanwhile."""
    with socket.socket(type=socket.SOCK_DGRAM) as silent, \
            replaced("/etc/resolv.conf", "nameserver 127.0.0.53\noptions timeout:4 attempts:1\n", tmp_path), \
            replaced("/etc/nsswitch.conf", "hosts: files dns\n", tmp_path), Sender(environment=libcurl) as sender:
        silent.bind(("127.0.0.53", 53))
        start = time.monotonic()
        slow, other = sender.start("https://slow.example/"), sender.start("https://other.example/")
        time.sleep(0.3)
        sender.cancel(slow)
        assert "Cancellation" in sender.outcome(slow)["error"]
        assert sender.send(f"http://127.0.0.1:{backend.port}/", body="local").get("body") == "local"
        assert time.monotonic() - start < 2
        assert sender.outcome(other)["error"] == "unknown_host"


@pytest.mark.promise("https-only")
@pytest.mark.parametrize("libcurl", ["7.71.1"], indirect=True)
def test_another_computer_with_the_name_localhost_gets_no_plain_request(libcurl, tmp_path):
    """Newer versions know what localhost is. With older ones, a name of this computer may be another one."""
    run("ip", "addr", "replace", f"{SERVER}/32", "dev", "lo")
    other = socket.create_server((SERVER, 0))
    with replaced("/etc/hosts", f"{SERVER} localhost\n", tmp_path), Sender(environment=libcurl) as sender:
        outcome = sender.send(f"http://localhost:{other.getsockname()[1]}/", body="secret")
    assert outcome.get("error") == "scheme_refused" and not outcome["mayHaveArrived"]


# MARK: Waiting

@pytest.mark.alone
@pytest.mark.promise("open-request")
def test_waiting_request_uses_one_descriptor_and_no_processor_time(backend, tmp_path):
    """Programs do not inherit the descriptor."""
    held = []
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                held.append(listener.accept()[0])

    threading.Thread(target=accept, daemon=True).start()
    url, home = f"http://127.0.0.1:{listener.getsockname()[1]}/", tmp_path / "home"
    with closed(listener, held), \
            Sender(seconds=100, environment={"HOME": str(home), "XDG_DATA_HOME": str(home)}) as sender:
        assert sender.send(f"http://127.0.0.1:{backend.port}/", body="first").get("status") == 200
        before, kibibytes = len(sender.sockets()), processes.memory(sender.process.pid)
        numbers = [sender.start(url, body="x") for _ in range(1000)]
        wait_until(lambda: len(held) >= 1000, 30)
        time.sleep(0.5)
        flags = sender.sockets()
        assert len(flags) - before == 1000
        inherited = [flag for flag in flags if not flag & os.O_CLOEXEC]
        print(f"{(processes.memory(sender.process.pid) - kibibytes) / 1000:.0f} KiB for each request")
        start = processes.processor_seconds(sender.process.pid)
        time.sleep(6)
        assert processes.processor_seconds(sender.process.pid) - start <= 0.05
        for number in numbers:
            sender.cancel(number)
        for number in numbers:
            assert "Cancellation" in sender.outcome(number)["error"]
        wait_until(lambda: len(sender.sockets()) <= before, 10)
        assert len(sender.sockets()) == before
    assert not home.exists()
    # libcurl has a pair of its own, to wake up.
    assert len(inherited) <= 2


def test_command_that_sends_nothing_needs_little_memory_and_no_libcurl(idx_flow):
    # The system counts the memory of the process that starts another, so it must be a small one.
    measure = "import os, sys; child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); " \
        "print(os.wait4(child, 0)[2].ru_maxrss)"
    memory = int(run(sys.executable, "-S", "-c", measure, idx_flow, "version").split()[-1]) / 1024
    libraries = run("ldd", idx_flow).splitlines()
    assert memory <= 20.5 and len(libraries) <= 26
    assert not [line for line in libraries if "curl" in line]


@pytest.mark.promise("open-request")
def test_command_ends_without_a_crash_while_a_request_is_open(idx_flow, backend, home):
    """Also while libcurl is loaded."""
    # The command fetches the keys in the background, and finds at once that the entry does not fit.
    script = home.write("script.json", '[{"step": "identify", "fields": {"credentials.passcode": "x"}}]')
    for _ in range(150):
        home.run(idx_flow, "signin", "--flow", "direct", "--first-factor", "password", "--client-id", "app",
                 "--no-store", "--issuer", f"http://127.0.0.1:{backend.port}", "--script", script,
                 SWIFT_BACKTRACE="enable=no", status=2)


def test_program_with_slow_threads_ends_without_a_crash(authority, backend, tmp_path):
    """It ends as soon as its requests are answered."""
    library = tmp_path / "slow_ends.so"
    run("clang", "-shared", "-fPIC", "-o", library, SLOW_ENDS, "-ldl")
    with running_nginx(tmp_path, sites(authority, tmp_path), backend) as nginx:
        for _ in range(3):
            with Sender(authorities=authority.file, environment={"LD_PRELOAD": str(library)}) as sender:
                assert sender.send(nginx.url("good"), body="last").get("body") == "last"
