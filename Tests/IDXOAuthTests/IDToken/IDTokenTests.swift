import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// ID tokens.
struct IDTokenTests {
  @Test("A valid token is accepted and read, also with only the required claims")
  func whole() throws {
    let token = try SampleToken().validated()
    expectEqual(token.subject, "00uAmal")
    expectEqual(token.issuer, "https://ocarina.example/oauth2/default")
    expectEqual(token.audience, ["0oaInvented"])
    expectEqual(token.issuedAt, SampleToken.now)
    expectEqual(token.expiresAt, SampleToken.now.addingTimeInterval(3600))
    expectEqual(token.authenticatedAt, SampleToken.now.addingTimeInterval(-100))
    expectEqual(token.nonce, "n-0S6-invented")
    expectEqual(token.preferredUsername, "amal@ocarina.example")
    expectEqual(token.name, "Amal Øst")
    expectEqual(token.email, "amal@ocarina.example")
    expectContains(String(decoding: token.payload, as: UTF8.self), #""sub":"00uAmal""#)
    var sample = SampleToken()
    sample.claims = sample.claims.filter { ["iss", "aud", "sub", "iat", "exp"].contains($0.key) }
    let least = IDTokenExpectation(
      issuer: SampleToken.expectation.issuer, clientID: "0oaInvented")
    let bare = try sample.validated(by: least)
    expectEqual(bare.authenticatedAt, nil)
    expectEqual(bare.nonce, nil)
    expectEqual(bare.preferredUsername, nil)
    sample.claims["sub"] = #""""#
    try expectEqual(sample.refusal(by: least)?.code, .subject)
  }

  @Test("A token that another implementation signed is accepted with its key alone")
  func foreign() throws {
    let token = try IDToken(
      validating: ExternalToken.text, by: SampleToken.expectation,
      keys: TestIssuer.keys(ExternalToken.key), at: SampleToken.now)
    expectEqual(token.subject, "00uAmal")
    expectEqual(token.name, "Amal Øst")
    try expectEqual(
      SampleToken.refusal(of: ExternalToken.text.revealed)?.code, .unknownKey)
  }

  @Test(
    "A wrong claim is reported by its code, and other valid values are accepted",
    arguments: ClaimChange.all)
  func claims(_ change: ClaimChange) throws {
    var sample = SampleToken()
    sample.claims[change.claim] = change.value
    let refusal = try sample.refusal()
    expectEqual(refusal?.code, change.code)
    guard let error = refusal else { return }
    expectSuffix(error.message, ".")
    expectEqual(error.localizedDescription, error.message)
    for secret in ["n-0S6-invented", "at-invented", "ds-invented", sample.text] {
      expect(!"\(error) \(String(reflecting: error))".contains(secret))
    }
  }

  @Test("Texts that only look the same are different")
  func lookAlike() throws {
    var expectation = SampleToken.expectation
    expectation.subject = "Ame\u{301}lie"
    var sample = SampleToken()
    sample.claims["sub"] = "\"Am\u{E9}lie\""
    try expectEqual(sample.refusal(by: expectation)?.code, .subject)
    sample.claims["sub"] = "\"Ame\u{301}lie\""
    _ = try sample.validated(by: expectation)
  }

  @Test(
    "Claims without an expectation are not checked", arguments: ["nonce", "at_hash", "ds_hash"])
  func unexpected(_ claim: String) throws {
    var expectation = SampleToken.expectation
    (expectation.nonce, expectation.accessToken, expectation.deviceSecret) = (nil, nil, nil)
    var sample = SampleToken()
    for value in [#""other""#, "7", nil] {
      sample.claims[claim] = value
      _ = try sample.validated(by: expectation)
    }
  }

  @Test("After a refresh the nonce can be missing, but not different")
  func refreshed() throws {
    var expectation = SampleToken.expectation
    expectation.mayOmitNonce = true
    var sample = SampleToken()
    _ = try sample.validated(by: expectation)
    sample.claims["nonce"] = nil
    try expectEqual(sample.validated(by: expectation).nonce, nil)
    for value in [#""other""#, #""""#, "7"] {
      sample.claims["nonce"] = value
      try expectEqual(sample.refusal(by: expectation)?.code, .nonce)
    }
  }

  @Test("A token for several clients must name the one it was issued to")
  func authorizedParty() throws {
    var sample = SampleToken()
    sample.claims["aud"] = #"["0oaOther","0oaInvented"]"#
    try expectEqual(sample.refusal()?.code, .authorizedParty)
    sample.claims["azp"] = #""0oaInvented""#
    try expectEqual(sample.validated().audience, ["0oaOther", "0oaInvented"])
  }

  @Test("The error shows server text without control characters, and shortened")
  func display() throws {
    var sample = SampleToken()
    sample.claims["iss"] = #""https://\u001b[2J\u202e\#(String(repeating: "x", count: 5000))""#
    let error = try require(sample.refusal())
    expectEqual(error.code, .issuer)
    expectContains(error.message, "https://[2Jxxx")
    expect(error.message.utf8.count < 400)
  }
}

/// A claim with a changed value; nil removes it.
struct ClaimChange: Sendable, CustomTestStringConvertible {
  let claim: String
  let value: String?
  /// Nil if the value is valid.
  let code: IDTokenError.Code?

