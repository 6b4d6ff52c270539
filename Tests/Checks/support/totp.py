"""The codes of an authenticator app (RFC 6238)."""
import base64
import hmac
import struct
import time


def totp(key):
    """The code of a key in Base32, now; the key may be written in groups."""
    key = key.replace(" ", "")
    secret = base64.b32decode(key + "=" * (-len(key) % 8))
    digest = hmac.digest(secret, struct.pack(">Q", int(time.time()) // 30), "sha1")
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start:start + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"
