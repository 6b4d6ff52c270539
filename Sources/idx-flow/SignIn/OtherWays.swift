import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// Offers other protocols if a person cannot finish a sign-in at the terminal with the chosen one.
struct OtherWays {
  static let question: Sentence = "Continue in the browser?"
  /// What a person should know before they choose the steps of the page.
  private static let aboutHosted: Sentence =
    "The steps of the org's own page can be answered here. The policy of the app applies as in a browser. Okta does not "
    + "document this way, and your organization may want passwords to be typed only on its page."

  private let dialog: TerminalDialog
  private let configuration: FlowConfiguration
  /// Whether a browser can be opened here, so that it returns to this computer.
  private let opensBrowser: Bool

  /// The option that ``add(to:)`` adds.
  static let optionID = "continue-in-browser"

  /// Nil if there is nobody to ask, or if no other protocol could replace this one.
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
      id: Self.optionID, label: screen.words.text(of: Self.label(.browser)),
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

  /// The protocol that replaces one that failed; nil if none would help, or if the person does not want one.
  func flow(
    after failure: CommandFailure, insteadOf flow: ProtocolChoice, _ tokens: TokenClient
  ) async throws -> ProtocolChoice? {
    let ways = failure.otherWays(insteadOf: flow).filter {
      $0 == .browser || configuration.redirectURI != nil
    }
    guard !ways.isEmpty else { return nil }
    let browser = await self.flow(tokens)
    guard ways != [.browser] || browser != nil else { return nil }
    dialog.problem(failure.sentence)
    return switch try await Self.choose(among: ways, dialog) {
    case .browser?: browser
    case let other?: try ProtocolChoice(other)
    case nil: nil
    }
  }

  /// The protocol that the person chooses; nil for none.
  static func choose(
    among ways: [SignInProtocol], _ dialog: TerminalDialog
  ) async throws -> SignInProtocol? {
    guard ways != [.browser] else { return try await dialog.confirm(question) ? .browser : nil }
    if ways.contains(.hosted) { dialog.note(aboutHosted) }
    let chosen = try await dialog.choose(among: ways.map(label) + ["End the sign-in"])
    return ways.indices.contains(chosen) ? ways[chosen] : nil
  }

  private static func label(_ way: SignInProtocol) -> Sentence {
    switch way {
    case .hosted: "Continue here, with the steps of the org's page"
    case .classic: "Continue here, with the classic authentication API"
    case .idx: "Continue here, with Identity Engine"
    default: "Continue in the browser"
    }
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
  private static let browser: Sentence =
    "Or sign in in a browser: idx-flow signin --flow browser, with an app that has the grant type Authorization Code."
  private static let onlyBrowser: Sentence =
    "Sign in in a browser: idx-flow signin --flow browser, with an app that has the grant type Authorization Code."
  private static let hostedOrBrowser: Sentence =
    "Or use an app that has the grant type Authorization Code, and sign in with the steps of the org's own page, or in a "
    + "browser: idx-flow signin --flow hosted, or --flow browser."

  /// The protocols that may do what failed in one, the best one first.
  func otherWays(insteadOf flow: ProtocolChoice) -> [SignInProtocol] {
    guard !flow.isOnPage, !flow.returnsSessionToken else { return [] }
    switch (setup?.kind, flow) {
    case (.identityEngine?, _): return [.idx, .hosted, .browser]
    case (.classicEngine?, _): return [.classic, .browser]
    case (.grantTypeDisabled?, .idx): return [.hosted, .browser]
    case (.grantTypeDisabled?, .hosted): return []
    case (.grantTypeDisabled?, _), (.noMatchingPolicy?, _): return [.browser]
    case (_?, _): return []
    case (nil, _): break
    }
    let codes: [OAuthError.Code] = [.consentRequired, .loginRequired, .interactionRequired]
    if let refusal = cause?.underlying as? OAuthError {
      return codes.contains(refusal.code) ? [.browser] : []
    }
    return cause.map { [.noHandler, .browserNeeded].contains($0.code) } == true ? [.browser] : []
  }

  /// What to do in a script, where nobody can be asked; nil if no other protocol would help.
  func otherWaysRemedy(insteadOf flow: ProtocolChoice) -> Sentence? {
    let ways = otherWays(insteadOf: flow)
    // The remedy of a problem with the engine names them.
    guard !ways.isEmpty,
      setup.map({ ![.classicEngine, .identityEngine].contains($0.kind) }) ?? true
    else { return nil }
    if ways.contains(.hosted) { return Self.hostedOrBrowser }
    return remedySentence == nil && setup == nil ? Self.onlyBrowser : Self.browser
  }
}
