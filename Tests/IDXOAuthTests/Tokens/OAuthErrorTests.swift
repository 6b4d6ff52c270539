import Expectations
import Testing

@testable import IDXOAuth

/// OAuth errors.
struct OAuthErrorTests {
  @Test(
    "A code and an explanation, which can be missing, are read without control characters",
    arguments: [
      (
        #"{"error":"invalid_grant","error_description":"Expired.","error_uri":"x"}"#,
        "invalid_grant", "Expired."
      ),
      (#"{"error":"access_denied"}"#, "access_denied", nil),
      (#"{"error":"access_denied","error_description":null}"#, "access_denied", nil),
      (#"{"error":"access_denied","error_description":""}"#, "access_denied", nil),
      (#"{"error":"access_denied","error_description":{"a":1}}"#, "access_denied", nil),
      (#"{"error":"mfa_required"}"#, "mfa_required", nil),
      // The form of Okta's other APIs.
      (
        """
        {"errorCode": "invalid_client", "errorSummary": "Invalid value for 'client_id' parameter.",
         "errorLink": "invalid_client", "errorId": "oae1", "errorCauses": []}
        """, "invalid_client", "Invalid value for 'client_id' parameter."
      ),
      (
        #"{"error":"a\u001b[2Jb","error_description":"x\u001b[1A\r\ny\u202ez\u0007é"}"#, "a[2Jb",
        "x[1Ayzé"
      ),
      (#"{"error":"x","error_description":"\u001b\n"}"#, "x", nil),
    ] as [(String, String, String?)])
  func bodies(_ body: String, _ code: String, _ explanation: String?) throws {
    let error = try require(OAuthError(parsing: Array(body.utf8)))
    expectEqual(error, OAuthError(OAuthError.Code(rawValue: code), description: explanation))
    expect(error.code.rawValue == code && error.explanation == explanation)
  }

  @Test(
    "A body that is not an OAuth error is not read as one",
    arguments: [
      "", "null", "[]", "{}", "error", #"{"error":""}"#, #"{"error":null}"#, #"{"error":{}}"#,
      #"{"error":"invalid_grant""#, #"{"errorCode":"E0000047"}"#, #"{"message":"no"}"#,
    ])
  func noError(_ body: String) {
    expectEqual(OAuthError(parsing: Array(body.utf8)), nil)
  }

  @Test(
    "The error of a Bearer or DPoP challenge is found, also among others",
    arguments: [
      (#"Bearer error="invalid_token", error_description="Expired.""#, "invalid_token", "Expired."),
      (#"bearer realm="a, error=", error="insufficient_scope""#, "insufficient_scope", nil),
      (#"Bearer  error="x",error_description="a \"b""#, "x", #"a "b"#),
      (#"DPoP error="use_dpop_nonce", algs="ES256""#, "use_dpop_nonce", nil),
      (#"Basic realm="x, y", DPoP error="use_dpop_nonce""#, "use_dpop_nonce", nil),
      (#"Negotiate, DPoP algs="a", error=use_dpop_nonce, Basic realm="z""#, "use_dpop_nonce", nil),
      (#"bearer realm="error=x", error = "invalid_token""#, "invalid_token", nil),
      (#"Bearer realm="a", DPoP error="use_dpop_nonce""#, "use_dpop_nonce", nil),
    ] as [(String, String, String?)])
  func challenge(text: String, code: String, explanation: String?) {
    let error = OAuthError(challenge: text)
    expectEqual(error, OAuthError(OAuthError.Code(rawValue: code), description: explanation))
  }

  @Test(
    "A challenge without an error, or of another scheme, is not read as one",
    arguments: [
      "", "Bearer", "Bearer realm=\"x\"", "Basic error=\"x\"", "Bearer error=\"\"",
      "Bearer error=", "Bearer error", "Bearer \"error=\"x", "DPoP", #"DPoP algs="ES256""#,
      #"Digest realm="DPoP error=x""#,
    ])
  func noChallenge(text: String) { expectEqual(OAuthError(challenge: text), nil) }

  @Test(
    "Every known code has its own sentence, and the code comes last",
    arguments: [
      .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType,
      .invalidScope, .accessDenied, .interactionRequired, .serverError, .temporarilyUnavailable,
      .invalidToken, .insufficientScope,
      .unreadableResponse,
    ] as [OAuthError.Code])
  func sentences(_ code: OAuthError.Code) {
    let text = "\(OAuthError(code))"
    expectSuffix(text, "(\(code))")
    expect(!text.hasPrefix("The server refused the request."))
  }

  @Test("A description has a sentence, the code and the explanation of the server, and is short")
  func descriptions() {
    expectEqual(
      OAuthError(.invalidGrant, description: "Expired.").description,
      "The code or token is wrong, expired or already used. (invalid_grant: Expired.)")
    expectEqual(OAuthError(.accessDenied).description, "Access was denied. (access_denied)")
    expectEqual(
      OAuthError("mfa_required").description, "The server refused the request. (mfa_required)")
    expectEqual(OAuthError("x", description: "\u{1B}\n").explanation, nil)
    // Only a browser can help.
    let consent = OAuthError(.consentRequired, description: "Consent is needed.").description
    expectPrefix(consent, "The app needs your consent, which this protocol cannot ask for.")
    expectSuffix(consent, "(consent_required: Consent is needed.)")
    let long = OAuthError(
      OAuthError.Code(rawValue: String(repeating: "w", count: 10_000)),
      description: String(repeating: "x", count: 100_000))
    expectEqual(long.explanation?.count, 100_000)
    expect(long.description.count < 1100)
    expectSuffix(long.description, "x…)")
  }
}
