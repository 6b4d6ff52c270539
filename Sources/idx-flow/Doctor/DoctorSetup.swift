import Foundation
import IDXFlow
import IDXOAuth

/// The settings that the doctor checks, and the way to the server.
struct DoctorSetup: Sendable {
  let configuration: FlowConfiguration
  let flow: SignInFlow
  let fastPass: DevicePermission
  /// The label of the credentials of the profile.
  private let credentialLabel: String?
  let transport: any Transport
  /// Where the issuer comes from; nil if it is an option.
  let source: String?
  /// What to say if variables are used in place of a chosen profile.
  let noteOnVariables: String?

  init(_ call: CommandCall) throws {
    let settings = try SignInSettings(call.options, call.environment)
    flow = try SignInFlow(call.options, profile: settings[.flow]?.text)
    fastPass = try settings.permission(for: .fastPass, usually: .asks)
    credentialLabel = settings.credentialLabel
    source = settings.issuerSource.map { "\($0)" }
    noteOnVariables = settings.noteOnVariables.map { "\($0)" }
    configuration = try settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    transport = try call.transport()
  }

  /// What reads and saves the credentials of the profile in a store.
  func saver(for store: any CredentialStore) -> CredentialSaver {
    CredentialSaver(
      store: store, client: TokenClient(transport: transport), label: credentialLabel)
  }

  static func check(_ setup: Result<DoctorSetup, any Error>) -> DoctorCheck {
    switch setup {
    case .failure(let error): return .failed("configuration", CommandFailure(error))
    case .success(let setup):
      let source = setup.source.map { " (from \($0))" } ?? ""
      let message = "\(setup.configuration.issuer), app \(setup.configuration.clientID)\(source)"
      return setup.noteOnVariables.map { .warning("configuration", message, $0) }
        ?? .ok("configuration", message)
    }
  }
}
