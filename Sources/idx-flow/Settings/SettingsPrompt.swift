import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// Asks a person for the settings that no other place has, and checks them with the server.
struct SettingsPrompt {
  let dialog: TerminalDialog
  let transport: any Transport
  let flow: SignInFlow

  /// Asks until the server would start a sign-in with the settings.
  ///
  /// Throws a ``CommandFailure`` if the reason why it would not is a setting that was not asked for.
  func complete(_ settings: SignInSettings) async throws -> SignInSettings {
    var settings = settings
    dialog.heading("Which org and app?")
    dialog.note(
      settings.remembersAnswers
        ? "Your answers are remembered after you have signed in."
        : "Your answers are not saved. To save them, choose a name: --profile NAME")
    if settings[.issuer] == nil { settings.take(try await askIssuer(), for: .issuer) }
    var isFirst = true
    while true {
      if settings[.clientID] == nil {
        if isFirst { dialog.note(Self.whereClientID) }
        settings.take(try await askText("Client ID: "), for: .clientID)
      }
      if flow.needsRedirectURI, settings[.redirectURI] == nil {
        if isFirst { dialog.note(Self.whichRedirectURI) }
        settings.take(try await askRedirectURI(settings[.issuer]?.text), for: .redirectURI)
      }
      isFirst = false
      let wrong: Setting
      do {
        let configuration = try settings.configuration(needsRedirectURI: flow.needsRedirectURI)
        guard let problem = try await problem(with: configuration) else { return settings }
        dialog.problem(problem.explanation)
        dialog.note(problem.remedy)
        guard let setting = problem.setting, settings[setting]?.source == .person else {
          throw CommandFailure(problem)
        }
        wrong = setting
      } catch let error as FlowError where error.code == .invalidConfiguration {
        dialog.problem(error.message)
        var others = settings
        others.forget(.redirectURI)
        _ = try others.configuration(needsRedirectURI: false)
        // Only the redirect URI has a wrong form.
        guard settings[.redirectURI]?.source == .person else { throw error }
        wrong = .redirectURI
      }
      settings.forget(wrong)
    }
  }

  private static let whereClientID =
    "The client ID is in the Admin Console, under Applications > your app > General."
  private static let whichRedirectURI =
    "The redirect URI must be one of the app's sign-in redirect URIs, even if no browser is used."

  /// The mistake because of which the server would not start a sign-in; nil if it would, or if that cannot
  /// be asked for in the protocol.
  private func problem(with configuration: FlowConfiguration) async throws -> SetupProblem? {
    guard case .idx = flow else { return nil }
    dialog.note("Checking the app…")
    do {
      let state = try await IDXClient(transport: transport).start(configuration)
      return SetupProblem(endOf: state, grantType: flow.grantType)
    } catch let error as FlowError {
      guard let problem = SetupProblem(error, of: configuration, grantType: flow.grantType) else {
        throw error
      }
      return problem
    }
  }

  /// Asks for the org or the issuer until an authorization server answers there.
  private func askIssuer() async throws -> String {
    while true {
      let typed = try await askText("Org or issuer, such as dev-1234.okta.com: ")
      let issuer = IssuerText(typed: typed).issuer
      dialog.note("Checking \(issuer)…")
      do {
        let configuration = try FlowConfiguration(issuer: issuer, clientID: "-")
        do {
          let found = try await TokenClient(transport: transport)
            .metadata(of: configuration.issuer)
          if found.issuer == issuer {
            dialog.success("\(issuer) is an authorization server.")
            return issuer
          }
          dialog.problem("The server at \(issuer) says that its issuer is \(found.issuer).")
          dialog.note("Type that issuer if you trust it.")
        } catch let error as FlowError {
          guard let problem = SetupProblem(error, of: configuration) else { throw error }
          dialog.problem(problem.explanation)
          dialog.note(problem.remedy)
        }
      } catch let error as FlowError {
        dialog.problem(error.message)
      }
    }
  }

  private func askRedirectURI(_ issuer: String?) async throws -> String {
    let proposed = issuer.flatMap(IssuerText.proposedRedirectURI)
    guard let proposed else { return try await askText("Redirect URI: ") }
    let typed = try await dialog.ask("Redirect URI [\(proposed)]: ")
    return typed.isEmpty ? proposed : typed
  }

  /// Asks until something is typed.
  private func askText(_ prompt: String) async throws -> String {
    while true {
      let text = try await dialog.ask(prompt)
      if !text.isEmpty { return text }
      dialog.problem("Type the value, or press Ctrl-C to cancel.")
    }
  }
}

extension SetupProblem {
  /// The mistake because of which the server ended a sign-in; nil if there may be another reason.
  init?(endOf state: FlowState, grantType: String) {
    let problem = state.response.allMessages.lazy.compactMap { message in
      message.key.flatMap {
        SetupProblem(
          messageKey: $0.rawValue, of: state.configuration, grantType: grantType)
      }
    }.first
    guard state.isAtEnd, let problem else { return nil }
    self = problem
  }

  /// The setting that a person can type again.
  fileprivate var setting: Setting? {
    switch kind {
    case .wrongClientID, .clientSecret: .clientID
    case .wrongRedirectURI: .redirectURI
    case .unknownScope: .scopes
    default: nil
    }
  }
}
