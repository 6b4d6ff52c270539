import Foundation

/// A user who has signed in with the classic API, until the session token is used.
struct ClassicSession: Sendable {
  let account: OrgAccount.Key
  let signIn: CompletedSignIn
  let expiresAt: Date

  /// The number of seconds for which a session token is valid.
  static let lifetime: TimeInterval = 5 * 60
}

/// The parameters of an authorization request that the app has sent before the browser opens it.
struct PushedRequest: Sendable {
  let parameters: [String: String]
  let expiresAt: Date
}

/// A link that the org or an administrator has sent to a user.
struct LinkToken: Sendable {
  let account: OrgAccount.Key
  let purpose: AccountOperation.Kind
  /// `distantFuture` if an administrator has sent it.
  let expiresAt: Date

  /// The number of seconds for which a requested link is valid.
  static let lifetime: TimeInterval = 60 * 60
}
