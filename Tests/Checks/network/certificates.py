"""Certificates for tests: an authority of its own, and servers with the mistakes that badssl.com shows."""
import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """A certificate authority; of its own, or one that another one certifies."""

    def __init__(self, title, issuer=None):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = name(title)
        self.certificate = sign(self.key.public_key(), self.name, issuer or self, [
            (x509.BasicConstraints(ca=True, path_length=None), True)])

    @property
    def pem(self):
        return pem(self.certificate)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def sign(public_key, subject, issuer, extensions, start=NOW - DAY, end=NOW + 30 * DAY):
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer.name)
        .public_key(public_key).serial_number(x509.random_serial_number())
        .not_valid_before(start).not_valid_after(end))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer.key, hashes.SHA256())


class Server:
    """The key and the certificates of a server."""

    def __init__(self, issuer, host="localhost", chain=(), **times):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = name(host)
        hosts = [x509.DNSName(host)]
        if host == "localhost":
            hosts += [x509.IPAddress(ipaddress.ip_address(text)) for text in ("127.0.0.1", "::1")]
        self.certificate = sign(
            self.key.public_key(), self.name, issuer or self,
            [(x509.SubjectAlternativeName(hosts), False)], **times)
        self.chain = chain

    def save(self, folder, title):
        """Writes the files that servers want, and returns their paths."""
        certificate, key = folder / f"{title}.pem", folder / f"{title}.key"
        certificate.write_bytes(pem(self.certificate) + b"".join(other.pem for other in self.chain))
        key.write_bytes(self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        return certificate, key
