import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// Asks a person for the settings that no other place has, and checks them with the server.
struct SettingsPrompt {
  private let dialog: TerminalDialog
  private let transport: any Transport
  /// The protocol, which the person changes if the app does not allow the first one.
  private var flow: ProtocolChoice
  /// The org that the person probably means; nil if nothing says so.
  private var proposedOrg: String?
  /// Knows what the server has said about refresh tokens, so that it is not asked again.
  private var question = StaySignedInQuestion()

  /// Asks for the settings that are missing, for another protocol if the app does not allow this one, and whether
  /// the person of a new profile stays signed in.
  static func complete(
    _ settings: inout SignInSettings, _ flow: inout ProtocolChoice, savesNothing: Bool,
    _ call: CommandCall, _ dialog: TerminalDialog
  ) async throws {
    var question = StaySignedInQuestion()
    if !settings.missing(needsRedirectURI: flow.needsRedirectURI).isEmpty {
      let transport = try call.retrying(settings.transport(over: try call.transport())) {
        dialog.note($0)
      }
      // The name of an address is not the person's own.
      if settings.mayBeMistyped, call.options.operands.first.map(SignInTarget.isAddress) != true {
        let name = settings.profileName
        dialog.text(call.text("There is no profile “\(name)”.\(settings.similarProfiles)"))
        let isNew = try await dialog.confirm(
          "Set up a new profile “\(name)”?",
          help: "A profile is the org and the app under a name. idx-flow profile lists yours.")
        guard isNew else {
          throw CommandFailure(
            .cancelled, "Nothing was changed. To list profiles, run idx-flow profile")
        }
      } else if settings.isProfileNew {
        dialog.note("There is no profile “\(settings.profileName)” yet: your answers set it up.")
      }
      var prompt = SettingsPrompt(dialog: dialog, transport: transport, flow: flow)
      // Only a word that was typed for it may be the name of an org.
      prompt.proposedOrg = call.options.operands.first.flatMap(SignInTarget.org)
      settings = try await prompt.complete(settings)
      (flow, question) = (prompt.flow, prompt.question)
    }
    guard settings.newProfile(hasPerson: true) != nil, settings[.scopes] == nil, !savesNothing,
      !flow.returnsSessionToken
    else { return }
    let transport = settings.transport(over: try call.transport())
    if let scopes = try await question.scopes(for: settings, flow, over: transport, dialog) {
      settings.take(scopes.joined(separator: " "), for: .scopes)
    }
  }

  /// Asks until the server would start a sign-in with the settings.
  ///
  /// Throws a ``CommandFailure`` if the reason why it would not is a setting that was not asked for.
  private mutating func complete(_ settings: SignInSettings) async throws -> SignInSettings {
    var settings = settings
    let chosen = flow.name
    dialog.heading("Which org and app?")
    dialog.note(
      settings.remembersAnswers
        ? "Your answers are remembered with your first password or code."
        : "Your answers are not saved. To save them, choose a name: --profile NAME")
    dialog.note("? explains a question, b goes back, and Ctrl-C cancels.")
    if let given = settings[.issuer] { try await check(given: given.text) }
    var answered: [Setting] = []
    var explained: Set<Setting> = [.issuer]
    // Going back must not mean to type everything again.
    var typed: [Setting: String] = [:]
    while let setting = settings.missing(needsRedirectURI: flow.needsRedirectURI).first {
      if explained.insert(setting).inserted { dialog.note(Self.explanation(of: setting)) }
      guard let text = try await ask(for: setting, settings, last: typed[setting]) else {
        if let last = answered.popLast() {
          settings.forget(last)
        } else {
          dialog.problem("This is the first question.")
        }
        continue
      }
      settings.take(text, for: setting)
      typed[setting] = text
      answered.append(setting)
      if let wrong = try await wrongSetting(in: settings) {
        settings.forget(wrong)
        typed[wrong] = nil
        answered.removeAll { $0 == wrong }
      }
    }
    if flow.name != chosen { settings.take(flow.name, for: .flow) }
    return settings
  }

