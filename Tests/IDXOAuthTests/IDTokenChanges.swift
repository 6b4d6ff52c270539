import Foundation
import Testing

@testable import IDXOAuth

/// A claim with another value, nil for none.
struct Change: Sendable, CustomTestStringConvertible {
  let claim: String
  let value: String?
  let code: IDTokenError.Code

  init(_ claim: String, _ value: String?, _ code: IDTokenError.Code) {
    (self.claim, self.value, self.code) = (claim, value, code)
  }

  var testDescription: String { "\(claim): \(value ?? "absent")" }

  static let refused: [Change] =
    each(
      "iss", .issuer,
      [
        nil, "null", "7", #""""#, #"["https://ocarina.example/oauth2/default"]"#,
        #""https://ocarina.example/oauth2/default/""#, #""https://ocarina.example/oauth2/defaul""#,
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

  static let accepted: [Change] =
    each("aud", .audience, [#"["0oaInvented"]"#])
    + each("azp", .authorizedParty, [#""0oaInvented""#, "null"])
    + each("exp", .expired, ["4102444500.5", "4102444501", "4.1024484e9", "253402300799"])
    + each("nbf", .notYetValid, ["4102445100", "0", "4102444800.25"])
    + each("iat", .issuedAt, ["4102444500", "4102445100", "4102444800.75"])
    + each("auth_time", .authenticationTime, ["4102444700.4", "4102444699.5", "4102444800"])
    + each("at_hash", .accessTokenHash, [nil, "null"])
    + each("ds_hash", .deviceSecretHash, [nil])
    + each("name", .malformed, [nil, "7", "{}", #""\u001b""#])
    + each("email", .malformed, ["[]"])
    + each("something_new", .malformed, ["1e999", #"{"a":1,"a":2}"#])

  private static func each(
    _ claim: String, _ code: IDTokenError.Code, _ values: [String?]
  ) -> [Change] {
    values.map { Change(claim, $0, code) }
  }
}

/// An expectation that the sample does not meet.
struct Demand: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: IDTokenError.Code
  let change: @Sendable (inout IDTokenExpectation) -> Void

  static let refused = [
    Demand(testDescription: "another client", code: .audience) { $0.clientID = "0oaOther" },
    Demand(testDescription: "another person", code: .subject) { $0.subject = "00uBea" },
    Demand(testDescription: "another nonce", code: .nonce) { $0.nonce = "other" },
    Demand(testDescription: "a younger sign-in", code: .authenticationTime) {
      ($0.maximumAge, $0.leeway) = (98, 1)
    },
    Demand(testDescription: "a sign-in never", code: .authenticationTime) {
      $0.maximumAge = Int.min
    },
    Demand(testDescription: "a sign-in after this one", code: .authenticationTime) {
      $0.authenticatedAt = SampleToken.now
    },
    Demand(testDescription: "a sign-in at no time", code: .authenticationTime) {
      $0.authenticatedAt = Date(timeIntervalSince1970: .infinity)
    },
    Demand(testDescription: "another access token", code: .accessTokenHash) {
      $0.accessToken = SampleToken.deviceSecret
    },
    Demand(testDescription: "another device secret", code: .deviceSecretHash) {
      $0.deviceSecret = SampleToken.accessToken
    },
    Demand(testDescription: "a leeway below none", code: .expired) { $0.leeway = Int.min },
  ]
}
