import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One sign-in by DirectAuth.
struct DirectSignIn: Sendable {
  let account: OrgAccount.Key
  var scopes: [String]
  /// Whether its tokens are for replacing a forgotten password only.
  let isRecovery: Bool
  var proved = ProvedAuthenticators()
  /// The authenticators of which one must be proved next.
  var required: [IDXAuthenticator.Key] = []
  /// When its `mfa_token` expires.
  var expiresAt: Date = .distantPast
}

/// A push, a code or a passkey request of DirectAuth that waits for its answer.
struct DirectChallenge: Sendable {
  let account: OrgAccount.Key
  /// The sign-in of which it is the second factor; nil for a first one.
  let mfaToken: String?
  var challenge: AuthenticatorChallenge
  let expiresAt: Date
  /// How many seconds must pass between two polls; it grows with each poll that comes too soon
  /// (RFC 8628, section 3.5).
  var interval: TimeInterval = Self.firstInterval
  var lastPoll: Date?

  static let firstInterval: TimeInterval = 5

  /// Whether the user answers on a device, so that the client polls.
  var isPolled: Bool { challenge.proof.isPolled }
}

/// The sign-ins by DirectAuth that are not finished.
struct DirectSignIns: Sendable {
  /// Those that need a second factor, by the `mfa_token`.
  var pending: [String: DirectSignIn] = [:]
  /// By the `oob_code`, or by the challenge of a passkey.
  var challenges: [String: DirectChallenge] = [:]

  mutating func end(_ mfaToken: String) {
    pending[mfaToken] = nil
    endChallenges(of: mfaToken)
  }

  /// Forgets the challenges for a second factor: a new one replaces them.
  mutating func endChallenges(of mfaToken: String) {
    challenges = challenges.filter { $0.value.mfaToken != mfaToken }
  }

  /// Forgets all sign-ins of a user.
  mutating func end(of account: OrgAccount.Key) {
    pending = pending.filter { $0.value.account != account }
    challenges = challenges.filter { $0.value.account != account }
  }
}
