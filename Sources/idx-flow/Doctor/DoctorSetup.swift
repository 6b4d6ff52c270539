import Foundation
import IDXFlow
import IDXOAuth

/// The settings that the doctor checks, and the way to the server.
struct DoctorSetup: Sendable {
  private let settings: SignInSettings
  let configuration: FlowConfiguration
  let flow: ProtocolChoice
  let fastPass: DevicePermission
  let transport: any Transport
  /// The app with SAML, if only that is set up, which has no client ID and asks for no tokens; otherwise nil.
  let onlySAMLApp: SAMLAppAddress?

  /// Reads the settings of an app for tokens, or those of the app with SAML if that is the only one.
  init(_ call: CommandCall) throws {
    let own = try SignInSettings(call.options, call.environment)
    let saml = try own[.clientID] == nil || call.has(SAMLAppAddress.option) ? SAMLSignIn(call) : nil
    let isNamed = [Setting.issuer, .clientID].map(\.option).contains(where: call.has)
    if let saml, !isNamed, own[.clientID] == nil || !saml.app.isAt(own[.issuer]?.text ?? "") {
      (settings, onlySAMLApp) = (saml.settings, saml.app)
      flow = try ProtocolChoice(.hosted)
      configuration = try saml.configuration
    } else {
      (settings, onlySAMLApp) = (own, nil)
      flow = try ProtocolChoice(call.options, profile: settings[.flow]?.text)
      configuration = try settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    }
    fastPass = try settings.permission(for: .fastPass, usually: .asks)
    transport = settings.transport(over: try call.transport())
  }

  /// What reads and saves the credentials of the profile in a store.
  func saver(for store: any CredentialStore) -> CredentialSaver {
    CredentialSaver(
      store: store, client: TokenClient(transport: transport), label: settings.credentialLabel)
  }

  static func check(_ setup: Result<DoctorSetup, any Error>) -> DoctorCheck {
    switch setup {
    case .failure(let error): return .failed("configuration", CommandFailure(error))
    case .success(let setup):
      let source = setup.settings.issuerSource.map { " (from \($0))" } ?? ""
      let app = setup.onlySAMLApp?.url.absoluteString ?? setup.configuration.clientID
      let message = "\(setup.configuration.issuer), app \(app)\(source)"
      return setup.settings.noteOnVariables.map { .warning("configuration", message, "\($0)") }
        ?? .ok("configuration", message)
    }
  }
}
