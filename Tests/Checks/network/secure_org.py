"""A simulated org that is reached over https, with a certificate of an authority of its own."""
import contextlib
import pathlib
import subprocess

from certificates import Authority, Server
from nginx import Nginx
from support.ports import free_port
from support.served_org import facts

SYSTEM = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")


class SecureOrg:
    """What a client needs to know.

    `facts` are what the program prints, `authority` is the certificate of the authority, and `authorities` is a
    file with it and those of the system.
    """

    def __init__(self, process, folder):
        self.port, self.facts = 0, facts(process)
        self.authority = Authority("Authority of a simulated org")
        self.authorities = folder / "authorities.pem"
        self.authorities.write_bytes(SYSTEM.read_bytes() + self.authority.pem)
        self.files = Server(self.authority).save(folder, "org")

    @property
    def options(self):
        """The options of idx-flow and WebSignIn that name the org."""
        return ["--issuer", self.facts["issuer"], "--client-id", self.facts["client ID"]]


@contextlib.contextmanager
def secure_org(program, folder, *options):
    """An org that ends with its `with` statement."""
    port, backend = free_port(), free_port()
    process = subprocess.Popen(
        [program, "--port", str(backend), "--address", f"https://localhost:{port}", *options],
        text=True, stdout=subprocess.PIPE)
    try:
        org = SecureOrg(process, folder)
        org.port = backend
        with Nginx(folder, {"org": (org.files, "")}, org, {"org": port}):
            yield org
    finally:
        process.terminate()
        process.wait()
