import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks the claims of an ID token.
///
/// Each function returns its claim, or throws if the claim is wrong. Source: OpenID Connect Core, sections
/// 3.1.3.7 and 12.2.
struct IDTokenCheck: Sendable {
  let claims: IDTokenClaims
  let expectation: IDTokenExpectation
  let now: Date

  func issuer() throws(IDTokenError) -> String {
    guard let issuer = claims.issuer.value else {
      throw IDTokenError(.issuer, "The ID token does not name its issuer.")
    }
    let expected = expectation.issuer.absoluteString
    // A configuration has no slash at the end of its issuer.
    guard isSame(issuer, expected) || isSame(issuer, expected + "/") else {
      throw IDTokenError(
        .issuer,
        "The ID token was issued by \(issuer.quotedBriefly), not by \(expected.quotedBriefly)."
          + " Check the issuer in the settings: it must match exactly.")
    }
    return issuer
  }

  func audience() throws(IDTokenError) -> [String] {
    guard let audience = claims.audience.value, let first = audience.first else {
      throw IDTokenError(.audience, "The ID token does not say which client it is for.")
    }
    guard audience.contains(where: { isSame($0, expectation.clientID) }) else {
      throw IDTokenError(
        .audience,
        "The ID token is for the client \(first.quotedBriefly), not for"
          + " \(expectation.clientID.quotedBriefly). Check the client ID in the settings.")
    }
    return audience
  }

  func authorizedParty(among audience: [String]) throws(IDTokenError) {
    switch claims.authorizedParty {
    case .absent:
      guard audience.count == 1 else {
        throw IDTokenError(
          .authorizedParty,
          "The ID token is for several clients and does not say which of them it was issued to.")
      }
    case .value(let client) where isSame(client, expectation.clientID): break
    case .value(let client):
      throw IDTokenError(
        .authorizedParty,
        "The ID token was issued to the client \(client.quotedBriefly), not to"
          + " \(expectation.clientID.quotedBriefly). Check the client ID in the settings.")
    case .unreadable:
      throw IDTokenError(
        .authorizedParty,
        "The client that the ID token was issued to (azp) cannot be read.")
    }
  }

  func subject() throws(IDTokenError) -> String {
    guard let subject = claims.subject.value, !subject.isEmpty else {
      throw IDTokenError(.subject, "The ID token does not say who signed in.")
    }
    if let expected = expectation.subject, !isSame(subject, expected) {
      throw IDTokenError(
        .subject,
        "The ID token is for another person (\(subject.quotedBriefly)) than before"
          + " (\(expected.quotedBriefly)). Sign in again.")
    }
    return subject
  }

  func nonce() throws(IDTokenError) -> Secret? {
    guard let expected = expectation.nonce else { return claims.nonce.value.map { Secret($0) } }
    switch claims.nonce {
    case .absent where expectation.mayOmitNonce: return nil
    case .value(let nonce)
    where equalInConstantTime(Array(nonce.utf8), Array(expected.revealed.utf8)):
      return Secret(nonce)
    case .absent, .value, .unreadable:
      throw IDTokenError(
        .nonce, "The ID token does not belong to this sign-in (nonce). Sign in again.")
    }
  }

  func accessTokenHash() throws(IDTokenError) {
    try check(
      claims.accessTokenHash, named: "at_hash", of: expectation.accessToken, "access token",
      .accessTokenHash)
  }

  func deviceSecretHash() throws(IDTokenError) {
    try check(
      claims.deviceSecretHash, named: "ds_hash", of: expectation.deviceSecret, "device secret",
      .deviceSecretHash)
  }

  /// Checks the hash of a secret: the first half of its SHA-256, in Base64url.
  ///
  /// Accepts a missing hash, and any hash if there is no secret.
  private func check(
    _ hash: IDTokenClaims.Claim<String>, named name: String, of secret: Secret?, _ kind: String,
    _ code: IDTokenError.Code
  ) throws(IDTokenError) {
    guard let secret else { return }
    switch hash {
    case .absent: return
    case .value(let hash):
      let digest = HashFunction.sha256.hash(Array(secret.revealed.utf8))
      let expected = Base64URL.encode(Array(digest.prefix(digest.count / 2)))
      if equalInConstantTime(Array(hash.utf8), Array(expected.utf8)) { return }
    case .unreadable: break
    }
    throw IDTokenError(
      code, "The \(kind) does not belong to the ID token (\(name)). Do not use it. Sign in again.")
  }

  /// Compares bytes, because strings are equal if their characters only look the same.
  private func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}

// MARK: - Times

// Each check accepts clocks that differ by the leeway.
extension IDTokenCheck {
  func expiresAt() throws(IDTokenError) -> Date {
    guard let expiresAt = claims.expiresAt.value else {
      throw IDTokenError(.expired, "The ID token has no readable expiration time (exp).")
    }
    let seconds = now.timeIntervalSince(expiresAt)
    guard seconds < leeway else {
      let drift = now.timeIntervalSince(claims.issuedAt.value ?? expiresAt)
      throw IDTokenError(
        .expired,
        "The ID token expired \(Self.text(seconds)) ago. "
          + (abs(drift) > leeway
            ? Self.advice(drift) : "It has just been issued, so the server's settings are wrong."))
    }
    return expiresAt
  }

