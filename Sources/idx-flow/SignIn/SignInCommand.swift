import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXSimulatedOrg

/// `idx-flow signin`: puts the engine, a front-end, a transport and a store together.
struct SignInCommand: Command {
  static let name = "signin"
  static let aliases = ["login"]
  static let group = CommandGroup.signIn
  static let summary = "Sign in at a prompt or with a script; try it with --demo."
  static let purpose = """
    Sign in to an org and save the tokens. The prompts appear on the terminal itself. At any prompt,
    ? lists the other options and Ctrl-C cancels the sign-in.
    """
  static let usage = [
    "signin [--profile NAME]", "signin --demo [NAME]", "signin --demo list",
    "signin --issuer URL --client-id ID --redirect-uri URI [OPTION...]",
  ]
  static let examples = [
    Example("Try it with an org simulated in memory", "idx-flow signin --demo"),
    Example(
      "Sign in to an org, and get a refresh token",
      """
      idx-flow signin --issuer https://dev-1234.okta.com/oauth2/default --client-id 0oa... \\
        --redirect-uri http://127.0.0.1:8484/callback --scope "openid profile offline_access"
      """),
    Example("Reset a forgotten password", "idx-flow signin --recover"),
    Example("Answer from a file", "idx-flow signin --script answers.json --force"),
  ]
  static let details: String? = """
    If the org sends you to a web page, the page is opened in a browser, or its address is shown. With
    a redirect URI such as http://127.0.0.1:8484/callback, the browser returns by itself. With any
    other redirect URI, copy the last address from the browser and paste it at the prompt.

    With --flow browser, the sign-in page of the org asks everything, and with --flow device, you sign
    in with a browser on any device, which needs a code. What a terminal cannot do, such as a captcha,
    can be continued there.

    With --front-end json, another program asks the person: each screen is a line of JSON on standard
    output, and each reply a line on standard input. The end of the input cancels the sign-in.

    The org and the app can also come from the environment, a profile or a file; options override the
    environment, the environment a profile, and a profile the file. The variables are OKTA_IDX_ISSUER,
    OKTA_IDX_CLIENTID, OKTA_IDX_REDIRECTURI and OKTA_IDX_SCOPES. The file is a property list or JSON
    with the keys issuer, clientId, redirectUri and scopes.

    At a terminal, the command asks for settings that are missing, and remembers them as a profile
    after the first sign-in. --profile or the variable IDX_FLOW_PROFILE selects a profile by its name.
    Otherwise the profile “default” is used, if no file and no other org or app is named.

    The tokens are saved in the Keychain or the Secret Service (keyring). If this computer has neither,
    they are saved in files in clear text, after a warning. A keyring that fails is an error. --store
    or the variable IDX_FLOW_STORE selects a store. You can save credentials of several orgs, apps and
    users; the last sign-in becomes the current one.
    """

  static let options =
    demoOptions + goalOptions + settingOptions + StartChoices.options + dialogOptions + [
      ProgramLines.option, StoreChoice.option, RequestTrace.option, LanguageChoice.option,
      OptionSpec("--json", "print the result as JSON"),
    ]

  /// The options that matter only in a sign-in, without those of a demo.
  static let signInOptions = goalOptions + StartChoices.options + dialogOptions

  private static let demoOptions = [
    OptionSpec(
      "--demo", value: "NAME", isValueOptional: true, of: .demo,
      "an org simulated in memory; “list” lists the names of the demos")
  ]

  private static let goalOptions = [
    OptionSpec("--recover", "reset a forgotten password"),
    OptionSpec("--unlock", "unlock a locked account"),
    OptionSpec("--register", "sign up for a new account"),
    OptionSpec(
      "--session-token",
      "with --flow classic: print a one-time session token instead of tokens"),
  ]