  init(_ claim: String, _ value: String?, _ code: IDTokenError.Code?) {
    (self.claim, self.value, self.code) = (claim, value, code)
  }

  var testDescription: String { "\(claim): \(value ?? "absent")" }

  static let all = refused + accepted

  private static let refused: [ClaimChange] =
    each(
      "iss", .issuer,
      [
        nil, "null", "7", #""""#, #"["https://ocarina.example/oauth2/default"]"#,
        #""https://ocarina.example/oauth2/default//""#, #""https://ocarina.example/oauth2/defaul""#,
        #""HTTPS://ocarina.example/oauth2/default""#, #""http://ocarina.example/oauth2/default""#,
        #""https://ocarina.example/oauth2/default\u0000""#,
      ])
    + each(
      "aud", .audience,
      [
        nil, "null", "[]", "7", "{}", #""""#, #""0oaOther""#, #""0oainvented""#, #""0oaInvented ""#,
        #"["0oaOther"]"#, #"["0oaInvented",7]"#, #"[["0oaInvented"]]"#,
      ])
    + each("azp", .authorizedParty, [#""0oaOther""#, #""""#, "7", #"["0oaInvented"]"#])
    + each("sub", .subject, [nil, "null", #""""#, "7", #""00uBea""#, #"["00uAmal"]"#])
    + each(
      "exp", .expired,
      [
        nil, "null", "true", #""4102448400""#, "-1", "0", "1e308", "-1e308", "1e999", "4102444500",
        "4102444499.5", "253402300800", "99999999999999999999", "[4102448400]",
      ])
    + each("nbf", .notYetValid, ["4102445101", "1e308", #""4102444800""#, "-5", "{}"])
    + each(
      "iat", .issuedAt,
      [
        nil, "null", "false", #""4102444800""#, "-4102444800", "1e308", "4102445101", "4102444499",
        "4102444499.9", "0",
      ])
    + each(
      "nonce", .nonce,
      [
        nil, "null", "7", #""""#, #""n-0S6-invente""#, #""n-0S6-inventedx""#, #""N-0S6-invented""#,
      ])
    + each(
      "auth_time", .authenticationTime,
      [
        nil, "null", #""4102444700""#, "1e308", "-1", "4102443899", "4102444699", "4102445101",
      ])
    + each(
      "at_hash", .accessTokenHash,
      [
        "7", #""""#, #""EdcmyQ""#, #""1FU0xSpZpY43VqJ1JdF9fQ==""#, #""ds-invented""#,
      ])
    + each("ds_hash", .deviceSecretHash, ["7", #""""#, #""EdcmyQ""#, #"["x"]"#])

  private static let accepted: [ClaimChange] =
    each("aud", nil, [#"["0oaInvented"]"#])
    + each("azp", nil, [#""0oaInvented""#, "null"])
    + each("exp", nil, ["4102444500.5", "4102444501", "4.1024484e9", "253402300799"])
    + each("nbf", nil, ["4102445100", "0", "4102444800.25"])
    + each("iat", nil, ["4102444500", "4102445100", "4102444800.75"])
    + each("auth_time", nil, ["4102444700.4", "4102444699.5", "4102444800"])
    + each("at_hash", nil, [nil, "null"])
    + each("ds_hash", nil, [nil])
    + each("name", nil, [nil, "7", "{}", #""\u001b""#])
    + each("email", nil, ["[]"])
    + each("something_new", nil, ["1e999", #"{"a":1,"a":2}"#])

  private static func each(
    _ claim: String, _ code: IDTokenError.Code?, _ values: [String?]
  ) -> [ClaimChange] {
    values.map { ClaimChange(claim, $0, code) }
  }
}
