import Foundation
import IDXBase

@testable import IDXOAuth

/// A token that everything holds of, to be changed in one thing.
struct SampleToken {
  static let now = Date(timeIntervalSince1970: 4_102_444_800)
  static let accessToken: Secret = "at-invented"
  static let deviceSecret: Secret = "ds-invented"

  /// Everything that can be expected of it.
  static let expectation: IDTokenExpectation = {
    let issuer = URL(string: "https://ocarina.example/oauth2/default")
    var expectation = IDTokenExpectation(
      issuer: issuer ?? URL(fileURLWithPath: "/"), clientID: "0oaInvented")
    expectation.nonce = "n-0S6-invented"
    expectation.subject = "00uAmal"
    expectation.authenticatedAt = Date(timeIntervalSince1970: 4_102_444_700)
    expectation.maximumAge = 600
    expectation.accessToken = accessToken
    expectation.deviceSecret = deviceSecret
    return expectation
  }()

  /// The claims' values in JSON, by name.
  var claims = [
    "iss": #""https://ocarina.example/oauth2/default""#, "aud": #""0oaInvented""#,
    "sub": #""00uAmal""#, "iat": "4102444800", "exp": "4102448400", "auth_time": "4102444700",
    "nonce": #""n-0S6-invented""#, "at_hash": #""\#(half(accessToken))""#,
    "ds_hash": #""\#(half(deviceSecret))""#, "preferred_username": #""amal@ocarina.example""#,
    "name": #""Amal Øst""#, "email": #""amal@ocarina.example""#,
  ]

  /// The token, signed.
  var text: String {
    let members = claims.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
    return InventedIssuer.token("{\(members.joined(separator: ","))}")
  }

  /// Checks it as it is.
  func validated(
    by expectation: IDTokenExpectation = expectation, at now: Date = now
  ) throws -> IDToken {
    try IDToken(
      validating: Secret(text), by: expectation, keys: InventedIssuer.keys(), at: now)
  }

  private static func half(_ secret: Secret) -> String {
    Base64URL.encode(Array(HashFunction.sha256.hash(Array(secret.revealed.utf8)).prefix(16)))
  }
}
