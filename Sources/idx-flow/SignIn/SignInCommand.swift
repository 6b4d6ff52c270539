import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXTesting

/// `idx-flow signin`: puts the engine, a front-end, a transport and a store together.
struct SignInCommand: Command {
  static let name = "signin"
  static let summary = "Sign in at a prompt or with a script; try it with --demo."
  static let purpose = """
    Sign in to an org and save the tokens. The prompts appear on the terminal itself. At any prompt,
    ? lists the other options and Ctrl-C cancels the sign-in.
    """
  static let usage = [
    "signin --demo [NAME]", "signin --demo list",
    "signin --issuer URL --client-id ID --redirect-uri URI [OPTION...]",
  ]
  static let notes: String? = """
    If the org sends you to a web page, the page is opened in a browser, or its address is shown. With
    a redirect URI such as http://127.0.0.1:8484/callback, the browser returns by itself. With any
    other redirect URI, copy the last address from the browser and paste it at the prompt.

    The org and the app can also come from the environment or a file. Options override the
    environment; the environment overrides the file. The variables are OKTA_IDX_ISSUER,
    OKTA_IDX_CLIENTID, OKTA_IDX_REDIRECTURI and OKTA_IDX_SCOPES. The file is a property list with the
    keys issuer, clientId, redirectUri and scopes.

    The tokens are saved in the Keychain or the Secret Service (keyring). If this computer has neither,
    they are saved in files in clear text, after a warning. A keyring that fails is an error. --store
    or the variable IDX_FLOW_STORE selects a store. You can save credentials of several orgs, apps and
    users; the last sign-in becomes the current one.
    """

  static let options = [
    OptionSpec(
      "--demo", value: "NAME", isValueOptional: true,
      "an org simulated in memory; “list” lists the names of the demos"),
    OptionSpec("--recover", "reset a forgotten password"),
    OptionSpec("--unlock", "unlock a locked account"),
    OptionSpec("--register", "sign up for a new account"),
    OptionSpec(
      "--flow", value: "PROTOCOL",
      "idx (default), direct (DirectAuth) or classic (Authentication API)"),
    OptionSpec(
      "--first-factor", value: "LIST",
      "with --flow direct: password, otp, push, sms, voice, email, webauthn"),
    OptionSpec(
      "--session-token",
      "with --flow classic: print a one-time session token instead of tokens"),
    OptionSpec("--issuer", value: "URL", "the authorization server"),
    OptionSpec("--client-id", value: "ID", "the client ID of the app"),
    OptionSpec("--redirect-uri", value: "URI", "a redirect URI that is registered for the app"),
    OptionSpec(
      "--scope", value: "SCOPES", "scopes separated by spaces (default: openid profile)"),
    OptionSpec("--config", value: "FILE", "a property list such as Okta.plist"),
    OptionSpec("--script", value: "FILE", "read the answers from a JSON file instead of a prompt"),
    OptionSpec("--no-input", "never ask; stop at the first step that needs input"),
    OptionSpec("--no-qr", "show the key of an authenticator app without a QR code"),
    OptionSpec("--force", "sign in without asking, even if you are already signed in"),
    OptionSpec("--no-store", "print JSON with the tokens and save nothing"),
    OptionSpec(
      "--store", value: "KIND", "where to save the tokens: \(StoreChoice.kinds)"),
    OptionSpec("--json", "print the result as JSON"),
  ]

  static func run(_ call: CommandCall) async throws -> ExitCode {
    if call.options.values["--demo"] == "list" {
      try call.streams.result(Demo.list(for: try SignInFlow(call.options)))
      return .done
    }
    let report = SignInReport(
      streams: call.streams, asJSON: call.asJSON || call.has("--no-store"),
      isDemo: call.options.values["--demo"] != nil)
    let last = Locked<FlowState?>(nil)
    do { return try await signIn(call, report, last) } catch {
      return report.write(CommandFailure(error), at: last.withLock { $0 })
    }
  }

  /// Signs in, and keeps the last state for the report of a failure.
  private static func signIn(
    _ call: CommandCall, _ report: SignInReport, _ last: Locked<FlowState?>
  ) async throws -> ExitCode {
    let (options, streams, environment) = (call.options, call.streams, call.environment)
    let settings = SignInSettings(options, environment)
    let flow = try SignInFlow(options)
    let goal = try goal(call)
    let demo = try options.values["--demo"].map {
      try Demo(
        named: $0, goal: goal?.name, flow: flow, settings: settings, environment: environment,
        streams: streams)
    }
    let configuration =
      try demo?.configuration ?? settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    let frontEnd = try SignInFrontEnd(call, environment, demo)
    let transport: any Transport =
      demo?.org ?? RetryingTransport(URLSessionTransport(), onRetry: frontEnd.report)
    let tokens = TokenClient(transport: transport)
    let savesNothing = call.has("--no-store") || flow.returnsSessionToken
    let saver =
      savesNothing
      ? nil
      : CredentialSaver(
        store: try await StoreChoice.store(call, isDemo: demo != nil, warns: true), client: tokens)
    let coordinator = FlowCoordinator(
      client: flow.client(over: transport, tokens), handlers: frontEnd.handlers,
      observe: { event in
        if case .received(let state) = event { last.withLock { $0 = state } }
        frontEnd.report(event)
      })
    // A demo with a name is always played.
    let asksFirst =
      goal == nil && !call.has("--force") && options.values["--demo"].map(\.isEmpty) ?? true
    let task = Task { () async throws -> ExitCode in
      for problem in try await saver?.check(configuration) ?? [] {
        streams.note("idx-flow: \(problem) Until then, tokens of its user cannot be saved.")
      }
      if asksFirst, let known = try await saver?.signedIn(to: configuration),
        try await !frontEnd.confirmsSignIn(despite: known)
      {
        try report.write(stillSignedIn: known)
        return .done
      }
      if saver != nil { try await demo?.restore() }
      demo?.greet()
      // The server chooses the name of the app that it shows, so the host is named in our own words.
      frontEnd.greet(
        to: demo == nil ? configuration.issuer : nil, configuredIn: settings.issuerSource)
      let outcome = try await coordinator.run(configuration, goal: goal?.goal)
      await frontEnd.reportUnusedEntries()
      if case .signedIn(let signIn) = outcome, let saver {
        try await saver.save(signIn.credential)
        try await demo?.save()
      }
      if case .ended(let state) = outcome, let token = state.sessionToken {
        try report.write(sessionToken: token)
        return .done
      }
      do { return try report.write(outcome, hadGoal: goal != nil, savedIn: saver?.location) } catch
      {
        guard case .signedIn(let signIn) = outcome else { throw error }
        let consequence =
          saver != nil
          ? "You are signed in, and the tokens are saved."
          : await tokens.revokeAll(signIn.credential.tokens, of: configuration.app)
        throw CommandFailure(.unexpected, "\(CommandFailure(error).message) \(consequence)")
      }
    }
    let watch = SignalWatch(terminal: frontEnd.terminal) { _ in task.cancel() }
    defer { watch.end() }
    return try await task.value
  }

  /// The goal other than to sign in, and the name of its option.
  private static func goal(_ call: CommandCall) throws -> (goal: Goal, name: String)? {
    let goals: [(goal: Goal, name: String)] = [
      (.recover, "recover"), (.unlock, "unlock"), (.register, "register"),
    ]
    let selected = goals.filter { call.has("--\($0.name)") }
    guard selected.count <= 1 else {
      throw CommandFailure(
        .usage, "--\(selected[0].name) and --\(selected[1].name) cannot be used together.")
    }
    return selected.first
  }
}
