import Foundation
import IDX

/// The state of a sign-in that only DirectAuth needs.
///
/// If a sign-in needs a second factor, its handle is its `mfa_token`. While it waits for the answer to a
/// first factor, its handle is the ID of the challenge.
struct DirectState: Sendable {
  var scopes: [String] = []
  /// The authenticators of which one must be verified as the second factor.
  var required: [IDXAuthenticator.Key] = []
  /// The ID of the unanswered challenge: the `oob_code`, or the challenge of a passkey.
  var challengeID: String?
  var challengeExpiresAt = Date.distantPast
  /// The minimum number of seconds between two polls; each poll that is too early increases it (RFC 8628,
  /// section 3.5).
  var interval = Self.firstInterval
  var lastPoll: Date?

  static let firstInterval: TimeInterval = 5
}
