"""Our signatures, hashes, HMACs and one-time codes are those of OpenSSL, for random inputs and new keys."""
import functools
import os
import random
import re
import secrets
import subprocess

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from support import environment

pytestmark = pytest.mark.promise("id-token")
COUNT = 1_667
HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha512": hashes.SHA512()}
# Messages end at all places around the ends of one, two and three blocks, with and without the length.
BORDERS = [border + offset for block in (64, 128) for times in range(4) for offset in range(-18, 3)
           if (border := block * times) + offset >= 0]
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
# The last scalars, the first ones, and those with long runs of equal bits.
EDGES = [1, 2, 3, ORDER - 1, ORDER - 2, ORDER >> 1, 1 << 255, (1 << 128) - 1, 1 << 64]
# As in RFC 6979.
SIGNING = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)


@pytest.fixture(scope="module")
def program(release):
    return release("CryptographyAnswers")


def some_bytes(generator):
    return generator.randbytes(generator.choice(BORDERS) if generator.random() < 0.8 else generator.randrange(2000))


def hexadecimal(data):
    return data.hex() or "-"


# Each of these makes a question for the program, and the answer of OpenSSL.

def hash_question(generator):
    name, message = generator.choice(list(HASHES)), some_bytes(generator)
    digest = hashes.Hash(HASHES[name])
    digest.update(message)
    return f"hash {name} {hexadecimal(message)}", digest.finalize().hex()


def hmac_question(generator):
    name = generator.choice(list(HASHES))
    # OpenSSL accepts no empty keys.
    key, message = some_bytes(generator) or b"k", some_bytes(generator)
    code = hmac.HMAC(key, HASHES[name])
    code.update(message)
    return f"hmac {name} {key.hex()} {hexadecimal(message)}", code.finalize().hex()


def totp_question(generator):
    name = generator.choice(list(HASHES))
    key, digits = some_bytes(generator) or b"k", generator.choice([6, 7, 8])
    period, seconds = generator.choice([30, 60, 1, 17]), generator.randrange(generator.choice([100, 2 ** 31, 2 ** 40]))
    totp = TOTP(key, digits, HASHES[name], period, enforce_key_length=False)
    return f"totp {name.upper()} {key.hex()} {digits} {period} {seconds}", totp.generate(seconds).decode()


