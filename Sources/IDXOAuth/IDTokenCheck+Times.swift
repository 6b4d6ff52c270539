#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The checks of when, all of which allow the clocks of server and machine to differ by the leeway.
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
