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

extension SimulatedOrg {
  /// Adds a mistake to the setup of the org; it stays.
  public func misconfigure(_ mistake: SetupMistake) { core.mistakes.insert(mistake) }
}

extension OrgCore {
  /// Throws if the org is set up so that the app cannot sign in anybody.
  func checkSetup() throws(Refusal) {
    try require(
      !mistakes.contains(.customServersDisabled) || !settings.issuer.contains("/oauth2/"),
      else: .oauth("server_error", "The requested feature is not enabled in this environment."))
    try require(
      !mistakes.contains(.grantTypeDisabled),
      else: .oauth("unauthorized_client", "The client may not use this grant type."))
  }
}