def damaged(generator, signature, modulus):
    """The signature with a change that must be noticed, or the same number in another number of bytes."""
    number, size = int.from_bytes(signature, "big"), len(signature)
    match generator.randrange(9):
        case 0:
            return (number ^ 1 << generator.randrange(size * 8 - 8)).to_bytes(size, "big")
        case 1:
            return b"\0" + signature
        case 2:
            return signature[1:] if signature[0] == 0 else signature[:-1]
        case 3:
            more = number + modulus
            return more.to_bytes((more.bit_length() + 7) // 8, "big")
        case 4:
            return (modulus - number).to_bytes(size, "big")
        case 5:
            return generator.choice([0, 1, modulus - 1, modulus]).to_bytes(size, "big")
        case 6:
            return signature[::-1]
        case 7:
            return generator.randbytes(size)
    return b""


@functools.cache
def rsa_keys():
    return [rsa.generate_private_key(random.choice([3, 65537]), size)
            for size in [2048, 2048, 2049, 2055, 2056, 3072, 4096]]


def is_valid(verify, *arguments):
    try:
        verify(*arguments)
        return "true"
    except InvalidSignature:
        return "false"


def rsa_question(generator):
    key, message, chance = generator.choice(rsa_keys()), some_bytes(generator), generator.random()
    numbers = key.public_key().public_numbers()
    name = generator.choice(["sha1", "sha512"]) if chance < 0.1 else "sha256"
    scheme = padding.PSS(padding.MGF1(hashes.SHA256()), 32) if chance > 0.9 else padding.PKCS1v15()
    signature = key.sign(message, scheme, HASHES[name])
    if generator.random() < 0.4:
        signature = damaged(generator, signature, numbers.n)
    if generator.random() < 0.1:
        message += b"!"
    modulus, exponent = (f"{value:0{(value.bit_length() + 7) // 8 * 2}x}" for value in (numbers.n, numbers.e))
    return (f"rsa {modulus} {exponent} {hexadecimal(signature)} {hexadecimal(message)}",
            is_valid(key.public_key().verify, signature, message, padding.PKCS1v15(), hashes.SHA256()))


def p256_sign_question(generator):
    message = some_bytes(generator)
    number = generator.choice(EDGES) if generator.random() < 0.1 else generator.randrange(1, ORDER)
    if generator.random() < 0.05:
        number = generator.choice([0, ORDER, ORDER + 1, (1 << 256) - 1])
        return f"p256-sign {number:064x} {hexadecimal(message)}", "no key"
    key = ec.derive_private_key(number, ec.SECP256R1())
    public = key.public_key().public_numbers()
    r, s = decode_dss_signature(key.sign(message, SIGNING))
    return f"p256-sign {number:064x} {hexadecimal(message)}", f"{public.x:064x}{public.y:064x}{r:064x}{s:064x}"


def p256_verify_question(generator):
    message = some_bytes(generator)
    key = ec.derive_private_key(generator.randrange(1, ORDER), ec.SECP256R1())
    public = key.public_key().public_numbers()
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    match generator.randrange(12):
        case 0:
            r ^= 1 << generator.randrange(256)
        case 1:
            s ^= 1 << generator.randrange(256)
        case 2:
            r, s = generator.choice([(0, s), (r, 0), (ORDER, s), (r, ORDER), (0, 0), (s, r)])
        case 3:
            s = ORDER - s  # also valid
        case 4:
            message += b"!"
    return (f"p256-verify {public.x:064x} {public.y:064x} {r:064x}{s:064x} {hexadecimal(message)}",
            is_valid(key.public_key().verify, encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256())))


@pytest.mark.parametrize("question", [
    hash_question, hmac_question, totp_question, rsa_question, p256_sign_question, p256_verify_question],
    ids=["hash", "hmac", "totp", "rsa", "p256_sign", "p256_verify"])
def test_answers_are_those_of_openssl(program, question):
    seed = os.environ.get("IDX_SEED") or secrets.token_hex(8)
    print(f"To repeat this, set IDX_SEED={seed}; keys of RSA are always new.")
    generator = random.Random(seed)
    pairs = [question(generator) for _ in range(COUNT)]
    run = subprocess.run([program], input="".join(f"{text}\n" for text, _ in pairs), capture_output=True, text=True)
    answers = run.stdout.splitlines()
    assert run.returncode == 0 and len(answers) == COUNT, run.stderr
    wrong = [f"{text}\n  OpenSSL: {expected}\n  here:    {answer}"
             for (text, expected), answer in zip(pairs, answers) if answer != expected]
    assert not wrong, "\n".join([f"{len(wrong)} answers differ:", *wrong[:5]])


def test_no_branch_and_no_address_depends_on_a_private_key(program):
    """The bytes of the key were never set, so valgrind reports what depends on them."""
    environment.install({"valgrind": "valgrind"})
    run = subprocess.run(["valgrind", "--num-callers=2", program, "unknown-key"], capture_output=True, text=True)
    assert "signed: 64 bytes" in run.stdout, run.stdout + run.stderr
    reports = re.findall(r"(?:Conditional jump|Use of uninitialised).*\n==\d+==    at 0x\w+: (\S+)", run.stderr)
    # P256.sign decides whether the numbers of a signature can be used; a key that this tells about is not used.
    decisions = {place for place in reports if "P256" in place and "4sign_" in place}
    # Without these reports, valgrind would not watch the key.
    assert decisions, run.stderr[-2000:]
    assert set(reports) == decisions
