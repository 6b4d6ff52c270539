import IDXBase

/// A key and a token from another implementation: `cryptography` 48.0.0 for Python.
///
/// The key comes from `rsa.generate_private_key(3, 2052)`; `Tests/Checks/test_cryptography.py` has keys of
/// other sizes. The token was signed by
/// `key.sign(header + b"." + payload, padding.PKCS1v15(), hashes.SHA256())`. Each part is
/// `base64.urlsafe_b64encode(…).rstrip(b"=")` of compact JSON. `at_hash` and `ds_hash` are the first
/// 16 bytes of `hashlib.sha256` of `at-invented` and `ds-invented`. The private key was not kept.
enum ExternalToken {
  static let key = """
    {"kty":"RSA","alg":"RS256","use":"sig","kid":"odd","e":"Aw",\
    "n":"\
    C7j4JP9EUVstyRCDagVkD5awO4Ngv2FODsgf8i1lMiHT5NBTl-TPtKs1bRxLlbfhfcNigrjQqifqZEkOLwcaZZ6H\
    yNW4eZtU5r7WICQD9KKGCcgfjg0z__jzgcg8P-rxLfZMM2qZEvJpDIHxQJbQbFz6ScpnFc0nzP-QA7Fu0MJI-Q29\
    G7PS6rbUPYXYP067hwV5l403rD6kL3PyxdVdxZrgMUtTpd4Q5IOyt5CuKeYur52meIfp-y1dACqNIkZy0hi3X_je\
    g-uf7jw2a6HmkuIdrA9AhSy3jTfcPaHnBRGNRalg7KFbHL8-SFckZ6MevxKeV3sOP104fMR4ei2UH_E"}
    """

  static let text: Secret = """
    eyJhbGciOiJSUzI1NiIsImtpZCI6Im9kZCJ9.eyJpc3MiOiJodHRwczovL29jYXJpbmEuZXhhbXBsZS9vYXV0aDI\
    vZGVmYXVsdCIsImF1ZCI6IjBvYUludmVudGVkIiwic3ViIjoiMDB1QW1hbCIsImlhdCI6NDEwMjQ0NDgwMCwiZXh\
    wIjo0MTAyNDQ4NDAwLCJhdXRoX3RpbWUiOjQxMDI0NDQ3MDAsImFtciI6WyJwd2QiLCJvdHAiXSwibm9uY2UiOiJ\
    uLTBTNi1pbnZlbnRlZCIsImF0X2hhc2giOiJZbjMxdVc3N3NuWDJLV1VkNUxPaVRnIiwiZHNfaGFzaCI6InpVel9\
    oLTZIS3NEZWc3dXdvSEctRlEiLCJ2ZXIiOjEsImp0aSI6IklELmludmVudGVkIiwiaWRwIjoiMDBvSW52ZW50ZWQ\
    iLCJwcmVmZXJyZWRfdXNlcm5hbWUiOiJhbWFsQG9jYXJpbmEuZXhhbXBsZSIsIm5hbWUiOiJBbWFsIMOYc3QiLCJ\
    lbWFpbCI6ImFtYWxAb2NhcmluYS5leGFtcGxlIn0.C05l047eygGqIcv6QHDtYoRS1aFuqSko0rkWxEue2X0Fd7b\
    jg2ShNPBCtaKcw7WMaNY7NS-v2a08Tm_2EPJwtThcqCacOyvHjG9WXjj0i3xjsCgfuytzuYdbjeYvl_22M-xQpCw\
    gCo_8z-IbXCPf6y8VOoHFvzXsRSM_HJsCOSI_8eYFVlF4HFEVYlanAkCqwLnKtr9wT7lAGwehR3VvVTuDeBUbIVc\
    nI-Ua9i3Fs8PMZSFnRM1dxD1VI9S_iPFzy17GsjDi7dJCCX0-o0OKTKr4WajaZYNuTkYt1LgPJGiMn8GhG790BfY\
    TsiYI4VJQN_xQK82JnviEb2x_0ChMdBk
    """
}
