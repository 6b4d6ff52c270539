/// Keys and tokens from another implementation: `cryptography` 48.0.0 for Python.
///
/// The keys come from `rsa.generate_private_key(e, bits)`, with 2048 bits and e = 65537, 2052 bits and
/// e = 3, and 4096 bits and e = 65537. The tokens have the same claims, each signed with one key by
/// `key.sign(header + b"." + payload, padding.PKCS1v15(), hashes.SHA256())`. Each part is
/// `base64.urlsafe_b64encode(…).rstrip(b"=")` of compact JSON. `at_hash` and `ds_hash` are the first
/// 16 bytes of `hashlib.sha256` of `at-invented` and `ds-invented`. The private keys were not kept.
enum ExternalTokens {
  static let keys = """
    {"keys":[\
    {"kty":"RSA","alg":"RS256","use":"sig","kid":"two","e":"AQAB",\
    "n":"\
    za-SvkUXah2hbXnPZ9mdj0R7U-Mn0yJS7XtWswRIsfRtHQw7pncS3N668fxq0xTXemb2Jry5IMUp6RnLyLO7Xg9s\
    ge6y7kB0fvS4ExdpoeDIx02ZhhGKs9Lzo8_nwzSosmgyz_-3vL0Io2cv-Jn41Vaqxzc52AcGqVr5i5GsQhkP7B0z\
    2oDIIlJMCB-R-84RX7CY2esOYlLCnzLaIVRoubSKwTJz5wnijuGazOXXDu0oEKgqKTXF9N7W7SnZ0rd1soZkGCGF\
    dA2lrSIC6lDVgQH7QRDQFi7WMEec9Pd89O5aHmBwmXjjBEQmPLiXrtx3UQ-3WbGxcQw3w69_4KQdOw"},\
    {"kty":"RSA","alg":"RS256","use":"sig","kid":"odd","e":"Aw",\
    "n":"\
    C7j4JP9EUVstyRCDagVkD5awO4Ngv2FODsgf8i1lMiHT5NBTl-TPtKs1bRxLlbfhfcNigrjQqifqZEkOLwcaZZ6H\
    yNW4eZtU5r7WICQD9KKGCcgfjg0z__jzgcg8P-rxLfZMM2qZEvJpDIHxQJbQbFz6ScpnFc0nzP-QA7Fu0MJI-Q29\
    G7PS6rbUPYXYP067hwV5l403rD6kL3PyxdVdxZrgMUtTpd4Q5IOyt5CuKeYur52meIfp-y1dACqNIkZy0hi3X_je\
    g-uf7jw2a6HmkuIdrA9AhSy3jTfcPaHnBRGNRalg7KFbHL8-SFckZ6MevxKeV3sOP104fMR4ei2UH_E"},\
    {"kty":"RSA","alg":"RS256","use":"sig","kid":"four","e":"AQAB",\
    "n":"\
    oFvPVHRZU1b1SewwHaLUpCWzidDWLyHS4TYZXKesiBHNk93A_5q-qplrzKt__OODDEY-OROyPY2wcQyROzUHS9Rk\
    NsBWpUlxTNliWRbT00iU6qvKofCHFPjhGWDyGlu6wHwk_Jfmcu10UMXB2oXVEO9Hkzahmx2j8qW0AYWq5dCisjd6\
    KWABOUTXLFGKrujw0rDCIaAsqasG3S57w4Q19ZMS2nJIaD3Cdh5rq7Nh4ow8gjJnIfzzZblwnn-oRi94cetxV2u0\
    towaplxFfB445Z8mpP2e8TGea8umToIkTPVcO6loDH3sKR2Do-Zf25NdzFhadH5Kw1ld1iw80J5-A0ESqWNmG6WG\
    hZtgeNMwj68GRkFLiihxTkiaEuBkDFV-QxXWA_3v2Dbev3UEmW_EfvV7ZEjzeuobFe33zAMLjvFgfoyVCdfqBucJ\
    6ieT-A9ON9UK7T4zx2fbbc40DCnXBdtxMzsPNbPoLD7IFgGJ1369b5t6HFhk9hJHTJ9VMy_o-3EC_NyWxV-LgFC6\
    quTTsmCoDFcpoYTTVk6_44mCYWaiEqqM6_quZlv0eMeZE-snl2vuub3-gtGeNM0ah-USC-FQ166iixc-tdWFXd-i\
    6cXSBqnn7pua5zqoz81AiNFI8dYzD5HL7dyY69STR0vewKOVzM6pSCZI66wZ0TuO-dc"}\
    ]}
    """

