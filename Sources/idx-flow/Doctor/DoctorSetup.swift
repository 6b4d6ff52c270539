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
  /// Whether only an app with SAML is set up, which has no client ID and asks for no tokens.
  let isSAMLOnly: Bool

  /// Reads the settings of an app for tokens, or those of the app with SAML if that is the only one.
  init(_ call: CommandCall) throws {
    let own = try SignInSettings(call.options, call.environment)
    let saml = try own[.clientID] == nil || call.has(SAMLAppAddress.option) ? SAMLSignIn(call) : nil
    let isNamed = [Setting.issuer, .clientID].map(\.option).contains(where: call.has)
    if let saml, !isNamed, own[.clientID] == nil || !saml.app.isAt(own[.issuer]?.text ?? "") {
      (settings, flow, isSAMLOnly) = (saml.settings, try ProtocolChoice(.hosted), true)
      fastPass = try settings.permission(for: .fastPass, usually: .asks)
      configuration = try saml.configuration
      transport = settings.transport(over: try call.transport())
      return
    }
    (settings, isSAMLOnly) = (own, false)
    flow = try ProtocolChoice(call.options, profile: settings[.flow]?.text)
    fastPass = try settings.permission(for: .fastPass, usually: .asks)
    configuration = try settings.configuration(needsRedirectURI: flow.needsRedirectURI)
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
      let id = setup.configuration.clientID
      let app = setup.isSAMLOnly ? String(id.drop { $0 != ":" }.dropFirst()) : id
      let message = "\(setup.configuration.issuer), app \(app)\(source)"
      return setup.settings.noteOnVariables.map { .warning("configuration", message, "\($0)") }
        ?? .ok("configuration", message)
    }
  }
}
