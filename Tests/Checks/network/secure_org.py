"""A simulated org that is reached over https, with a certificate of an authority of its own."""
import contextlib
import pathlib
import subprocess

from certificates import Authority, Server
from nginx import running_nginx
from support.ports import free_port
from support.served_org import facts

SYSTEM = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")


class SecureOrg:
    """What a client needs to know.

    `facts` are what the program prints, and `authorities` is a file with the certificates of the org's authority and
    of those of the system.
    """

    def __init__(self, process, folder):
        self.facts, authority = facts(process), Authority("Authority of a simulated org")
        self.authorities = folder / "authorities.pem"
        self.authorities.write_bytes(SYSTEM.read_bytes() + authority.pem)
        self.files = Server(authority).save(folder, "org")

    @property
    def options(self):
        """The options of idx-flow and WebSignIn that name the org."""
        return ["--issuer", self.facts["issuer"], "--client-id", self.facts["client ID"]]


@contextlib.contextmanager
def secure_org(program, folder, *options):
    """An org that ends with its `with` statement."""
    port, org_port = free_port(), free_port()
    process = subprocess.Popen(
        [program, "--port", str(org_port), "--address", f"https://localhost:{port}", *options],
        text=True, stdout=subprocess.PIPE)
    try:
        org = SecureOrg(process, folder)
        org.port = org_port
        with running_nginx(folder, {"org": (org.files, "")}, org, {"org": port}):
            yield org
    finally:
        process.terminate()
        process.wait()