  static let tokens = [
    """
    eyJhbGciOiJSUzI1NiIsImtpZCI6InR3byJ9.eyJpc3MiOiJodHRwczovL29jYXJpbmEuZXhhbXBsZS9vYXV0aDI\
    vZGVmYXVsdCIsImF1ZCI6IjBvYUludmVudGVkIiwic3ViIjoiMDB1QW1hbCIsImlhdCI6NDEwMjQ0NDgwMCwiZXh\
    wIjo0MTAyNDQ4NDAwLCJhdXRoX3RpbWUiOjQxMDI0NDQ3MDAsImFtciI6WyJwd2QiLCJvdHAiXSwibm9uY2UiOiJ\
    uLTBTNi1pbnZlbnRlZCIsImF0X2hhc2giOiJZbjMxdVc3N3NuWDJLV1VkNUxPaVRnIiwiZHNfaGFzaCI6InpVel9\
    oLTZIS3NEZWc3dXdvSEctRlEiLCJ2ZXIiOjEsImp0aSI6IklELmludmVudGVkIiwiaWRwIjoiMDBvSW52ZW50ZWQ\
    iLCJwcmVmZXJyZWRfdXNlcm5hbWUiOiJhbWFsQG9jYXJpbmEuZXhhbXBsZSIsIm5hbWUiOiJBbWFsIMOYc3QiLCJ\
    lbWFpbCI6ImFtYWxAb2NhcmluYS5leGFtcGxlIn0.pYRtOsHQPeaT3p03sY_L18OpGvQlbuv_Yjtd4F5f8uzzMRn\
    RDTNKD28M2JOwwuUht9c9t_1T2GY3CMGkinekUw5s3dTOUPK3KGJEo7ugXvaob9fBLLRzCWWiKsSVaNA3U8f8gNn\
    17oswcHTX_Qbov5w06t23jT45B2bsJDhEonttDQ9nrnfktfBO8V3HdMfy3Z-jE2FM5PK-CGrUcmRqiTRekxjRfK0\
    q0LBoIYgyseU7FONPm9fQlcxB-9ryDiY0qgUOfci7nsKgAw7M15oYeNBccAg3YUSMiBF88NQFnDY4ajU5sqBnh1_\
    j3fy6ZDJT9xpYLiUTSA2VoqjY2UAL0Q
    """,
    """
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
    """,
    """
    eyJhbGciOiJSUzI1NiIsImtpZCI6ImZvdXIifQ.eyJpc3MiOiJodHRwczovL29jYXJpbmEuZXhhbXBsZS9vYXV0a\
    DIvZGVmYXVsdCIsImF1ZCI6IjBvYUludmVudGVkIiwic3ViIjoiMDB1QW1hbCIsImlhdCI6NDEwMjQ0NDgwMCwiZ\
    XhwIjo0MTAyNDQ4NDAwLCJhdXRoX3RpbWUiOjQxMDI0NDQ3MDAsImFtciI6WyJwd2QiLCJvdHAiXSwibm9uY2UiO\
    iJuLTBTNi1pbnZlbnRlZCIsImF0X2hhc2giOiJZbjMxdVc3N3NuWDJLV1VkNUxPaVRnIiwiZHNfaGFzaCI6InpVe\
    l9oLTZIS3NEZWc3dXdvSEctRlEiLCJ2ZXIiOjEsImp0aSI6IklELmludmVudGVkIiwiaWRwIjoiMDBvSW52ZW50Z\
    WQiLCJwcmVmZXJyZWRfdXNlcm5hbWUiOiJhbWFsQG9jYXJpbmEuZXhhbXBsZSIsIm5hbWUiOiJBbWFsIMOYc3QiL\
    CJlbWFpbCI6ImFtYWxAb2NhcmluYS5leGFtcGxlIn0.bkUPOXl9Sq8GGCzPMjMsI1uWbi_Rot_CWu1hLg6gmhYf2\
    SZH-nMmqvqsg9HWWKTlLUKPWuHvVwjmWsa0-EKuZuoX-gutqH0--C5OX8VoAj5SApwR-UnPNdgEPgjg8W_yh19CY\
    ajZcXdBfPEOzsWKjwx7ErRSKnkU-YJZXq6FLQFfPYUtxZ3FUOg5CQcZDYLnG0uaZNgvHgCPT-QDICqehcFVCZ12W\
    hOQkVXTfNdrmcB37UxqkwJi7sWLLLJbbOF-2aC5UULt7yEvebjn3E2hB0N_TZq6iriQbIRRAuHFTWuj36cnGqfFz\
    90xbFpNazELEZkHiKyeAy7YtOlVpd1qaLh4U81mrflyvoeFYQPfCq6GTwpzSJNVBoAC6J_tUQltnQUb2fjeHbcbk\
    XFLJsj_IZmJfmPd298ZhOCUhpf3mfbMQH2U_Bx1EDJSYHM0108MbQaCqaYl683bvbkCyFa8gJG9yeinQP3OgXpMc\
    LtmHZUrqY_GH3Xsy1odRQYf94wvx3Ilm2tfKOX2fbWdvUhhqaPQequJOuF4fereWbE6DAfvcL99ZC_vg4U42DD4Y\
    30vN51zVw6HTYpPNedOIFonbGLirUSyLraFb_qP03K4TfbihlwevEB9Lw4LT4dprzddfhxD_G5DkhEhmbxUvm9tt\
    12XjkdILvsaNh0Icr5mWxQ
    """,
  ]
}
