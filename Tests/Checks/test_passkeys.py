"""py_webauthn verifies new passkeys and signatures, and refuses changed ones."""
import base64
import json

import pytest
import webauthn
from webauthn.helpers.exceptions import InvalidAuthenticationResponse, InvalidRegistrationResponse

ORIGIN, SITE = "https://demo.okta.example", "demo.okta.example"
ATTESTATIONS = ["none", "itself"]


@pytest.fixture(scope="module")
def written(swift_test, tmp_path_factory):
    """The requests and answers that the tests of Swift write."""
    folder = tmp_path_factory.mktemp("passkeys")
    swift_test("PasskeySignInTests", IDX_PASSKEY_OUT=folder)

    def read(attestation, kind):
        exchange = json.loads((folder / f"{attestation}-{kind}.json").read_text())
        return exchange["request"], exchange["body"]["credentials"]
    return read


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def changed(sent, name, position):
    """The same values with one bit of one byte changed."""
    data = bytearray(decode(sent[name]))
    data[position] ^= 1
    return {**sent, name: encode(bytes(data))}


def place(sent):
    """Where the authenticator data begin in an attestation, and the ID of the passkey in them."""
    data = decode(sent["attestation"])
    start = data.index(b"authData") + len(b"authData") + 2
    length = int.from_bytes(data[start + 53:start + 55], "big")
    return start, encode(data[start + 55:start + 55 + length])


def register(request, sent, identifier):
    return webauthn.verify_registration_response(
        credential={
            "id": identifier, "rawId": identifier, "type": "public-key",
            "response": {
                "attestationObject": sent["attestation"], "clientDataJSON": sent["clientData"],
                "transports": json.loads(sent["transports"])},
            "clientExtensionResults": json.loads(sent["clientExtensions"])},
        expected_challenge=decode(request["challenge"]), expected_origin=ORIGIN, expected_rp_id=SITE)


def authenticate(request, sent, identifier, key):
    return webauthn.verify_authentication_response(
        credential={
            "id": identifier, "rawId": identifier, "type": "public-key",
            "response": {
                "authenticatorData": sent["authenticatorData"],
                "clientDataJSON": sent["clientData"], "signature": sent["signatureData"]},
            "clientExtensionResults": {}},
        expected_challenge=decode(request["challenge"]), expected_origin=ORIGIN, expected_rp_id=SITE,
        credential_public_key=key, credential_current_sign_count=0)


def registered(written, attestation):
    """The ID and the public key of a new passkey."""
    request, sent = written(attestation, "registration")
    identifier = place(sent)[1]
    return identifier, register(request, sent, identifier).credential_public_key


@pytest.mark.parametrize("attestation", ATTESTATIONS)
def test_new_passkey_is_verified(written, attestation):
    request, sent = written(attestation, "registration")
    identifier = place(sent)[1]
    made = register(request, sent, identifier)
    assert encode(made.credential_id) == identifier
    assert made.fmt == ("none" if attestation == "none" else "packed")
    assert json.loads(decode(sent["clientData"]))["challenge"] == request["challenge"]


@pytest.mark.parametrize("attestation", ATTESTATIONS)
def test_signature_is_verified(written, attestation):
    assert authenticate(*written(attestation, "assertion"), *registered(written, attestation)).new_sign_count == 1


def refused(call, error):
    with pytest.raises(Exception) as raised:
        call()
    # A changed byte can also damage the form of the data.
    assert isinstance(raised.value, error) or "CBOR" in str(raised.value) or "JSON" in str(raised.value)


@pytest.mark.parametrize("attestation, changed_part", [
    *((attestation, part) for attestation in ATTESTATIONS for part in ["site", "presence", "challenge"]),
    ("itself", "ID"), ("itself", "signature")])
def test_changed_passkey_is_refused(written, attestation, changed_part):
    request, sent = written(attestation, "registration")
    start, identifier = place(sent)
    name, position = {
        "site": ("attestation", start), "presence": ("attestation", start + 32), "challenge": ("clientData", 40),
        "ID": ("attestation", start + 56),
        "signature": ("attestation", decode(sent["attestation"]).find(b"sig") + 40)}[changed_part]
    refused(lambda: register(request, changed(sent, name, position), identifier), InvalidRegistrationResponse)


@pytest.mark.parametrize("attestation", ATTESTATIONS)
@pytest.mark.parametrize("name, position", [
    ("authenticatorData", 0), ("authenticatorData", 32), ("authenticatorData", 36), ("clientData", 40),
    ("clientData", -3), ("signatureData", 10), ("signatureData", -1)])
def test_changed_signature_is_refused(written, attestation, name, position):
    request, sent = written(attestation, "assertion")
    passkey = registered(written, attestation)
    refused(lambda: authenticate(request, changed(sent, name, position), *passkey), InvalidAuthenticationResponse)
