import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of an ID token's claims, each of which gives the claim or tells why it does not hold.
///
/// Source: OpenID Connect Core, sections 3.1.3.7 and 12.2.
struct IDTokenCheck: Sendable {
  let claims: IDTokenClaims
  let expectation: IDTokenExpectation
  let now: Date

  func issuer() throws(IDTokenError) -> String {
    guard let issuer = claims.issuer.value else {
      throw IDTokenError(.issuer, "The ID token does not name its issuer.")
    }
    let expected = expectation.issuer.absoluteString
    guard isSame(issuer, expected) else {
      throw IDTokenError(
        .issuer,
        "The ID token was issued by \(issuer.quotedBriefly) and not by \(expected.quotedBriefly)."
          + " Check the issuer in the settings: it must be the same to the character.")
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
        "The ID token is for the client \(first.quotedBriefly) and not for"
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
          "The ID token is for several clients and does not say which of them it was handed to.")
      }
    case .value(let client) where isSame(client, expectation.clientID): break
    case .value(let client):
      throw IDTokenError(
        .authorizedParty,
        "The ID token was handed to the client \(client.quotedBriefly) and not to"
          + " \(expectation.clientID.quotedBriefly). Check the client ID in the settings.")
    case .unreadable:
      throw IDTokenError(
        .authorizedParty, "It cannot be read which client the ID token was handed to.")
    }
  }

  func subject() throws(IDTokenError) -> String {
    guard let subject = claims.subject.value, !subject.isEmpty else {
      throw IDTokenError(.subject, "The ID token does not say who signed in.")
    }
    if let expected = expectation.subject, !isSame(subject, expected) {
      throw IDTokenError(
        .subject,
        "The ID token is for another person, \(subject.quotedBriefly), than before,"
          + " \(expected.quotedBriefly). Sign in again.")
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
        .nonce, "The ID token does not belong to this sign-in (nonce). Start the sign-in anew.")
    }
  }

  func accessTokenHash() throws(IDTokenError) {
    try check(
      claims.accessTokenHash, of: expectation.accessToken,
      IDTokenError(
        .accessTokenHash,
        "The access token is not the one that the ID token came with (at_hash). Do not use either;"
          + " sign in again."))
  }

  func deviceSecretHash() throws(IDTokenError) {
    try check(
      claims.deviceSecretHash, of: expectation.deviceSecret,
      IDTokenError(
        .deviceSecretHash,
        "The device secret is not the one that the ID token came with (ds_hash). Do not use either;"
          + " sign in again."))
  }

  /// A hash that is absent holds, and so does any where there is nothing to compare it with.
  private func check(
    _ hash: IDTokenClaims.Claim<String>, of secret: Secret?, _ error: IDTokenError
  ) throws(IDTokenError) {
    guard let secret else { return }
    switch hash {
    case .absent: return
    case .unreadable: throw error
    case .value(let hash):
      let digest = HashFunction.sha256.hash(Array(secret.revealed.utf8))
      let expected = Base64URL.encode(Array(digest.prefix(digest.count / 2)))
      guard equalInConstantTime(Array(hash.utf8), Array(expected.utf8)) else { throw error }
    }
  }

  /// Strings compare equal where their characters look the same, and these must be the same.
  private func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}

// MARK: - Times

/// Every check allows the clocks of server and machine to differ by the leeway.
extension IDTokenCheck {
  func expiresAt() throws(IDTokenError) -> Date {
    guard let expiresAt = claims.expiresAt.value else {
      throw IDTokenError(.expired, "The ID token does not say until when it stands.")
    }
    let seconds = now.timeIntervalSince(expiresAt)
    guard seconds < leeway else {
      let drift = now.timeIntervalSince(claims.issuedAt.value ?? expiresAt)
      throw IDTokenError(
        .expired,
        "The ID token expired \(Self.text(seconds)) ago. "
          + (abs(drift) > leeway
            ? Self.advice(drift) : "It was issued just now: the server's settings are wrong."))
    }
    return expiresAt
  }

  func notBefore() throws(IDTokenError) {
    switch claims.notBefore {
    case .absent: return
    case .unreadable:
      throw IDTokenError(.notYetValid, "It cannot be read from when on the ID token stands.")
    case .value(let date):
      let seconds = date.timeIntervalSince(now)
      guard seconds <= leeway else {
        throw IDTokenError(
          .notYetValid,
          "The ID token stands only in \(Self.text(seconds)). \(Self.advice(seconds))")
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
        .authenticationTime, "It cannot be read when the person signed in. Sign in again.")
    case .absent:
      guard expectation.maximumAge == nil else {
        throw IDTokenError(
          .authenticationTime,
          "The ID token does not say when the person signed in, and an age was asked for.")
      }
      return nil
    case .value(let date):
      try checkAge(of: date)
      // A date that was encoded in between may have lost a fraction of a second.
      if let first = expectation.authenticatedAt, !(date.timeIntervalSince(first) > -1) {
        throw IDTokenError(
          .authenticationTime, "The ID token is of another sign-in than before. Sign in again.")
      }
      return date
    }
  }

  private func checkAge(of authentication: Date) throws(IDTokenError) {
    guard let maximumAge = expectation.maximumAge else { return }
    let seconds = now.timeIntervalSince(authentication)
    guard seconds <= TimeInterval(maximumAge) + leeway else {
      throw IDTokenError(
        .authenticationTime,
        "The person signed in \(Self.text(seconds)) ago, and \(Self.text(TimeInterval(maximumAge)))"
          + " are allowed. Sign in again.")
    }
    guard seconds >= -leeway else {
      throw IDTokenError(
        .authenticationTime,
        "The person signed in \(Self.text(-seconds)) in the future. \(Self.advice(seconds))")
    }
  }

  private var leeway: TimeInterval { TimeInterval(expectation.leeway) }

  /// Whole seconds, in words; of any number, for an expectation may hold any.
  private static func text(_ seconds: TimeInterval) -> String {
    Int(exactly: seconds.rounded()).map { "\($0) s" } ?? "a very long time"
  }

  /// What to do about a token that came just now and is not of this time.
  private static func advice(_ drift: TimeInterval) -> String {
    "If it came just now, the clock of this machine is wrong by about \(text(abs(drift))): set it,"
      + " then sign in again."
  }
}
