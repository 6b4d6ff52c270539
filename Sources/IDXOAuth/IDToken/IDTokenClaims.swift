import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The claims of an ID token that are read here, unchecked.
///
/// Source: OpenID Connect Core, section 2.
struct IDTokenClaims: Sendable {
  /// A claim, which may be absent or have the wrong type.
  enum Claim<Value: Sendable>: Sendable {
    case absent
    case unreadable
    case value(Value)

    var value: Value? { if case .value(let value) = self { value } else { nil } }
  }

  let issuer: Claim<String>
  let subject: Claim<String>
  /// One client or several.
  let audience: Claim<[String]>
  let authorizedParty: Claim<String>
  let expiresAt: Claim<Date>
  let issuedAt: Claim<Date>
  let notBefore: Claim<Date>
  let authenticatedAt: Claim<Date>
  let nonce: Claim<String>
  let accessTokenHash: Claim<String>
  let deviceSecretHash: Claim<String>
  let preferredUsername: Claim<String>
  let name: Claim<String>
  let email: Claim<String>

  /// Reads the signed payload; throws ``IDTokenError/Code/malformed``.
  init(parsing payload: [UInt8]) throws(IDTokenError) {
    guard let claims = JSONValue.Object(parsingUnique: payload) else {
      throw IDTokenError(
        .malformed, "The claims of the ID token cannot be read, or one of them occurs twice.")
    }
    func claim<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Claim<Value> {
      switch claims[name] {
      case nil, .null?: .absent
      case let json?: read(json).map { .value($0) } ?? .unreadable
      }
    }
    func text(_ name: String) -> Claim<String> { claim(name, \.string) }
    func date(_ name: String) -> Claim<Date> {
      claim(name) { json in
        // No server means a time after the year 9999.
        json.double.flatMap {
          (0..<253_402_300_800).contains($0) ? Date(timeIntervalSince1970: $0) : nil
        }
      }
    }
    issuer = text("iss")
    subject = text("sub")
    audience = claim("aud") { json in
      if let one = json.string { return [one] }
      let texts = json.array?.compactMap(\.string)
      return texts?.count == json.array?.count ? texts : nil
    }
    authorizedParty = text("azp")
    expiresAt = date("exp")
    issuedAt = date("iat")
    notBefore = date("nbf")
    authenticatedAt = date("auth_time")
    nonce = text("nonce")
    accessTokenHash = text("at_hash")
    deviceSecretHash = text("ds_hash")
    preferredUsername = text("preferred_username")
    name = text("name")
    email = text("email")
  }
}

extension JSONValue.Object {
  /// Reads a JSON object in which no name occurs twice; nil for anything else.
  ///
  /// Parsers differ in which of two members with the same name they use, so that one program might
  /// check a value that another does not read. Nested objects are not examined.
  init?(parsingUnique bytes: [UInt8]) {
    guard bytes.first != 0xEF, let object = try? JSONValue(parsing: bytes).object,
      Set(object.members.map { Array($0.name.utf8) }).count == object.members.count
    else { return nil }
    self = object
  }
}
