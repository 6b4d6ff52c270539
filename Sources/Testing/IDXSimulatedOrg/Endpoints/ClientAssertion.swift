import Foundation
import IDXBase
import IDXOAuth

/// A JWT with which an app proves that it is the app: signed with its secret (`client_secret_jwt`), or with its private key
/// (`private_key_jwt`).
///
/// Source: RFC 7523, section 3; OpenID Connect Core, section 9.
struct ClientAssertion {
  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  /// The parameters of a request that has one.
  static let parameters: Set = ["client_assertion", "client_assertion_type"]

  let text: String

  /// Whether the app has signed it, for this org, and it has not expired.
  func isValid(for settings: OrgSettings, _ rules: OrgRequestRules, at now: Date) -> Bool {
    guard let token = try? JWT(parsing: Secret(text)), isSigned(token, settings, rules.clientKeys),
      let claims = try? JSONValue(parsing: token.payload),
      let expiry = claims["exp"]?.double, now.timeIntervalSince1970 < expiry
    else { return false }
    let audience = claims["aud"]?.array ?? [claims["aud"] ?? .null]
    let places = [settings.issuer, settings.oauthBase + "/token"].map(JSONValue.string)
    let client = JSONValue.string(settings.clientID)
    return claims["iss"] == client && claims["sub"] == client
      && audience.contains(where: places.contains)
  }

  private func isSigned(_ token: JWT, _ settings: OrgSettings, _ keys: JSONWebKeySet?) -> Bool {
    guard token.algorithm == "HS256" else {
      return keys.map { (try? token.verify(with: $0)) != nil } ?? false
    }
    guard let secret = settings.clientSecret, let dot = text.lastIndex(of: ".") else {
      return false
    }
    let code = HashFunction.sha256.hmac(
      key: Array(secret.revealed.utf8), Array(text[..<dot].utf8))
    return Base64URL.decode(String(text[text.index(after: dot)...])) == code
  }
}
