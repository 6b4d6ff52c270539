import Foundation
import IDXBase

@testable import IDXOAuth

extension FuzzTarget {
  private static let issuer = "https://id.shop.example/oauth2/default"

  /// ID tokens: none is accepted, because no key has signed them.
  static let jwt = FuzzTarget(
    name: "jwt",
    seeds: [
      "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiIwMHUxIiwiYXVkIjpbImEiXX0.AAAA",
      "eyJhbGciOiJub25lIn0.e30.",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? IDTokenClaims(parsing: bytes)
    guard let token = try? JWT(parsing: Secret(text)) else { return }
    let parts = [token.header, token.payload].map(Base64URL.encode).joined(separator: ".")
    precondition(text.utf8.starts(with: (parts + ".").utf8), "A part has two texts.")
    _ = try? IDTokenClaims(parsing: token.payload)
    guard let url = URL(string: issuer), let keys = try? JSONWebKeySet(parsing: keySet) else {
      preconditionFailure("The keys of the test cannot be read.")
    }
    let expectation = IDTokenExpectation(issuer: url, clientID: "0oaShopApp0000000001")
    let accepted = try? IDToken(
      validating: Secret(text), by: expectation, keys: keys, at: Date(timeIntervalSince1970: 1e9))
    precondition(accepted == nil, "A token without a signature was accepted.")
  }

  private static let keySet = Array(
    #"{"keys":[{"kty":"RSA","e":"AQAB","n":"\#(String(repeating: "v", count: 342))"}]}"#.utf8)

  /// Key sets of an issuer.
  static let keys = FuzzTarget(
    name: "keys", seeds: [String(decoding: keySet, as: UTF8.self), #"{"keys":[]}"#]
  ) { bytes in
    guard let keys = try? JSONWebKeySet(parsing: bytes) else { return }
    precondition((try? JSONWebKeySet(parsing: bytes)) == keys, "The same set has other keys.")
    _ = (keys.contains(keyID: "k", "RS256"), keys.contains(keyID: nil, "ES256"))
  }

  /// Token responses.
  static let tokens = FuzzTarget(
    name: "tokens",
    seeds: [
      """
      {"access_token":"a","token_type":"Bearer","expires_in":3600,"scope":"openid profile",
       "refresh_token":"r","id_token":"i","device_secret":"d"}
      """
    ]
  ) { bytes in
    guard let tokens = try? Tokens(parsing: bytes) else { return }
    guard let written = try? JSONEncoder().encode(tokens) else {
      preconditionFailure("Tokens cannot be written.")
    }
    precondition(
      (try? JSONDecoder().decode(Tokens.self, from: written)) == tokens,
      "Written tokens are read as others.")
  }

  /// Refusals, in a body or in a header field: no control character reaches a person.
  static let oauthErrors = FuzzTarget(
    name: "oauth-errors",
    seeds: [
      #"{"error":"invalid_grant","error_description":"Wrong."}"#,
      #"Bearer error="invalid_token", error_description="Expired.""#,
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    for case let error? in [OAuthError(parsing: bytes), OAuthError(challenge: text)] {
      precondition(!error.description.hasControls, "An error contains control characters.")
      precondition(error.description.count < 2000, "An error is too long.")
    }
  }

  /// Forms: what was read is written and read again in the same way.
  static let forms = FuzzTarget(
    name: "forms", seeds: ["grant_type=authorization_code&code=a%2Bb&state=&x+y=%E2%82%AC"]
  ) { bytes in
    guard let pairs = FormURLEncoding.decode(String(decoding: bytes, as: UTF8.self)) else { return }
    let again = FormURLEncoding.decode(FormURLEncoding.encode(pairs.map { ($0.name, $0.value) }))
    precondition(
      again?.count == pairs.count && zip(pairs, again ?? []).allSatisfy { $0 == $1 },
      "A written form is read as another.")
  }

  /// Cookies: what is sent back is short, and cannot end its header field.
  static let cookies = FuzzTarget(
    name: "cookies",
    seeds: [
      "DT=a; Path=/; Max-Age=60; Secure; HttpOnly, sid=b; Expires=Fri, 15 Jan 2100 08:00:00 GMT",
      "a=1; Domain=.shop.example; Path=/oauth2; Expires=Fri, 15-Jan-27 08:00:00 GMT",
    ]
  ) { bytes in
    guard let url = URL(string: issuer) else { preconditionFailure("The issuer is not a URL.") }
    let now = Date(timeIntervalSince1970: 1e9)
    var jar = CookieJar(issuer: url)
    jar.take(String(decoding: bytes, as: UTF8.self), from: url, at: now)
    guard let sent = jar.header(for: url, at: now) else { return }
    precondition(sent.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "It has other characters.")
    precondition(sent.utf8.count < 2 * CookieJar.maximumSize, "The cookies are too long.")
    guard let written = try? JSONEncoder().encode(jar),
      let again = try? JSONDecoder().decode(CookieJar.self, from: written)
    else { preconditionFailure("Cookies cannot be written and read.") }
    precondition(again == jar, "Written cookies are read as others.")
  }

  /// Addresses for authenticator apps: a written address gives the same codes.
  static let otpauth = FuzzTarget(
    name: "otpauth",
    seeds: [
      "otpauth://totp/Shop:ada%40example.com?secret=GEZDGNBVGY3TQOJQ&issuer=Shop",
      "otpauth://totp/a?secret=gezd-gnbv&algorithm=SHA512&digits=8&period=60",
    ]
  ) { bytes in
    guard let uri = OTPAuthURI(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    guard let again = OTPAuthURI(parsing: uri.text.revealed) else {
      preconditionFailure("A written address cannot be read.")
    }
    precondition(again.totp == uri.totp && uri.totp != nil, "A written address has another key.")
    _ = uri.totp?.code(counter: 7)
  }
}

extension String {
  /// Whether a character moves the cursor or changes the direction of writing.
  var hasControls: Bool {
    unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      case .format: scalar.properties.isDefaultIgnorableCodePoint
      default: false
      }
    }
  }
}