  private static func explanation(of setting: Setting) -> Sentence {
    switch setting {
    case .issuer:
      "The org is the address of its sign-in page, such as dev-1234.okta.com. For a custom authorization "
        + "server, type its issuer, such as dev-1234.okta.com/oauth2/default; the Admin Console lists "
        + "them under Security > API > Authorization Servers."
    case .clientID:
      "The client ID is in the Admin Console, under Applications > your app > General."
    default:
      "The redirect URI must be one of the app's sign-in redirect URIs, even if no browser is used. They "
        + "are in the Admin Console, under Applications > your app > General > Login."
    }
  }

  /// Asks for one setting; nil to go back to the setting before.
  private mutating func ask(
    for setting: Setting, _ settings: SignInSettings, last: String?
  ) async throws -> String? {
    let proposed = last ?? (setting == .redirectURI ? LoopbackRedirect.proposal : nil)
    var refused: [String] = []
    if setting == .issuer, let org = proposedOrg {
      proposedOrg = nil
      if try await dialog.confirm("Do you mean https://\(org)?"),
        let issuer = try await checked("https://\(org)")
      {
        return issuer
      }
    }
    let question: Sentence =
      switch setting {
      case .issuer: "Org or issuer, such as dev-1234.okta.com"
      case .clientID: "Client ID"
      default: "Redirect URI"
      }
    while true {
      let text = try await dialog.ask(
        "\(question)\(proposed.map { " [\($0)]" } ?? ""): ", recalling: refused)
      switch text {
      case "?": dialog.note(Self.explanation(of: setting))
      case "b": return nil
      case "":
        if let proposed { return proposed }
        dialog.problem("Type the value, or ? for an explanation.")
      default:
        guard setting == .issuer else { return text }
        if let issuer = try await checked(try await completed(text)) { return issuer }
        refused.append(text)
      }
    }
  }

  /// The issuer that a person typed; a word alone may be the name of an org of Okta.
  private func completed(_ text: String) async throws -> String {
    let issuer = IssuerText(typed: text).issuer
    guard issuer == text, let org = SignInTarget.org(named: text) else { return issuer }
    return try await dialog.confirm("Do you mean https://\(org)?", preset: true)
      ? "https://\(org)" : issuer
  }

  /// The setting that must be typed again; nil if the server would start a sign-in, or if that is not known
  /// yet.
  private mutating func wrongSetting(in settings: SignInSettings) async throws -> Setting? {
    guard settings[.issuer] != nil, settings[.clientID] != nil else { return nil }
    var complete = settings
    let lacksRedirectURI = flow.needsRedirectURI && settings[.redirectURI] == nil
    if lacksRedirectURI {
      // The server checks the client ID before it compares redirect URIs.
      complete.take(LoopbackRedirect.proposal, for: .redirectURI)
    }
    do {
      if !lacksRedirectURI, settings[.scopes] == nil, case .idx = flow {
        complete.take(StaySignedInQuestion.allScopes.joined(separator: " "), for: .scopes)
      }
      var configuration = try complete.configuration(needsRedirectURI: flow.needsRedirectURI)
      var found = try await problem(with: configuration, isComplete: !lacksRedirectURI)
      let isAboutScopes =
        found.map { [.unknownScope, .noMatchingPolicy].contains($0.kind) } ?? false
      if complete[.scopes] != settings[.scopes], isAboutScopes {
        question.isAllowed = false
        configuration = try settings.configuration(needsRedirectURI: flow.needsRedirectURI)
        found = try await problem(with: configuration, isComplete: !lacksRedirectURI)
      }
      guard let problem = found else { return nil }
      if lacksRedirectURI, problem.kind == .wrongRedirectURI { return nil }
      let failure = CommandFailure(problem)
      let wrong = problem.setting.flatMap { settings[$0]?.source == .person ? $0 : nil }
      // Otherwise the failure says it.
      let ways = failure.otherWays(insteadOf: flow)
      if !ways.isEmpty || wrong != nil { dialog.problem(problem.explanationSentence) }
      if !ways.isEmpty, let other = try await OtherWays.choose(among: ways, dialog) {
        flow = try ProtocolChoice(other)
        return nil
      }
      guard let wrong else { throw failure }
      dialog.note(problem.remedyWithOptions)
      return wrong
    } catch let error as FlowError where error.code == .invalidConfiguration {
      var others = settings
      others.forget(.redirectURI)
      // Only the redirect URI has a wrong form.
      guard let uri = settings[.redirectURI], uri.source == .person,
        (try? others.configuration(needsRedirectURI: false)) != nil
      else { throw error }
      dialog.problem("“\(uri.text)” is not a URI such as com.example.app:/callback.")
      return .redirectURI
    }
  }

