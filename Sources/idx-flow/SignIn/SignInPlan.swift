import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXStorage

/// What a sign-in needs, from its options: the settings, the protocol, who answers, the way to the server and the store.
///
/// A person may have been asked for settings that were missing.
struct SignInPlan {
  let options: SignInOptions
  let call: CommandCall
  /// The org, if it is simulated; nil for a real one.
  let demo: Demo?
  let settings: SignInSettings
  let flow: ProtocolChoice
  let configuration: FlowConfiguration
  let answerSource: AnswerSource
  /// Offers other protocols for what cannot be done here; nil if that would not help.
  let fallback: OtherWays?
  let transport: any Transport
  let tokens: TokenClient
  /// Whether the person asked for the sign-in, and not for something else that needs it.
  let isChosen: Bool
  /// Saves the tokens; nil to print them.
  let saver: CredentialSaver?
  /// The cookies by which orgs recognize this computer; nil if they cannot be kept.
  let devices: DeviceFile?
  /// The session that a hosted sign-in begins with or leaves, if it is kept; nil if nothing is saved.
  let session: KeptSession?

  /// Plans a sign-in; `recorder` gets what is sent.
  init(
    _ options: SignInOptions, _ call: CommandCall, isChosen: Bool,
    _ recorder: inout SignInRecorder
  ) async throws {
    var call = call
    let (environment, streams) = (call.environment, call.streams)
    if let dialog = streams.dialog,
      let name = try await SignInTarget.chosenProfile(call, dialog)
    {
      call.options.set(Profile.option, to: name)
    }
    (self.options, self.call, self.isChosen) = (options, call, isChosen)
    var settings = try SignInSettings(call.options, environment)
    var flow = try ProtocolChoice(call.options, profile: settings[.flow]?.text)
    demo = try options.demo.map {
      try Demo(named: $0, options, flow: flow, dpop: settings.dpop(), call)
    }
    if let note = settings.noteOnVariables { streams.note("idx-flow: \(note)") }
    if demo == nil, let dialog = streams.dialog {
      try await SettingsPrompt.complete(
        &settings, &flow, savesNothing: options.savesNothing, call, dialog)
    }
    (self.settings, self.flow) = (settings, flow)
    configuration =
      try demo?.configuration ?? settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    let opensBrowser =
      demo != nil
      || RemoteSession(environment) == nil && SystemBrowser(environment: environment).isAvailable
    fallback = OtherWays(
      insteadOf: flow, of: configuration, streams.dialog, opensBrowser: opensBrowser)
    answerSource = try AnswerSource(
      call, options.dialog, isDemo: demo != nil,
      using: try ComputerAccess(call, demo, redirectURI: configuration.redirectURI),
      fastPass: settings.permission(for: .fastPass, usually: .asks),
      rememberDevice: settings.permission(for: .rememberMe, usually: .never))
    let server: any Transport =
      if let demo {
        RequestTrace.ifAsked(call, recorder.recording(demo.org, of: flow))
      } else {
        try call.retrying(
          recorder.recording(settings.transport(over: try call.transport()), of: flow),
          onRetry: answerSource.report)
      }
    transport = answerSource.transport(over: server)
    tokens = TokenClient(transport: transport)
    devices = demo == nil ? try? DeviceFile(environment) : nil
    guard !options.savesNothing, !flow.returnsSessionToken else {
      (saver, session) = (nil, nil)
      return
    }
    let label = demo == nil ? settings.credentialLabel : nil
    let store = try await StoreChoice.store(call, isDemo: demo != nil, warns: true)
    saver = CredentialSaver(store: store, client: tokens, label: label)
    session = KeptSession(
      credentials: OrgCredentials(org: configuration.issuer, label: label, store: store),
      permission: try settings.permission(for: .keepSession))
  }

  /// The factors that a person at the terminal is offered first; nil without a person.
  var factors: UsualFactors? {
    UsualFactors(settings, at: call.streams.terminal)
  }

