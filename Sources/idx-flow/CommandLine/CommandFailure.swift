import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// The exit status of the program.
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
    case .done: "success"
    case .unexpected: "unexpected error of the server or of this program"
    case .usage: "wrong usage or configuration: command line, environment or file"
    case .inputNeeded:
      "input is needed but cannot be asked for, or the script does not match the step"
    case .refused: "the server refused the sign-in"
    case .expired: "the session expired"
    case .network: "the server cannot be reached, or the connection is not secure"
    case .rateLimited: "too many requests or wrong answers: wait before you try again"
    case .signInNeeded: "not signed in, or the session is over: sign in"
    case .storeFailed: "credentials cannot be read or saved; existing ones are not changed"
    case .cancelled: "canceled by Ctrl-C, Ctrl-D, Quit or a signal"
    }
  }

  static var table: String {
    allCases.map { code in
      let number = String(code.rawValue)
      return "  " + String(repeating: " ", count: 3 - number.count) + number + "  " + code.meaning
    }.joined(separator: "\n")
  }
}

/// Why a command failed, and its exit status.
struct CommandFailure: Error {
  let exitCode: ExitCode
  /// What happened and what to do about it, for the person.
  let message: String
  /// The error code for `--json`.
  let code: String?
  /// The error of the engine, with details for `--json`.
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

// The only place that turns errors into messages and exit statuses.
extension CommandFailure {
  /// Creates the failure for an error.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case is CancellationError: self.init(.cancelled, "Canceled.")
    case let error as FlowError:
      switch error.underlying {
      // The org of the demo is in a file, not on the network.
      case let cause as CommandFailure: self = cause
      case let cause as CredentialStoreError: self.init(cause)
      default: self.init(Self.exitCode(for: error), Self.clean("\(error)"), cause: error)
      }
    case let error as CredentialStoreError:
      self.init(
        error.code == .notFound ? .signInNeeded : .storeFailed, Self.clean("\(error)"),
        code: error.code.rawValue)
    default: self.init(.unexpected, Self.clean("\(error)"))
    }
  }

  private static func exitCode(for error: FlowError) -> ExitCode {
    switch error.code {
    case .invalidConfiguration, .invalidAnswers: .usage
    case .inputNeeded, .scriptMismatch, .noHandler: .inputNeeded
    case .refused, .limitReached, .notOffered, .redirectMismatch: .refused
    case .network: .network
    case .rateLimited: .rateLimited
    case .signInNeeded: .signInNeeded
    default: .unexpected
    }
  }

  /// Errors may quote the server, whose texts may contain control characters.
  private static func clean(_ text: String) -> String { TextSanitizer(oneLine: true).clean(text) }
}

/// Writes why a command failed: a sentence to standard error and, with `--json`, an object to standard
/// output.
struct FailureReport {
  let streams: Streams
  let asJSON: Bool

  /// Writes a failure and returns its exit status.
  ///
  /// - Parameters:
  ///   - state: The last state of a sign-in, whose messages are added to the object.
  ///   - listsForms: Whether to add the forms that the server offers.
  @discardableResult
  func write(
    _ failure: CommandFailure, at state: FlowState? = nil, listsForms: Bool = false
  ) -> ExitCode {
    streams.note("idx-flow: \(failure.message)")
    guard asJSON else { return failure.exitCode }
    var object = JSONValue.Object([
      JSONValue.Object.Member("status", "failed"),
      JSONValue.Object.Member(
        "exit_status", .number(JSONValue.Number(Int(failure.exitCode.rawValue)))),
      JSONValue.Object.Member("message", .string(failure.message)),
    ])
    object["code"] = failure.code.map(JSONValue.string)
    if let error = failure.cause {
      object["step"] = error.remediation.map { .string($0.rawValue) }
      object["http_status"] = error.status.map { .number(JSONValue.Number($0)) }
      object["request_id"] = error.requestID.map(JSONValue.string)
      object["retry_after"] = error.retryAfter.map {
        .number(JSONValue.Number(Int($0.components.seconds)))
      }
    }
    if let response = state?.response {
      let summary = ResponseSummary(response: response, showsFixedValues: false)
      object["messages"] = summary.json["messages"]
      if listsForms { object["asks"] = summary.json["remediations"] }
    }
    // If the object cannot be written, the exit status still reports the failure.
    try? streams.result(JSONValue.object(object).text)
    return failure.exitCode
  }
}
