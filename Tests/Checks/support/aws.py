"""Services of AWS that run on this computer: moto, and one that checks what AWS checks."""
import base64
import contextlib
import datetime
import logging
import os
import re
import urllib.parse
import xml.etree.ElementTree
import xml.sax.saxutils

import jwt
from moto.server import ThreadedMotoServer

from .home import LOGIN
from .listener import Listener

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/NAME"


@contextlib.contextmanager
def moto():
    """The address of moto, which gives keys to everybody."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    # Its server writes a line for each request.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


class StrictService:
    """A security token service that checks an ID token like AWS: its provider, audience, signature, time and subject.

    Of a SAML response, it checks the role with its provider, the audience, the recipient and the time, but not the
    signature. The texts of the errors are those of AWS.
    """

    def __init__(self, org):
        self.org = org
        # What an administrator has configured.
        self.providers = {org.issuer: [org.client]}
        self.subjects, self.longest = None, 3600
        # An error that does not follow from the request.
        self.failure = None
        self.count = 0
        self.server = Listener(self.respond)
        self.address, self.close = self.server.address, self.server.close

    def respond(self, exchange):
        self.count += 1
        fields = exchange.address + str(exchange.headers)
        # The token or the response is only in the body.
        assert "eyJ" not in fields and "PD94" not in fields and "Authorization" not in exchange.headers
        form = dict(urllib.parse.parse_qsl(exchange.body.decode()))
        action = form.pop("Action")
        assert action in ("AssumeRoleWithWebIdentity", "AssumeRoleWithSAML") and form.pop("Version") == "2011-06-15"
        check = self.error if action == "AssumeRoleWithWebIdentity" else self.saml_error
        error = self.failure or check(form)
        if error:
            status, code, message = error
            name = "ErrorResponse"
            body = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{xml.sax.saxutils.escape(message)}" \
                "</Message></Error><RequestId>01234567-89ab-cdef-0123-456789abcdef</RequestId>"
        else:
            seconds = int(form.get("DurationSeconds", 3600))
            end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
            values = {
                "AccessKeyId": f"ASIASTRICT{self.count:08}", "SecretAccessKey": f"a/secret+{self.count:030}",
                "SessionToken": base64.b64encode(os.urandom(600)).decode(),
                "Expiration": f"{end:%Y-%m-%dT%H:%M:%SZ}"}
            keys = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
            status, name = 200, f"{action}Response"
            body = f"\n  <{action}Result>\n    <Audience>{self.org.client}</Audience>" \
                f"<Credentials>{keys}</Credentials></{action}Result>\n"
        text = f'<{name} xmlns="https://sts.amazonaws.com/doc/2011-06-15/">{body}</{name}>'
        return status, {"Content-Type": "text/xml"}, text.encode()

    def error(self, form):
        """Status, code and message of the refusal; None if there is no reason for one."""
        token = form["WebIdentityToken"]
        claims = jwt.decode(token, options={"verify_signature": False})
        issuer, audiences = claims["iss"], self.providers.get(claims["iss"])
        if audiences is None:
            return 400, "InvalidIdentityToken", f"No OpenIDConnect provider found in your account for {issuer}"
        if claims["aud"] not in audiences:
            return 400, "InvalidIdentityToken", "Incorrect token audience"
        try:
            key = jwt.PyJWKClient(f"{issuer}/v1/keys").get_signing_key_from_jwt(token)
        except jwt.PyJWKClientError:
            return (400, "InvalidIdentityToken", "Couldn't retrieve verification key from your identity provider, "
                    "please reference AssumeRoleWithWebIdentity documentation for requirements")
        jwt.decode(token, key.key, algorithms=["RS256"], audience=self.org.client, issuer=self.org.issuer)
        if form["RoleArn"] != ROLE or self.subjects is not None and claims["sub"] not in self.subjects:
            return 403, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity"
        if int(form.get("DurationSeconds", 3600)) > self.longest:
            return (400, "ValidationError",
                    "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
        assert re.fullmatch(r"[\w+=,.@-]{2,64}", form["RoleSessionName"], re.ASCII)
        return None

    def saml_error(self, form):
        """The same for a SAML response."""
        assert set(form) <= {"RoleArn", "PrincipalArn", "SAMLAssertion", "DurationSeconds"}, form
        root = xml.etree.ElementTree.fromstring(base64.b64decode(form["SAMLAssertion"], validate=True))
        name = "{urn:oasis:names:tc:SAML:2.0:assertion}"
        values = {
            attribute.get("Name").rpartition("/")[2]: [value.text for value in attribute.iter(name + "AttributeValue")]
            for attribute in root.iter(name + "Attribute")}
        if f"{form['PrincipalArn']},{form['RoleArn']}" not in values["Role"]:
            return 403, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithSAML"
        recipient = root.find(f".//{name}SubjectConfirmationData")
        assert recipient.get("Recipient") == root.get("Destination") == "https://signin.aws.amazon.com/saml"
        assert root.find(f".//{name}Audience").text == "urn:amazon:webservices"
        now = datetime.datetime.now(datetime.timezone.utc)
        end = datetime.datetime.fromisoformat(recipient.get("NotOnOrAfter").replace("Z", "+00:00"))
        if now >= end:
            return 400, "ExpiredTokenException", "Token must be redeemed within 5 minutes of issuance"
        if int(form.get("DurationSeconds", 3600)) > self.longest:
            return (400, "ValidationError",
                    "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
        assert values["RoleSessionName"] == [LOGIN]
        return None