  /// The mistake because of which the server would not start a sign-in; nil if it would, or if that cannot
  /// be asked for in the protocol.
  private mutating func problem(
    with configuration: FlowConfiguration, isComplete: Bool
  ) async throws -> SetupProblem? {
    guard [.idx, .hosted].contains(flow.signInProtocol) else { return nil }
    // A page needs the redirect URI that the app has.
    if flow.signInProtocol == .hosted, !isComplete { return nil }
    dialog.note("Checking the app…")
    do {
      let client = flow.client(over: transport, TokenClient(transport: transport))
      let state = try await client.start(configuration, StartOptions())
      if configuration.scopes == StaySignedInQuestion.allScopes {
        question.isAllowed = !state.isAtEnd
      }
      return SetupProblem(endOf: state)
    } catch let error as FlowError {
      let tokens = TokenClient(transport: transport)
      if let problem = await SetupProblem(
        startFailingWith: error, in: flow.signInProtocol, of: configuration, tokens)
      {
        return problem
      }
      if let problem = SetupProblem(error, of: configuration, grantType: flow.grantType) {
        return problem
      }
      // The answers are not lost because the network failed for a moment.
      dialog.problem(error.sentence(error.message))
      guard try await dialog.confirm("Try again?") else { throw error }
      return try await problem(with: configuration, isComplete: isComplete)
    }
  }

  /// Checks an issuer that nobody typed now: otherwise the answers would be for nothing.
  private mutating func check(given text: String) async throws {
    let issuer = IssuerText.addingScheme(to: text)
    let configuration = try FlowConfiguration(issuer: issuer, clientID: "-")
    do {
      let found = try await TokenClient(transport: transport).metadata(of: configuration.issuer)
      // As an address, a name with foreign letters is in its ASCII form.
      guard IssuerText.areSame(found.issuer, configuration.issuer.absoluteString) else {
        throw CommandFailure(
          .usage,
          "The server at \(issuer.sanitized) says that its issuer is \(found.issuer.sanitized), which is another one.",
          remedy: "If this is the right one, use --issuer \(found.issuer.shellWord.sanitized)")
      }
      question.metadata = found
    } catch let error as FlowError {
      throw CommandFailure(
        error, signingInTo: configuration, grantType: flow.grantType,
        networkRemedy: CommandFailure.networkRemedy)
    }
  }

  /// The issuer, after an authorization server has responded there; nil, after a message, if there is none.
  private mutating func checked(_ issuer: String) async throws -> String? {
    guard let configuration = try? FlowConfiguration(issuer: issuer, clientID: "-") else {
      dialog.problem(
        "“\(issuer)” cannot be an issuer. It is an address with https, such as https://dev-1234.okta.com."
      )
      return nil
    }
    dialog.note("Checking \(issuer)…")
    do {
      let found = try await TokenClient(transport: transport).metadata(of: configuration.issuer)
      if found.issuer == issuer {
        question.metadata = found
        dialog.success("\(issuer) is an authorization server.")
        return issuer
      }
      // As an address, so that a name with foreign letters is shown in its ASCII form.
      let other = try? FlowConfiguration(issuer: found.issuer, clientID: "-").issuer.absoluteString
      guard let other, other != issuer else {
        dialog.problem("The server at \(issuer) does not say which issuer it is.")
        return nil
      }
      dialog.problem("The server at \(issuer) says that its issuer is \(other).")
      return try await dialog.confirm("Use \(other)?") ? try await checked(other) : nil
    } catch let error as FlowError {
      if let problem = SetupProblem(error, of: configuration) {
        dialog.problem(problem.explanationSentence)
        dialog.note(problem.remedyWithOptions)
      } else {
        dialog.problem(error.sentence(error.message))
        if error.code == .network {
          dialog.note("Check the address and the network connection, and type it again.")
        }
      }
    }
    return nil
  }
}

extension SetupProblem {
  /// The setting that a person can type again.
  fileprivate var setting: Setting? {
    switch kind {
    case .wrongClientID, .clientSecret: .clientID
    case .wrongRedirectURI: .redirectURI
    default: nil
    }
  }
}
