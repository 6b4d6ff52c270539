import Foundation
import IDXOAuth
import IDXSystem

/// `idx-flow exec`: runs a program with a token in its environment.
struct ExecCommand: Command {
  static let name = "exec"
  static let group = CommandGroup.tokens
  static let summary = "Run a program with a valid token in its environment."
  static let purpose = """
    Run a program with a valid access token in an environment variable. Other users cannot see the
    environment of your programs. The program takes the place of idx-flow, so its exit status, its
    signals and its streams are its own.
    """
  static let usage = ["exec [OPTION...] -- COMMAND [ARGUMENT...]"]
  static let options =
    [
      env,
      OptionSpec(
        FreshToken.typeOption.name, value: "KIND", of: .oneOf(["access", "id"]),
        "access (default) or id"),
      OfferedSignIn.noInput,
    ] + CredentialAccess.plainRequestOptions
  static let operand: OperandSpec? = OperandSpec(
    "COMMAND", isRequired: true, maximum: .max, of: .file, endsOptions: true)
  static let examples = [
    Example("Run a program that reads ACCESS_TOKEN", "idx-flow exec -- ./report.py"),
    Example(
      "Choose the variable",
      "idx-flow exec --env API_TOKEN -- sh -c 'deploy --to staging'"),
  ]
  static let notes: String? = """
    The exit status is 127 if there is no such program, 126 if it cannot be run, and otherwise that of
    the program. The token is not refreshed while the program runs. Because of the token, the program
    starts without core files and without SSLKEYLOGFILE and KRB5_TRACE, and no_proxy names this
    computer.
    """

  private static let variable = "ACCESS_TOKEN"
  private static let env = OptionSpec(
    "--env", value: "NAME", "the variable for the token (default: \(variable))")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let command = call.options.operands
    let name = call[env] ?? variable
    guard name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else {
      throw CommandFailure(.usage, "--env needs the name of a variable, not \(name).")
    }
    let access = try await CredentialAccess(call)
    return try await OfferedSignIn(access: access, call: call).run {
      try await run(command, tokenIn: name, access, call)
    }
  }

  private static func run(
    _ command: [String], tokenIn name: String, _ access: CredentialAccess, _ call: CommandCall
  ) async throws -> ExitCode {
    let fresh = try await FreshToken(access, call.options)
    var environment = call.environment
    environment[name] = fresh.token.revealed
    let failure = replaceProcess(with: command, environment: environment)
    guard failure.code != E2BIG else {
      throw CommandFailure(
        .commandNotRun,
        "\(command[0]) cannot be run: the arguments and the variables are too large together. The \(fresh.kind.sentence) in \(name) has \(fresh.token.revealed.utf8.count) bytes.",
        remedy: "Use idx-flow token --output FILE, or fewer variables.")
    }
    let isMissing = failure.code == ENOENT
    throw CommandFailure(
      isMissing ? .commandNotFound : .commandNotRun,
      isMissing
        ? "There is no program \(command[0])."
        : "\(command[0]) cannot be run: \(String(cString: strerror(failure.code))).")
  }
}