  /// What to ask of the server in a protocol, with the session that is kept, or else what the org knows this computer by.
  ///
  /// The second value says whether a session was kept.
  func start(of flow: ProtocolChoice) async -> (options: StartOptions, hasSession: Bool) {
    var start = options.start
    start.cookies = devices?.cookies(of: configuration.issuer, profile: settings.profileName)
    // A script names its own person, and with a session there would be nothing to reset or to register.
    let isPossible =
      flow.signInProtocol == .hosted && options.goal == nil && options.dialog.script == nil
    guard isPossible,
      let kept = await session?.cookies(of: start.loginHint ?? settings[.username]?.text)
    else { return (start, false) }
    start.cookies = kept.cookies
    return (start, true)
  }

  /// Keeps the session that a hosted sign-in leaves at the org, or ends it.
  ///
  /// `hadSession` says whether the sign-in began with the one that is kept.
  func finishSession(
    _ state: FlowState, of username: String?, hadSession: Bool
  ) async throws {
    guard state.signInProtocol == .hosted, let session else { return await endSession(state) }
    try await session.finish(
      state, of: username, hadSession: hadSession, at: transport, call.streams)
  }

  /// Ends the session that a hosted sign-in leaves at the org.
  func endSession(_ state: FlowState) async {
    guard state.signInProtocol == .hosted else { return }
    await HostedClient(transport: transport).endSession(of: state)
  }

  /// Asks whether damaged credentials are set aside: otherwise a sign-in of the same person would be for nothing.
  ///
  /// Returns false if nobody is asked.
  private func isAsked(about problems: [CredentialStoreError]) async throws -> Bool {
    guard !problems.isEmpty, problems.allSatisfy({ $0.code == .damaged }),
      let files = saver?.store as? FileCredentialStore, let dialog = call.streams.dialog
    else { return false }
    for problem in problems { dialog.problem(Sentence(text: problem.message.sanitized)) }
    let isYes = try await dialog.confirm(
      problems.count == 1 ? "Rename the damaged file?" : "Rename the damaged files?", preset: true,
      help: """
        A file keeps its content. Then you sign in as if it was not there. With no, tokens of its user cannot be saved.
        """)
    for path in isYes ? try await files.setDamagedAside() : [] {
      dialog.note("It is now \(path.sanitized)")
    }
    return true
  }

  /// The credential with tokens that are valid now; nil if the server does not accept it any more.
  ///
  /// Otherwise a person whose session is over would hear that they are signed in.
  private func stillSignedIn(_ credential: Credential) async throws -> Credential? {
    let access = try await CredentialAccess(call, notesUnreadable: false)
    do {
      return try await access.use(credential, isWatched: false) { try await $0.valid() }
    } catch let failure as CommandFailure {
      switch failure.exitCode {
      // Nobody knows whether the session is over.
      case .network, .rateLimited: return credential
      case .storeFailed: throw failure
      default: return nil
      }
    }
  }

  /// Checks the store, and shows what a person sees before the first question.
  ///
  /// Returns the credential of a person who is signed in and does not want to sign in again.
  func begin() async throws -> Credential? {
    let current = try await saver?.checkCurrent()
    let problems = try await saver?.check(configuration) ?? []
    let isAsked = try await isAsked(about: ([current] + problems).compactMap(\.self))
    // With no, and without a person, a sign-in would be for nothing.
    if let current, try await saver?.checkCurrent() != nil { throw current }
    if !isAsked {
      for problem in problems {
        call.streams.note(
          "idx-flow: \(problem.message) Until then, tokens of its user cannot be saved.")
      }
    }
    // A demo with a name is always played.
    let asksFirst =
      options.goal == nil && !options.isForced && options.demo.map(\.isEmpty) ?? true
    if asksFirst, let saved = try await saver?.signedIn(to: configuration),
      let credential = try await stillSignedIn(saved),
      try await !answerSource.confirmsSignIn(despite: credential)
    {
      return credential
    }
    if saver != nil { try await demo?.restore() }
    demo?.greet()
    // The server chooses the name of the app that it shows, so the host is named in our own words.
    answerSource.greet(
      to: demo == nil ? configuration.issuer : nil, configuredIn: settings.issuerSource)
    return nil
  }
}
