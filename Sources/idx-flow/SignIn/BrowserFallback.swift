import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// Offers to continue in a browser if a person cannot finish a sign-in at the terminal.
struct BrowserFallback {
  /// What to do in a script, where nobody can be asked.
  static let remedy: Sentence =
    "Or sign in in a browser: idx-flow signin --flow browser, with an app that has the grant type Authorization Code."

  static let question: Sentence = "Continue in the browser?"

  private let dialog: TerminalDialog
  private let configuration: FlowConfiguration
  /// Whether a browser can be opened here, so that it returns to this computer.
  private let opensBrowser: Bool

  /// The option that ``add(to:)`` adds.
  static let optionID = "continue-in-browser"

  /// Nil if there is nobody to ask, or if a sign-in in a browser could not replace this one.
  init?(
    insteadOf flow: ProtocolChoice, of configuration: FlowConfiguration, _ dialog: TerminalDialog?,
    opensBrowser: Bool
  ) {
    guard let dialog, !flow.isOnPage, !flow.returnsSessionToken else { return nil }
    self.dialog = dialog
    self.configuration = configuration
    self.opensBrowser = opensBrowser
  }

  /// Adds the option to the screen of a step that cannot be done here.
  func add(to screen: inout Screen) {
    // Without a redirect URI, only the server knows whether there is a way. After a notice, the person chooses again,
    // also if there is only what cannot be done here.
    guard configuration.redirectURI != nil,
      screen.unsupported != nil || screen.step?.notice != nil,
      !([screen.action] + screen.options).contains(where: { $0.id == Self.optionID })
    else { return }
    let option = Screen.Option(
      id: Self.optionID, label: screen.words.text(of: "Continue in the browser"),
      role: .alternative, isProminent: true)
    // After other ways to go on with this sign-in.
    let ends: [Screen.Option.Role] = [.startOver, .quit]
    if ends.contains(screen.action.role) {
      screen.options.insert(screen.action, at: 0)
      screen.action = option
    } else {
      let place = screen.options.firstIndex { ends.contains($0.role) }
      screen.options.insert(option, at: place ?? screen.options.endIndex)
    }
  }

  /// The sign-in that replaces one that failed; nil if that would not help, or if the person does not want it.
  func flow(after failure: CommandFailure, _ tokens: TokenClient) async throws -> ProtocolChoice? {
    guard failure.mayWorkInBrowser, let flow = await flow(tokens) else { return nil }
    dialog.problem(failure.sentence)
    return try await dialog.confirm(Self.question) ? flow : nil
  }

  /// A code for another device if no browser can be opened here, and the server has that.
  func flow(_ tokens: TokenClient) async -> ProtocolChoice? {
    if opensBrowser, configuration.redirectURI != nil { return .browser(nil) }
    let metadata = try? await tokens.metadata(of: configuration.issuer)
    if metadata?.deviceAuthorizationEndpoint != nil { return .device }
    return configuration.redirectURI == nil ? nil : .browser(nil)
  }
}

extension CommandFailure {
  /// Whether a page of the org in a browser may do what failed here.
  var mayWorkInBrowser: Bool {
    if let setup { return [.grantTypeDisabled, .noMatchingPolicy].contains(setup.kind) }
    let codes: [OAuthError.Code] = [.consentRequired, .loginRequired, .interactionRequired]
    if let refusal = cause?.underlying as? OAuthError { return codes.contains(refusal.code) }
    return cause?.code == .noHandler
  }
}
