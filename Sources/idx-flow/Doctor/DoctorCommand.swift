import Foundation
import IDXBase
import IDXPrompt
import IDXFlow

/// `idx-flow doctor`: checks everything that a sign-in needs, without signing in.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let group = CommandGroup.signIn
  static let summary = "Check what a sign-in needs, and say how to repair it."
  static let purpose = """
    Check everything that a sign-in needs, without signing in: the settings, the connection, the org,
    the app, and this computer. Nobody is asked for anything, and nothing is saved.
    """
  static let usage = ["doctor [--profile NAME] [OPTION...]"]
  static let options =
    SignInOptions.settings + [
      StoreChoice.option, RequestTrace.option, LanguageChoice.option,
      AWSRole.option.with(help: "also ask AWS for keys of this role, with the saved ID token"),
      SAMLAppAddress.option.with(
        help: "also open this app for AWS; with --role-arn, look for kept keys"),
    ] + AWSKeyRequest.options + [timeout, .json]
  // So that “the same options” as those of a sign-in can be given.
  static let ignoredOptions = SignInOptions.others
  static let notes: String? = """
    The other options of signin are accepted too, and change nothing, except --demo and --front-end.

    Each line is a check: ok, warning, failed or skipped. A check is skipped if it does not apply, or if
    it needs one that failed. To check the app, a sign-in is started and not continued, and tokens are
    requested with a code that does not exist. With --flow direct, classic, browser or device, the
    server tells less before somebody has signed in.

    The exit status is 0 if a sign-in can work, although there may be warnings; otherwise it is that of
    the first check that failed.
    """

  private static let timeout = OptionSpec(
    "--timeout", value: "SECONDS", "the time limit of each check (default: 10)")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let limit = try timeLimit(call[timeout])
    let checks = try await TerminalTask.run(at: nil) { try await runAll(call, limit) }
    let failed = checks.first { $0.verdict == .failed }
    if call.asJSON {
      try call.streams.result([
        "status": failed == nil ? "ok" : "failed", "checks": .array(checks.map(\.json)),
      ])
    } else {
      let names = checks.filter { $0.verdict == .failed }.map(\.name)
      let others = names.filter { $0 != AWSCheck.name }.joined(separator: ", ")
      call.streams.note(
        others.isEmpty
          ? "A sign-in can work."
            + (names.isEmpty ? "" : " The check of AWS failed.")
          : "A sign-in cannot work. These checks failed: \(others).")
    }
    return failed?.exitCode ?? .done
  }

  /// Runs the checks one after the other, and writes each as soon as it is known.
  private static func runAll(_ call: CommandCall, _ limit: Duration) async throws -> [DoctorCheck] {
    var checks: [DoctorCheck] = []
    var page = DoctorPage(
      width: call.streams.showsResults ? TextWrapper.width(ofTerminal: STDOUT_FILENO) : nil,
      style: call.streams.resultStyle,
      keepingCommands: call.streams.keepingCommands)
    func add(_ check: DoctorCheck) throws {
      try Task.checkCancellation()
      checks.append(check)
      if !call.asJSON { for text in page.add(check) { try call.streams.result(text) } }
    }
    let setup = Result { try DoctorSetup(call) }
    try add(DoctorSetup.check(setup))
    let server = ServerChecks(setup: try? setup.get(), limit: limit)
    let refusal = try await server.run(add)
    let computer = ComputerChecks(
      call: call, setup: try? setup.get(), limit: limit, redirectRefusal: refusal)
    try await computer.run(add)
    let hasOnlySAML = (try? setup.get())?.onlySAMLApp != nil
    if hasOnlySAML || call.has(AWSRole.option) || call.has(SAMLAppAddress.option) {
      try await add(AWSCheck(call: call, setup: try? setup.get(), limit: limit).run())
    }
    if !call.asJSON { for text in page.rest() { try call.streams.result(text) } }
    return checks
  }

  private static func timeLimit(_ text: String?) throws -> Duration {
    guard let text else { return .seconds(10) }
    guard let seconds = Double(text), seconds > 0, seconds <= 3600 else {
      throw CommandFailure(.usage, "--timeout must be a number of seconds, not \(text.sanitized).")
    }
    return .seconds(seconds)
  }
}
