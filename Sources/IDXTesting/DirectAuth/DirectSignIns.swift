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
  /// Whether its tokens are to replace a lost password, and for nothing else.
  let isRecovery: Bool
  /// What has been proved.
  var verified: Set<IDXAuthenticator.Key> = []
  /// In which ways, where an authenticator has several.
  var methods: Set<IDXAuthenticator.Method> = []
  /// One of these has to be proved next.
  var demanded: [IDXAuthenticator.Key] = []
  /// When its `mfa_token` ends.
  var expiresAt: Date = .distantPast

  mutating func add(_ ceremony: Ceremony) {
    verified.insert(ceremony.authenticator)
    if let method = ceremony.method { methods.insert(method) }
  }
}

/// Something that was sent to a person, or asked of a passkey, and waits for its answer.
struct DirectChallenge: Sendable {
  let account: OrgAccount.Key
  /// The sign-in whose second factor it is; nil for a first one.
  let mfaToken: String?
  var ceremony: Ceremony
  let expiresAt: Date
  /// How many seconds there must be between two polls; it grows with each that comes too soon
  /// (RFC 8628, section 3.5).
  var interval: TimeInterval = Self.firstInterval
  /// When it was last polled; nil before.
  var polledAt: Date?

  static let firstInterval: TimeInterval = 5

  /// Whether the person answers on their device, so that the client polls.
  var isPolled: Bool { ceremony.method == "push" }
}

/// The sign-ins by DirectAuth that are on their way.
struct DirectSignIns: Sendable {
  /// Those that lack a second factor, by the `mfa_token`.
  var pending: [String: DirectSignIn] = [:]
  /// By the `oob_code`, or by what a passkey is to sign.
  var challenges: [String: DirectChallenge] = [:]

  /// Forgets a sign-in that is done or came to nothing.
  mutating func end(_ mfaToken: String) {
    pending[mfaToken] = nil
    endChallenges(of: mfaToken)
  }

  /// Forgets what was sent for a second factor: a new challenge takes its place.
  mutating func endChallenges(of mfaToken: String) {
    challenges = challenges.filter { $0.value.mfaToken != mfaToken }
  }

  /// Forgets all of a user's.
  mutating func end(of account: OrgAccount.Key) {
    pending = pending.filter { $0.value.account != account }
    challenges = challenges.filter { $0.value.account != account }
  }
}

/// Why a request is not answered with what it asks for.
struct DirectRefusal: Error {
  let reply: OrgReply

  init(_ code: String, _ description: String, status: Int = 400) {
    reply = .oauthError(code, description, status: status)
  }

  init(_ reply: OrgReply) { self.reply = reply }
}
