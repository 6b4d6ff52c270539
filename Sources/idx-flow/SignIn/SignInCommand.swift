import Foundation
import IDXFlow
import IDXPrompt

/// `idx-flow signin`: reads the options, plans the sign-in, runs it, and saves what it brings.
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
    "signin [PROFILE|URL]", "signin --demo [NAME]", "signin --demo list",
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

    With --flow hosted, the steps of the org's own sign-in page are answered here. It works with an app
    of your company that has only the grant type Authorization Code. Okta does not document this way.

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
    after the first sign-in. A name, or the variable IDX_FLOW_PROFILE, selects a profile; a name that no
    profile has sets up a new one. URL selects the profile of an org, or sets one up. Otherwise the
    current profile is used, if no file and no other org or app is named.

    The tokens are saved in the Keychain or the Secret Service (keyring). If this computer has neither,
    they are saved in files in clear text, after a warning. A keyring that fails is an error. --store
    or the variable IDX_FLOW_STORE selects a store. You can save credentials of several orgs, apps and
    users; the last sign-in becomes the current one.
    """

  static let options = SignInOptions.all
  static let optionGroups =
    SignInOptions.groups + [OptionGroup(heading: "Help", options: [.help])]
  static let operand: OperandSpec? = OperandSpec("PROFILE|URL", of: .profileOrAddress)

  static func run(_ call: CommandCall) async throws -> ExitCode {
    try await run(call, isChosen: true)
  }

  /// Signs in; if another command needs it, and the person has not chosen it, the current credential stays as it is.
  static func run(_ call: CommandCall, isChosen: Bool) async throws -> ExitCode {
    if call[SignInOptions.demo] == Demo.listName, call.streams.program == nil {
      return try listDemos(call)
    }
    let report = SignInReport(call)
    do {
      var call = call
      call.options = try SignInTarget.options(call)
      let options = try SignInOptions(call)
      call.streams.terminal = options.mayAsk ? call.openTerminal() : nil
      // A closed pipe does not end the process meanwhile: the server is told that the sign-in is canceled, and tokens
      // that can be neither saved nor written are revoked.
      let earlier = signal(SIGPIPE, SIG_IGN)
      defer { signal(SIGPIPE, earlier) }
      // Before any other work, so that nothing is shown that is typed for the first question.
      return try await TerminalTask.run(at: call.streams.terminal) { [call] in
        await run(options, call, isChosen: isChosen, report)
      }
    } catch { return report.write(CommandFailure(error), at: nil) }
  }

  private static func listDemos(_ call: CommandCall) throws -> ExitCode {
    let flow = try ProtocolChoice(call.options)
    if call.asJSON {
      try call.streams.result(Demo.json(for: flow))
    } else {
      try call.streams.page(Demo.list(for: flow))
    }
    return .done
  }

  /// Signs in, writes how that ended, and saves what was recorded.
  private static func run(
    _ options: SignInOptions, _ call: CommandCall, isChosen: Bool, _ report: SignInReport
  ) async -> ExitCode {
    var recorder = SignInRecorder(options, call.streams)
    var history = SignInHistory()
    do {
      try recorder.checkFile()
      let plan = try await SignInPlan(options, call, isChosen: isChosen, &recorder)
      let status = try await signIn(plan, report, recorder, &history)
      await recorder.save()
      if ![.done, .cancelled].contains(status) { await recorder.offerReport(after: nil) }
      return status
    } catch {
      let failure = CommandFailure(error)
      await recorder.save(after: failure)
      let status = report.write(failure, at: history.last)
      // What failed after the sign-in is not in a recording of it.
      if history.last?.isSignedIn != true { await recorder.offerReport(after: failure) }
      return status
    }
  }

  /// Signs in as planned; `history` gets what has happened, also if that throws.
  private static func signIn(
    _ plan: SignInPlan, _ report: SignInReport, _ recorder: SignInRecorder,
    _ history: inout SignInHistory
  ) async throws -> ExitCode {
    if let credential = try await plan.begin() {
      try await report.write(stillSignedIn: credential, in: plan.saver?.store)
      return .done
    }
    var run = SignInRun(
      answerSource: plan.answerSource, username: plan.settings[.username]?.text, demo: plan.demo,
      fallback: plan.fallback, factors: plan.factors)
    defer { history = run.history }
    let result: Result<Outcome, any Error>
    do { result = .success(try await run.run(plan)) } catch { result = .failure(error) }
    let end = SignInEnd(plan: plan, run: run, report: report)
    await end.keepSettings(after: result)
    let outcome = try result.get()
    await plan.answerSource.reportUnusedEntries()
    if case .cancelled = outcome {
      await recorder.offerReportAfterCancel(unsupported: run.unsupported)
    }
    return try await end.finish(outcome)
  }
}
