import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXNetwork
import IDXPrompt
import IDXTesting
import IDXOAuth

/// `idx-flow signin`: composes the engine with a way to answer, a way to the server and a store.
struct SignInCommand: Command {
  static let name = "signin"
  static let summary = "Sign in, answering what the server asks; try it with --demo."
  static let help = CommandHelp(
    purpose: """
      Sign in to an org, answering what the server asks at a prompt on the terminal itself, and keep
      the tokens. At any prompt ? lists what else can be done, and Ctrl-C gives the sign-in up.
      """,
    usage: [
      "signin --demo [NAME]", "signin --demo list",
      "signin --issuer URL --client-id ID --redirect-uri URI [OPTION...]",
    ],
    options: options,
    notes: """
      Where the org sends one to a page, the page is opened in a browser, or its address shown. Where
      the redirect URI is an address such as http://127.0.0.1:8484/callback, the browser comes back by
      itself; else the address that it ended on is asked for.

      Options win over the environment, the environment over the file. The variables are
      OKTA_IDX_ISSUER, OKTA_IDX_CLIENTID, OKTA_IDX_REDIRECTURI and OKTA_IDX_SCOPES; the file is
      a property list with the keys issuer, clientId, redirectUri and scopes.

      The tokens are kept in the Keychain, the Secret Service or a file, whichever is there first;
      --store, or the variable IDX_FLOW_STORE, chooses. Credentials of several orgs, apps and people
      stand side by side; the one that signed in last is the current one.
      """)

  private static let options = [
    OptionSpec(
      "--demo", value: "NAME", isValueOptional: true,
      "an org simulated in memory, in one of many situations; “list” names them"),
    OptionSpec("--recover", "go to where a forgotten password is replaced"),
    OptionSpec("--unlock", "go to where a locked account is unlocked"),
    OptionSpec("--register", "go to where one signs up"),
    OptionSpec(
      "--flow", value: "PROTOCOL",
      "idx, direct for DirectAuth, classic for the older API; idx if not given"),
    OptionSpec(
      "--first-factor", value: "LIST",
      "with --flow direct: password, otp, push, sms, voice, email, webauthn"),
    OptionSpec(
      "--session-token",
      "with --flow classic: print the one-time session token, and no tokens"),
    OptionSpec("--issuer", value: "URL", "the authorization server"),
    OptionSpec("--client-id", value: "ID", "the id of the app"),
    OptionSpec("--redirect-uri", value: "URI", "a redirect URI registered for the app"),
    OptionSpec(
      "--scope", value: "SCOPES", "scopes with spaces between; “openid profile” if not given"),
    OptionSpec("--config", value: "FILE", "a property list such as Okta.plist"),
    OptionSpec("--script", value: "FILE", "answers from a JSON file instead of a prompt"),
    OptionSpec("--no-input", "never ask; name the step that needs input and stop"),
    OptionSpec("--no-qr", "show the key of an authenticator app without its QR code"),
    OptionSpec("--force", "do not ask where somebody is signed in already"),
    OptionSpec(
      "--no-store", "keep nothing and print the tokens as JSON; whoever has them is signed in"),
    OptionSpec(
      "--store", value: "KIND", "where to keep the tokens: keychain, secret-service or file"),
    OptionSpec("--json", "print the result as JSON"),
  ]

  private let options: CommandLineOptions
  private let environment: [String: String]
  private let streams: Streams

  static func run(_ call: CommandCall) async throws -> ExitCode {
    try await SignInCommand(
      options: call.options, environment: call.environment, streams: call.streams
    ).run()
  }

  private func run() async throws -> ExitCode {
    if options.values["--demo"] == "list" {
      try streams.result(Demo.list(for: try SignInFlow(options)))
      return .done
    }
    let report = SignInReport(
      streams: streams, asJSON: has("--json") || has("--no-store"),
      isDemo: options.values["--demo"] != nil)
    let last = LastState()
    do { return try await signIn(report, last) } catch {
      return report.end(ErrorText.failure(for: error), at: await last.state)
    }
  }

  private func signIn(_ report: SignInReport, _ last: LastState) async throws -> ExitCode {
    let settings = SignInSettings(options, environment)
    let flow = try SignInFlow(options)
    let goal = try self.goal()
    let demo = try options.values["--demo"].map {
      try Demo(streams, settings, environment, $0, goal?.name, flow)
    }
    let configuration =
      try demo?.configuration ?? settings.configuration(needsRedirectURI: flow.needsRedirectURI)
    let transport: any Transport = demo?.org ?? URLSessionTransport()
    let tokens = TokenClient(transport: transport)
    let keepsNothing = has("--no-store") || flow.returnsSessionToken
    let keeper = keepsNothing ? nil : try await keeper(isDemo: demo != nil, tokens)
    let front = try FrontEnd(options, environment, streams, demo)
    let coordinator = FlowCoordinator(
      client: flow.client(over: transport, tokens), handlers: front.handlers,
      observe: { event in
        await last.note(event)
        front.report(event)
      })
    // Who names a situation of the demo wants to play it.
    let asksFirst =
      goal == nil && !has("--force") && options.values["--demo"].map(\.isEmpty) ?? true
    let task = Task { () async throws -> ExitCode in
      for problem in try await keeper?.check(configuration) ?? [] {
        streams.note("idx-flow: \(problem) Until then its owner's tokens cannot be kept.")
      }
      if asksFirst, let known = try await keeper?.known(configuration),
        try await !front.signsInAnew(beside: known)
      {
        return try report.stay(known)
      }
      if keeper != nil { try await demo?.restore() }
      demo?.greet()
      front.greet()
      let outcome = try await coordinator.run(configuration, goal: goal?.goal)
      await front.end()
      if case .signedIn(let signIn) = outcome, let keeper {
        try await keeper.keep(signIn.credential)
        try await demo?.save()
      }
      if case .ended(let state) = outcome, let token = state.sessionToken {
        try report.tell(sessionToken: token)
        return .done
      }
      do { return try report.end(outcome, hadGoal: goal != nil, keptIn: keeper?.location) } catch {
        guard case .signedIn(let signIn) = outcome else { throw error }
        let fate =
          keeper != nil
          ? "You are signed in, and the tokens are kept."
          : await tokens.revokeAll(of: signIn.credential).sentence
        throw CommandFailure(
          .unexpected, "\(ErrorText.failure(for: error).message) \(fate)")
      }
    }
    let watch = SignalWatch(terminal: front.terminal) { _ in task.cancel() }
    defer { watch.end() }
    return try await task.value
  }

  private func keeper(isDemo: Bool, _ tokens: TokenClient) async throws -> CredentialKeeper {
    let place = StorePlace(options, environment)
    let store: any CredentialStore =
      if isDemo { try place.demoStore() } else { try await place.store() }
    return CredentialKeeper(store: store, client: tokens)
  }

  /// What the person is after, where it is not to sign in, and the name of its option.
  private func goal() throws -> (goal: Goal, name: String)? {
    let known: [(goal: Goal, name: String)] = [
      (.recover, "recover"), (.unlock, "unlock"), (.register, "register"),
    ]
    let asked = known.filter { has("--\($0.name)") }
    guard asked.count <= 1 else {
      throw CommandFailure(
        .usage, "--\(asked[0].name) and --\(asked[1].name) cannot both be done; choose one.")
    }
    return asked.first
  }

  private func has(_ flag: String) -> Bool { options.flags.contains(flag) }
}

/// The last thing the server said, for the report of what it asked for.
private actor LastState {
  private(set) var state: FlowState?

  func note(_ event: FlowEvent) {
    if case .received(let state) = event { self.state = state }
  }
}
