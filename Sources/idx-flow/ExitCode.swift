import IDXOAuth
import IDXFlow

/// How the command ends, for scripts to decide by.
enum ExitCode: Int32, CaseIterable {
  case done = 0
  case unexpected = 1
  case usage = 2
  case inputNeeded = 3
  case refused = 4
  case expired = 5
  case network = 6
  case rateLimited = 7
  case signInNeeded = 8
  case storeFailed = 9
  case cancelled = 130

  var meaning: String {
    switch self {
    case .done: "done"
    case .unexpected: "unexpected: the server or this program did something it should not"
    case .usage: "usage or configuration: the command line, the environment or a file"
    case .inputNeeded:
      "input is needed and there is none, or the script answers something else; the step is named"
    case .refused: "the server refused the sign-in"
    case .expired: "the session expired"
    case .network: "network: the server cannot be reached, or not securely"
    case .rateLimited: "rate limited: the server got too many requests or wrong answers"
    case .signInNeeded: "nobody is signed in, or the session is over: sign in"
    case .storeFailed: "the credentials cannot be read or kept; what is there stays as it is"
    case .cancelled: "cancelled: by Ctrl-C, Ctrl-D, Quit or a signal"
    }
  }

  static var table: String {
    allCases.map { code in
      let number = String(code.rawValue)
      return "  " + String(repeating: " ", count: 3 - number.count) + number + "  " + code.meaning
    }.joined(separator: "\n")
  }
}

/// Why the command ends, in words for the person, and with which status.
struct CommandFailure: Error {
  let exitCode: ExitCode
  let message: String
  /// The name of what went wrong, for `--json`; nil where there is none.
  let code: String?
  /// The engine's error behind it, for the details of `--json`; nil where there is none.
  let cause: FlowError?

  init(
    _ exitCode: ExitCode, _ message: String, code: String? = nil, cause: FlowError? = nil
  ) {
    self.exitCode = exitCode
    self.message = message
    self.code = code ?? cause?.code.rawValue
    self.cause = cause
  }
}