  /// The options for how the person is asked, and what is kept.
  private static let dialogOptions = [
    OptionSpec(
      "--script", value: "FILE", of: .file,
      "read the answers from a JSON file, or - for standard input"),
    OptionSpec("--no-input", "never ask; stop at the first step that needs input"),
    OptionSpec("--no-qr", "show the key of an authenticator app without a QR code"),
    OptionSpec("--force", "sign in without asking, even if you are already signed in"),
    OptionSpec("--no-store", "print JSON with the tokens and save nothing"),
    SignInRecorder.option,
  ]

  /// The options for the org, the app and the connection.
  static let settingOptions =
    SignInFlow.options + [
      OptionSpec("--issuer", value: "URL", "the authorization server"),
      OptionSpec("--client-id", value: "ID", "the client ID of the app"),
      OptionSpec("--redirect-uri", value: "URI", "a redirect URI that is registered for the app"),
      OptionSpec(
        "--scope", value: "SCOPES", "scopes separated by spaces (default: openid profile)"),
      OptionSpec(
        "--dpop", value: "WHEN", of: .oneOf(DPoPPolicy.options),
        "bind the tokens to a key: when-required (default), always or never"),
      OptionSpec(
        "--fast-pass", value: "WHEN", of: .oneOf(DevicePermission.options),
        "use Okta Verify on this computer: ask (default), always or never"),
      OptionSpec(
        "--remember-me", value: "WHEN", of: .oneOf(DevicePermission.options),
        "let the org remember this computer: ask, always or never (default)"),
      OptionSpec(
        "--profile", value: "NAME", of: .profile, "saved settings, or where signin saves them"),
      OptionSpec(
        "--config", value: "FILE", of: .file,
        "a property list such as Okta.plist, or JSON with the same keys"),
      NetworkOptions.caFile,
    ]

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let isForProgram = call.streams.program != nil
    if isForProgram, let other = optionsWithoutPerson(call).first {
      throw CommandFailure(
        .usage, "\(ProgramLines.option.name) and \(other) cannot be used together.")
    }
    if call.options.values["--demo"] == "list" {
      let flow = try SignInFlow(call.options)
      if call.asJSON {
        try call.streams.result(Demo.json(for: flow))
      } else {
        try call.streams.page(Demo.list(for: flow))
      }
      return .done
    }
    let report = SignInReport(
      streams: call.streams, asJSON: call.asJSON || isForProgram || call.has("--no-store"),
      isDemo: call.options.values["--demo"] != nil)
    let asks = !isForProgram && optionsWithoutPerson(call).isEmpty
    let terminal = asks ? try? InteractiveTerminal(environment: call.environment) : nil
    // Before any other work, so that nothing is shown that is typed for the first question.
    do {
      return try await TerminalTask.run(at: terminal) { [call] in
        await run(call, report, at: terminal)
      }
    } catch { return report.write(CommandFailure(error), at: nil) }
  }

  /// Signs in, writes how that ended, and saves what was recorded.
  private static func run(
    _ original: CommandCall, _ report: SignInReport, at terminal: InteractiveTerminal?
  ) async -> ExitCode {
    var call = original
    call.streams.terminal = terminal
    let history = Locked(SignInHistory())
    do {
      let recorder = try SignInRecorder(call, at: terminal, goal: try goal(call)?.name)
      do {
        let status = try await signIn(call, report, history, at: terminal, recorder)
        await recorder.save()
        if ![.done, .cancelled].contains(status) { await recorder.offerReport(after: nil) }
        return status
      } catch {
        let failure = CommandFailure(error)
        await recorder.save(after: failure)
        let status = report.write(failure, at: history.withLock { $0.last })
        // What failed after the sign-in is not in a recording of it.
        if history.withLock({ $0.last?.isSignedIn }) != true {
          await recorder.offerReport(after: failure)
        }
        return status
      }
    } catch { return report.write(CommandFailure(error), at: history.withLock { $0.last }) }
  }

  /// The options of a command line with which nobody is asked.
  private static func optionsWithoutPerson(_ call: CommandCall) -> [String] {
    let isList = call.options.values["--demo"] == "list"
    return (call.options.values["--script"] == nil ? [] : ["--script"])
      + (call.has("--no-input") ? ["--no-input"] : []) + (isList ? ["--demo list"] : [])
  }

  /// Signs in, and keeps what the server says for the report of a failure.
  private static func signIn(
    _ call: CommandCall, _ report: SignInReport, _ history: Locked<SignInHistory>,
    at terminal: InteractiveTerminal?, _ recorder: SignInRecorder
  ) async throws -> ExitCode {
    let (options, environment) = (call.options, call.environment)
    let streams = call.streams
    let known = try SignInSettings(options, environment)
    var flow = try SignInFlow(options, profile: known[.flow]?.text)
    let chosenOptions = try StartChoices.startOptions(options)
    let goal = try goal(call)
    let demo = try options.values["--demo"].map {
      try Demo(
        named: $0, goal: goal?.name, flow: flow, settings: known, environment: environment,
        streams: streams)
    }
    var settings = known
    if let note = settings.noteOnVariables { streams.note("idx-flow: \(note)") }
    if demo == nil {
      let support = try await complete(&settings, &flow, call, at: terminal)
      try await askToStaySignedIn(&settings, flow, support, call, at: terminal)
    }
    let configuration =
      try demo?.configuration ?? settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    let issuerSource = settings.issuerSource
    let offer = BrowserOffer(
      insteadOf: flow, of: configuration, at: terminal, in: streams.words,
      opensBrowser: demo != nil
        || RemoteSession(environment) == nil
          && SystemBrowser(environment: environment).isAvailable
    )
    let frontEnd = try await SignInFrontEnd(
      call, environment, demo, at: terminal, redirectURI: configuration.redirectURI,
      fastPass: settings.permission(for: .fastPass, usually: .asks),
      rememberDevice: settings.permission(for: .rememberMe, usually: .never))
    var loop = SignInRun(
      on: frontEnd.shown, username: settings[.username]?.text,
      demo: demo.map { ($0, streams.program != nil) }, offer: offer)
    var newProfile =
      demo == nil ? settings.newProfile(hasPerson: terminal != nil) : nil
    let own: any Transport =
      if let demo {
        RequestTrace.ifAsked(call, recorder.recording(demo.org, of: flow))
      } else {
        try call.retrying(
          recorder.recording(try call.transport(), of: flow), onRetry: frontEnd.report)
      }
    let transport = frontEnd.announcing(frontEnd.asking(own, in: streams.chosenWords))
    let tokens = TokenClient(transport: transport)
    let savesNothing = call.has("--no-store") || flow.returnsSessionToken
    // A demo with a name is always played.
    let asksFirst =
      goal == nil && !call.has("--force") && options.values["--demo"].map(\.isEmpty) ?? true
    let saver =
      savesNothing
      ? nil
      : CredentialSaver(
        store: try await StoreChoice.store(call, isDemo: demo != nil, warns: true),
        client: tokens, label: demo == nil ? settings.credentialLabel : nil)
    for problem in try await saver?.check(configuration) ?? [] {
      streams.note("idx-flow: \(problem) Until then, tokens of its user cannot be saved.")
    }
    if asksFirst, let credential = try await saver?.signedIn(to: configuration),
      try await !frontEnd.confirmsSignIn(despite: credential)
    {
      try report.write(stillSignedIn: credential)
      return .done
    }
    if saver != nil { try await demo?.restore() }
    demo?.greet()
    // The server chooses the name of the app that it shows, so the host is named in our own words.
    frontEnd.greet(
      to: demo == nil ? configuration.issuer : nil, configuredIn: issuerSource)
    let devices = demo == nil ? try? DeviceFile(environment) : nil
    let profile = settings.profileName
    var startOptions = chosenOptions
    startOptions.cookies = devices?.cookies(of: configuration.issuer, profile: profile)
    func run(_ flow: SignInFlow) async throws -> Outcome {
      let coordinator = FlowCoordinator(
        client: flow.client(over: transport, tokens), handlers: frontEnd.handlers,
        limits: flow.limits,
        observe: { event in
          if case .received(let state) = event {
            history.withLock { $0.add(state) }
            demo?.enterUserCode(of: state)
          }
          frontEnd.report(event)
        })
      do {
        let outcome = try await loop.run(
          coordinator, configuration, startOptions, goal: flow.isOnPage ? nil : goal?.goal)
        if case .ended(let state) = outcome,
          let setup = SetupProblem(endOf: state)
        {
          throw CommandFailure(setup)
        }
        return outcome
      } catch {
        let failure = CommandFailure(
          error, signingInTo: configuration, grantType: flow.grantType,
          networkRemedy: CommandFailure.networkRemedy)
        throw history.withLock { $0.explaining(failure) }
      }
    }
    await demo?.shortenWaits()
    var outcome: Outcome
    do { outcome = try await run(flow) } catch {
      let failure = CommandFailure(error)
      guard let other = try await offer?.flow(after: failure, tokens) else {
        let mayContinue = failure.mayWorkInBrowser && !flow.isOnPage
        throw mayContinue ? failure.adding(remedy: BrowserOffer.remedy) : failure
      }
      flow = other
      if failure.setup != nil { newProfile?.values[.flow] = flow.name }
      outcome = try await run(flow)
    }
    if case .cancelled = outcome, loop.isBrowserChosen, let other = await offer?.flow(tokens) {
      flow = other
      outcome = try await run(flow)
    }
    await frontEnd.reportUnusedEntries()
    if case .cancelled = outcome {
      await recorder.offerReportAfterCancel(unsupported: loop.unsupported)
    }
    var replaced: Credential?
    if case .signedIn(let signIn) = outcome, let saver {
      replaced = try await saver.save(signIn.credential)
      do {
        try await devices?.save(
          signIn.state.cookies, of: configuration.issuer, profile: profile)
      } catch {
        // The tokens are saved, and the next sign-in is one from a new device.
        let reason = "\(error)".sanitized
        streams.note("idx-flow: The org will not know this computer again. \(reason)")
      }
      try await demo?.save()
    }
    if case .ended(let state) = outcome, let token = state.sessionToken {
      try report.write(sessionToken: token)
      return .done
    }
    do {
      let status = try report.write(
        outcome, hadGoal: goal != nil, savedIn: saver?.store, history.withLock { $0 })
      if let replaced {
        let text = CredentialText(replaced, isDemo: demo != nil, environment)
        let saved = (try? await saver?.store.entries())?.compactMap(\.credential) ?? []
        streams.note(
          "It is the current credential now, in place of \(text.userAndHost). To change back, run "
            + "\(text.useCommand(among: saved))")
      }
      if case .signedIn(let signIn) = outcome, demo == nil {
        let agreed = loop.hasAgreedToFastPass
        let username = terminal == nil ? nil : signIn.credential.username
        if var newProfile {
          let isNew = agreed && newProfile[.fastPass] == nil
          if isNew { newProfile.values[.fastPass] = DevicePermission.always.rawValue }
          newProfile.values[.username] = username ?? newProfile[.username]
          await remember(newProfile, call)
          if isNew { streams.note(fastPassNote(newProfile.name)) }
        } else if settings.usesProfile {
          if terminal != nil, let note = settings.noteOnOptions { streams.note(note) }
          for (setting, text) in settings.additions
          where await remember(setting, text, in: settings.profileName, of: configuration, call) {
            streams.note("Remembered in the profile “\(settings.profileName)”: \(setting.key)")
          }
          if let username, username != settings[.username]?.text {
            _ = await remember(.username, username, in: profile, of: configuration, call)
          }
          if agreed, let name = settings.profileForFastPass,
            await remember(
              .fastPass, DevicePermission.always.rawValue, in: name, of: configuration, call)
          {
            streams.note(fastPassNote(name))
          }
        }
      }
      return status
    } catch {
      guard case .signedIn(let signIn) = outcome else { throw error }
      let consequence: Sentence =
        saver != nil
        ? "You are signed in, and the tokens are saved."
        : Sentence(
          text: await tokens.revokeAll(signIn.credential.tokens, of: configuration.app))
      throw CommandFailure(.unexpected, "\(CommandFailure(error).sentence) \(consequence)")
    }
  }

  /// Asks a person for the settings that are missing, and for another protocol if the app does not allow this one.
  ///
  /// Without a person, they stay as they are. Returns what the server has said about refresh tokens.
  private static func complete(
    _ settings: inout SignInSettings, _ flow: inout SignInFlow, _ call: CommandCall,
    at terminal: InteractiveTerminal?
  ) async throws -> RefreshTokenSupport {
    guard let terminal, !settings.missing(needsRedirectURI: flow.needsRedirectURI).isEmpty else {
      return RefreshTokenSupport()
    }
    let dialog = TerminalDialog(terminal: terminal, words: call.streams.words)
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
    _ call: CommandCall, at terminal: InteractiveTerminal?
  ) async throws {
    guard let terminal, settings.newProfile(hasPerson: true) != nil, settings[.scopes] == nil,
      !call.has("--no-store"), !flow.returnsSessionToken
    else { return }
    let question = StaySignedInQuestion(
      dialog: TerminalDialog(terminal: terminal, words: call.streams.words),
      transport: try call.transport(), flow: flow, known: known)
    if let scopes = try await question.scopes(for: settings) {
      settings.take(scopes.joined(separator: " "), for: .scopes)
    }
  }

  /// Saves the settings of a successful sign-in; a failure is no failure of the sign-in.
  private static func remember(_ profile: Profile, _ call: CommandCall) async {
    do {
      let file = try ProfileFile(call.environment)
      guard try await file.add(profile) else { return }
      call.streams.note(
        "Remembered as the profile “\(profile.name)” in \(file.path.sanitized). See: idx-flow profile"
      )
    } catch {
      let reason = CommandFailure(error).sentence.sanitized
      call.streams.note("idx-flow: The settings are not remembered. \(reason)")
    }
  }

  /// Saves one setting in a profile; returns whether it is saved.
  private static func remember(
    _ setting: Setting, _ text: String, in name: String, of configuration: FlowConfiguration,
    _ call: CommandCall
  ) async -> Bool {
    do {
      return try await ProfileFile(call.environment).set(
        setting, to: text, inProfileNamed: name, of: configuration.issuer.absoluteString)
    } catch {
      let reason = CommandFailure(error).sentence.sanitized
      call.streams.note("idx-flow: \(setting.key) is not remembered. \(reason)")
      return false
    }
  }

  private static func fastPassNote(_ profile: String) -> Sentence {
    "From now on, the profile “\(profile.sanitized)” uses Okta FastPass without asking. To change that, run "
      + "idx-flow profile set \(profile.shellWord) --fast-pass ask"
  }

  private static let goals: [(goal: Goal, name: String)] = [
    (.recover, "recover"), (.unlock, "unlock"), (.register, "register"),
  ]

  /// The goal with the name of an option; nil if there is none.
  static func goal(named name: String?) -> Goal? { goals.first { $0.name == name }?.goal }

  /// The goal other than to sign in, and the name of its option.
  private static func goal(_ call: CommandCall) throws -> (goal: Goal, name: String)? {
    let selected = goals.filter { call.has("--\($0.name)") }
    guard selected.count <= 1 else {
      throw CommandFailure(
        .usage, "--\(selected[0].name) and --\(selected[1].name) cannot be used together.")
    }
    return selected.first
  }
}
