import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// Asks at the first sign-in whether the person stays signed in, which needs a refresh token.
struct StaySignedInQuestion {
  /// What the server says about itself; nil if that is not known yet.
  var metadata: ServerMetadata?
  /// Whether the app may ask for a refresh token; nil if that is not known yet.
  var isAllowed: Bool?

  /// The scope with which a server issues a refresh token (OpenID Connect Core 1.0, section 11).
  static let scope = "offline_access"
  /// The usual scopes and that one.
  static let allScopes = FlowConfiguration.defaultScopes + [scope]

  /// The scopes that the person chooses; nil if the server or the app does not allow the choice.
  ///
  /// A failure is none of the sign-in, which has its own messages, unless the server took too long to answer.
  func scopes(
    for settings: SignInSettings, _ flow: ProtocolChoice, over transport: any Transport,
    _ dialog: TerminalDialog
  ) async throws -> [String]? {
    var asking = settings
    let usual = FlowConfiguration.defaultScopes
    asking.take(Self.allScopes.joined(separator: " "), for: .scopes)
    guard
      let configuration = try? asking.configuration(needsRedirectURI: flow.needsRedirectURI),
      try await isAllowed(by: configuration, flow, transport, dialog)
    else { return nil }
    let stays = try await dialog.confirm(
      "Stay signed in on this computer?", preset: true,
      help: """
        With yes, a refresh token is saved with the other tokens, and you need not sign in again until \
        idx-flow signout, or until the org ends the session. With no, you sign in again when the access token \
        expires, usually after an hour. On a computer that is not yours, say no.
        """)
    return stays ? Self.allScopes : usual
  }

  private func isAllowed(
    by configuration: FlowConfiguration, _ flow: ProtocolChoice, _ transport: any Transport,
    _ dialog: TerminalDialog
  ) async throws -> Bool {
    if metadata == nil { dialog.note("Checking \(configuration.issuer.absoluteString)…") }
    do {
      let metadata =
        if let metadata { metadata } else {
          try await TokenClient(transport: transport).metadata(of: configuration.issuer)
        }
      let isListed =
        (metadata.grantTypes.isEmpty || metadata.grantTypes.contains("refresh_token"))
        && (metadata.scopes.isEmpty || metadata.scopes.contains(Self.scope))
      guard isListed, case .idx = flow else { return isListed }
      if let isAllowed { return isAllowed }
      // Only the start of a sign-in tells whether the app may ask for it.
      let state = try await IDXClient(transport: transport).start(configuration)
      return !state.isAtEnd
    } catch is CancellationError {
      throw CancellationError()
    } catch let error as FlowError
      where (error.underlying as? TransportError)?.code == .timedOut
    {
      // The next request would take as long.
      throw error
    } catch { return false }
  }
}
