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

  init(_ call: CommandCall) throws {
    settings = try SignInSettings(call.options, call.environment)
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
      let message = "\(setup.configuration.issuer), app \(setup.configuration.clientID)\(source)"
      return setup.settings.noteOnVariables.map { .warning("configuration", message, "\($0)") }
        ?? .ok("configuration", message)
    }
  }
}