  func notBefore() throws(IDTokenError) {
    switch claims.notBefore {
    case .absent: return
    case .unreadable:
      throw IDTokenError(
        .notYetValid, "The start of the ID token's validity (nbf) cannot be read.")
    case .value(let date):
      let seconds = date.timeIntervalSince(now)
      guard seconds <= leeway else {
        throw IDTokenError(
          .notYetValid,
          "The ID token is not valid until \(Self.text(seconds)) from now. \(Self.advice(seconds))")
      }
    }
  }

  func issuedAt() throws(IDTokenError) -> Date {
    guard let issuedAt = claims.issuedAt.value else {
      throw IDTokenError(.issuedAt, "The ID token does not say when it was issued.")
    }
    let seconds = now.timeIntervalSince(issuedAt)
    guard abs(seconds) <= leeway else {
      let when = seconds < 0 ? "in the future" : "ago"
      throw IDTokenError(
        .issuedAt,
        "The ID token was issued \(Self.text(abs(seconds))) \(when). \(Self.advice(seconds))")
    }
    return issuedAt
  }

  func authenticatedAt() throws(IDTokenError) -> Date? {
    switch claims.authenticatedAt {
    case .unreadable:
      throw IDTokenError(
        .authenticationTime,
        "The time of the sign-in (auth_time) in the ID token cannot be read. Sign in again.")
    case .absent:
      guard expectation.maximumAge == nil else {
        throw IDTokenError(
          .authenticationTime,
          "The ID token does not say when the person signed in, but a maximum age was requested.")
      }
      return nil
    case .value(let date):
      try checkAge(of: date)
      // Encoding the date may have lost a fraction of a second.
      if let first = expectation.authenticatedAt, !(date.timeIntervalSince(first) > -1) {
        throw IDTokenError(
          .authenticationTime,
          "The ID token belongs to an earlier sign-in than before. Sign in again.")
      }
      return date
    }
  }

  private func checkAge(of authentication: Date) throws(IDTokenError) {
    let seconds = now.timeIntervalSince(authentication)
    if let maximumAge = expectation.maximumAge, seconds > TimeInterval(maximumAge) + leeway {
      throw IDTokenError(
        .authenticationTime,
        "The person signed in \(Self.text(seconds)) ago. At most"
          + " \(Self.text(TimeInterval(maximumAge))) is allowed. Sign in again.")
    }
    // After a refresh, a time that was accepted before is not checked again: the clock may be set back.
    let isKnown = expectation.authenticatedAt.map { abs($0.timeIntervalSince(authentication)) < 1 }
    guard seconds >= -leeway || isKnown == true else {
      throw IDTokenError(
        .authenticationTime,
        "The person signed in \(Self.text(-seconds)) in the future. \(Self.advice(seconds))")
    }
  }

  private var leeway: TimeInterval { TimeInterval(expectation.leeway) }

  /// Whole seconds as text, for any number.
  private static func text(_ seconds: TimeInterval) -> String {
    Int(exactly: seconds.rounded()).map { "\($0) s" } ?? "a very long time"
  }

  /// What to do about a new token whose times are wrong.
  private static func advice(_ drift: TimeInterval) -> String {
    "If you have just signed in, this machine's clock is wrong by about \(text(abs(drift))). Set the"
      + " clock, then sign in again."
  }
}

// MARK: - Reading claims

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
    guard let claims = JSONDocument(parsingUnique: payload) else {
      throw IDTokenError(
        .malformed, "The claims of the ID token cannot be read, or one of them occurs twice.")
    }
    func claim<Value>(_ name: StaticString, _ read: (Int) -> Value?) -> Claim<Value> {
      guard let node = claims.member(name, of: 0), !claims.isNull(node) else { return .absent }
      return read(node).map { .value($0) } ?? .unreadable
    }
    func text(_ name: StaticString) -> Claim<String> { claim(name, claims.string) }
    func date(_ name: StaticString) -> Claim<Date> {
      claim(name) { node in
        // No server means a time after the year 9999.
        claims.value(node).double.flatMap {
          (0..<253_402_300_800).contains($0) ? Date(timeIntervalSince1970: $0) : nil
        }
      }
    }
    issuer = text("iss")
    subject = text("sub")
    audience = claim("aud") { node in
      if let one = claims.string(node) { return [one] }
      let texts = claims.children(of: node).map(claims.string)
      return claims.isArray(node) && !texts.contains(nil) ? texts.compactMap(\.self) : nil
    }
    authorizedParty = text("azp")
    expiresAt = date("exp")
    issuedAt = date("iat")
    notBefore = date("nbf")
    // Some servers write 0 if they do not know the time.
    let time = date("auth_time")
    authenticatedAt = time.value == Date(timeIntervalSince1970: 0) ? .absent : time
    nonce = text("nonce")
    accessTokenHash = text("at_hash")
    deviceSecretHash = text("ds_hash")
    preferredUsername = text("preferred_username")
    name = text("name")
    email = text("email")
  }
}

extension JSONDocument {
  /// Reads a JSON object in which no name occurs twice; nil for anything else.
  ///
  /// Parsers differ in which of two members with the same name they use, so that one program might
  /// check a value that another does not read. Nested objects are not examined.
  package init?(parsingUnique bytes: [UInt8]) {
    guard bytes.first != 0xEF, let document = try? JSONDocument(parsing: bytes),
      document.isObject(0)
    else { return nil }
    var names = Set<[UInt8]>(minimumCapacity: 24)
    for member in document.children(of: 0) {
      guard names.insert(Array(document.name(of: member).utf8)).inserted else { return nil }
    }
    self = document
  }
}
