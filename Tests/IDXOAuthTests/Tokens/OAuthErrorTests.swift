import Expectations
import Testing

@testable import IDXOAuth

/// OAuth errors.
struct OAuthErrorTests {
  @Test("A code and an explanation are read")
  func whole() throws {
    let body = #"{"error":"invalid_grant","error_description":"Expired.","error_uri":"x"}"#
    let error = try require(OAuthError(parsing: Array(body.utf8)))
    expectEqual(error, OAuthError(.invalidGrant, description: "Expired."))
    expectEqual(
      error.description,
      "The code or token is wrong, expired or already used. (invalid_grant: Expired.)")
  }

  @Test(
    "The explanation can be missing",
    arguments: [
      #"{"error":"access_denied"}"#, #"{"error":"access_denied","error_description":null}"#,
      #"{"error":"access_denied","error_description":""}"#,
      #"{"error":"access_denied","error_description":{"a":1}}"#,
    ])
  func codeOnly(_ body: String) throws {
    let error = try require(OAuthError(parsing: Array(body.utf8)))
    expectEqual(error, OAuthError(.accessDenied))
    expectEqual(error.description, "Access was denied. (access_denied)")
  }

  @Test("A refusal that only a browser can help with says so first, and names the code last")
  func browserNeeded() {
    let consent = OAuthError(.consentRequired, description: "Consent is needed.").description
    expectPrefix(consent, "The app needs your consent, which this protocol cannot ask for.")
    expectSuffix(consent, "(consent_required: Consent is needed.)")
  }

  @Test("An unknown code is kept")
  func unknownCode() throws {
    let error = try require(OAuthError(parsing: Array(#"{"error":"mfa_required"}"#.utf8)))
    expectEqual(error.code, OAuthError.Code(rawValue: "mfa_required"))
    expectEqual(error.description, "The server refused the request. (mfa_required)")
  }

  @Test("An OAuth error is read in the form of Okta's other APIs too")
  func apiForm() throws {
    let body = """
      {"errorCode": "invalid_client", "errorSummary": "Invalid value for 'client_id' parameter.",
       "errorLink": "invalid_client", "errorId": "oae1", "errorCauses": []}
      """
    let error = try require(OAuthError(parsing: Array(body.utf8)))
    expectEqual(error.code, .invalidClient)
    expectEqual(error.explanation, "Invalid value for 'client_id' parameter.")
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
    "An error is read from a challenge",
    arguments: [
      (#"Bearer error="invalid_token", error_description="Expired.""#, "invalid_token", "Expired."),
      (#"bearer realm="a, error=", error="insufficient_scope""#, "insufficient_scope", nil),
      (#"Bearer  error="x",error_description="a \"b""#, "x", #"a "b"#),
    ] as [(String, String, String?)])
  func challenge(text: String, code: String, explanation: String?) {
    let error = OAuthError(challenge: text)
    expectEqual(error, OAuthError(OAuthError.Code(rawValue: code), description: explanation))
  }

  @Test(
    "A challenge without an error is not read as one",
    arguments: [
      "", "Bearer", "Bearer realm=\"x\"", "Basic error=\"x\"", "Bearer error=\"\"",
      "Bearer error=", "Bearer error", "Bearer \"error=\"x",
    ])
  func noChallenge(text: String) {
    expectEqual(OAuthError(challenge: text), nil)
  }

  @Test("The description is short for a code and explanation of any length")
  func long() {
    let error = OAuthError(
      OAuthError.Code(rawValue: String(repeating: "w", count: 10_000)),
      description: String(repeating: "x", count: 100_000))
    expectEqual(error.explanation?.count, 100_000)
    expect(error.description.count < 1100)
    expectSuffix(error.description, "x…)")
  }

  @Test("Control characters are removed")
  func controls() throws {
    let body = #"{"error":"a\u001b[2Jb","error_description":"x\u001b[1A\r\ny\u202ez\u0007é"}"#
    let error = try require(OAuthError(parsing: Array(body.utf8)))
    expectEqual(error.code, "a[2Jb")
    expectEqual(error.explanation, "x[1Ayzé")
    expectEqual(OAuthError("x", description: "\u{1B}\n").explanation, nil)
  }

  @Test(
    "Every known code has its own sentence",
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

  @Test(
    "The error of a Bearer or DPoP challenge is found among others",
    arguments: [
      (#"DPoP error="use_dpop_nonce", algs="ES256""#, "use_dpop_nonce"),
      (#"Basic realm="x, y", DPoP error="use_dpop_nonce""#, "use_dpop_nonce"),
      (#"Negotiate, DPoP algs="a", error=use_dpop_nonce, Basic realm="z""#, "use_dpop_nonce"),
      (#"bearer realm="error=x", error = "invalid_token""#, "invalid_token"),
      (#"Bearer realm="a", DPoP error="use_dpop_nonce""#, "use_dpop_nonce"),
    ])
  func amongOthers(challenge: String, code: String) {
    expectEqual(OAuthError(challenge: challenge)?.code.rawValue, code)
  }

  @Test(
    "A challenge without an error, or of another scheme, is none",
    arguments: [
      "", "Bearer", #"Basic error="x""#, "DPoP", #"DPoP algs="ES256""#, #"Bearer error="""#,
      #"Digest realm="DPoP error=x""#,
    ])
  func noError(challenge: String) {
    expectEqual(OAuthError(challenge: challenge), nil)
  }
}
