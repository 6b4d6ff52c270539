import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt

/// What a sign-in needs, from its options: the settings, the protocol, who answers, the way to the server and the store.
///
/// A person may have been asked for settings that were missing.
struct SignInPlan {
  let options: SignInOptions
  let call: CommandCall
  /// Where a person answers; nil if nobody is asked there.
  let terminal: InteractiveTerminal?
  /// The org, if it is simulated; nil for a real one.
  let demo: Demo?
  let settings: SignInSettings
  let flow: SignInFlow
  let configuration: FlowConfiguration
  let frontEnd: SignInFrontEnd
  /// Offers a browser for what cannot be done here; nil if that would not help.
  let offer: BrowserOffer?
  let transport: any Transport
  let tokens: TokenClient
  /// Saves the tokens; nil to print them.
  let saver: CredentialSaver?
  /// The cookies by which orgs recognize this computer; nil if they cannot be kept.
  let devices: DeviceFile?
  let start: StartOptions

  /// Plans a sign-in; `recorder` gets what is sent.
  init(
    _ options: SignInOptions, _ call: CommandCall, at terminal: InteractiveTerminal?,
    _ recorder: inout SignInRecorder
  ) async throws {
    (self.options, self.call, self.terminal) = (options, call, terminal)
    let (environment, streams) = (call.environment, call.streams)
    var settings = try SignInSettings(call.options, environment)
    var flow = try SignInFlow(call.options, profile: settings[.flow]?.text)
    demo = try options.demo.map {
      try Demo(
        named: $0, options, flow: flow, dpop: settings.dpop(), environment: environment,
        streams: streams)
    }
    if let note = settings.noteOnVariables { streams.note("idx-flow: \(note)") }
    if demo == nil, let terminal {
      let dialog = TerminalDialog(terminal: terminal, words: streams.words)
      let support = try await Self.complete(&settings, &flow, call, dialog)
      try await Self.askToStaySignedIn(&settings, flow, support, options, call, dialog)
    }
    (self.settings, self.flow) = (settings, flow)
    configuration =
      try demo?.configuration ?? settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    let opensBrowser =
      demo != nil
      || RemoteSession(environment) == nil && SystemBrowser(environment: environment).isAvailable
    offer = BrowserOffer(
      insteadOf: flow, of: configuration, at: terminal, in: streams.words,
      opensBrowser: opensBrowser)
    frontEnd = try await SignInFrontEnd(
      call, demo, at: terminal, redirectURI: configuration.redirectURI,
      fastPass: settings.permission(for: .fastPass, usually: .asks),
      rememberDevice: settings.permission(for: .rememberMe, usually: .never))
    let server: any Transport =
      if let demo {
        RequestTrace.ifAsked(call, recorder.recording(demo.org, of: flow))
      } else {
        try call.retrying(
          recorder.recording(try call.transport(), of: flow), onRetry: frontEnd.report)
      }
    transport = frontEnd.announcing(frontEnd.asking(server, in: streams.chosenWords))
    tokens = TokenClient(transport: transport)
    devices = demo == nil ? try? DeviceFile(environment) : nil
    var start = options.start
    start.cookies = devices?.cookies(of: configuration.issuer, profile: settings.profileName)
    self.start = start
    guard !options.savesNothing, !flow.returnsSessionToken else {
      saver = nil
      return
    }
    saver = CredentialSaver(
      store: try await StoreChoice.store(call, isDemo: demo != nil, warns: true), client: tokens,
      label: demo == nil ? settings.credentialLabel : nil)
  }

  /// Asks a person for the settings that are missing, and for another protocol if the app does not allow this one.
  ///
  /// Returns what the server has said about refresh tokens.
  private static func complete(
    _ settings: inout SignInSettings, _ flow: inout SignInFlow, _ call: CommandCall,
    _ dialog: TerminalDialog
  ) async throws -> RefreshTokenSupport {
    guard !settings.missing(needsRedirectURI: flow.needsRedirectURI).isEmpty else {
      return RefreshTokenSupport()
    }
    let transport = try call.retrying(try call.transport()) { dialog.note($0) }
    if settings.mayBeMistyped {
      let name = settings.profileName
      dialog.text(call.text("There is no profile “\(name)”.\(settings.similarProfiles)"))
      guard
        try await dialog.confirm(
          "Set up a new profile “\(name)”?",
          help: "A profile is the org and the app under a name. idx-flow profile lists yours.")
      else {
        throw CommandFailure(
          .cancelled, "Nothing was changed. To list profiles, run idx-flow profile")
      }
    }
    var prompt = SettingsPrompt(dialog: dialog, transport: transport, flow: flow)
    settings = try await prompt.complete(settings)
    flow = prompt.flow
    return prompt.refreshTokens
  }

  /// Asks the person of a new profile whether they stay signed in.
  private static func askToStaySignedIn(
    _ settings: inout SignInSettings, _ flow: SignInFlow, _ known: RefreshTokenSupport,
    _ options: SignInOptions, _ call: CommandCall, _ dialog: TerminalDialog
  ) async throws {
    guard settings.newProfile(hasPerson: true) != nil, settings[.scopes] == nil,
      !options.savesNothing, !flow.returnsSessionToken
    else { return }
    let question = StaySignedInQuestion(
      dialog: dialog, transport: try call.transport(), flow: flow, known: known)
    if let scopes = try await question.scopes(for: settings) {
      settings.take(scopes.joined(separator: " "), for: .scopes)
    }
  }

  /// Checks the store, and shows what a person sees before the first question.
  ///
  /// Returns the credential of a person who is signed in and does not want to sign in again.
  func begin() async throws -> Credential? {
    for problem in try await saver?.check(configuration) ?? [] {
      call.streams.note("idx-flow: \(problem) Until then, tokens of its user cannot be saved.")
    }
    // A demo with a name is always played.
    let asksFirst =
      options.goal == nil && !options.isForced && options.demo.map(\.isEmpty) ?? true
    if asksFirst, let credential = try await saver?.signedIn(to: configuration),
      try await !frontEnd.confirmsSignIn(despite: credential)
    {
      return credential
    }
    if saver != nil { try await demo?.restore() }
    demo?.greet()
    // The server chooses the name of the app that it shows, so the host is named in our own words.
    frontEnd.greet(
      to: demo == nil ? configuration.issuer : nil, configuredIn: settings.issuerSource)
    return nil
  }
}
