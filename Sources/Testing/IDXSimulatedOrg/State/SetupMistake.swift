/// A mistake in the setup of a ``SimulatedOrg``, for tests of what an app says about it.
///
/// Other mistakes need no setting: a wrong client ID, redirect URI, scope or client secret, and a clock
/// that differs (``SimulatedOrg/advance(by:)``).
public enum SetupMistake: Sendable, Hashable, CaseIterable {
  /// The app may not use the grant type of the request.
  case grantTypeDisabled
  /// The app may not use the grant type of Identity Engine; others are allowed.
  case interactionCodeDisabled
  /// No rule of a policy allows the sign-in: the first response of Identity Engine is its end, and no
  /// tokens are issued.
  case noMatchingPolicy
  /// The org may not use custom authorization servers.
  case customServersDisabled
}
