import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
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
  case commandNotRun = 126
  case commandNotFound = 127
  case cancelled = 130

  var meaning: String {
    switch self {
    case .done: "success"
    case .unexpected: "unexpected response of the server, or error of this program"
    case .usage:
      "wrong usage or configuration: command line, environment, file, or the app in the org"
    case .inputNeeded:
      "input is needed but cannot be asked for, or the script does not match the step"
    case .refused: "the server refused the sign-in"
    case .expired: "the sign-in expired"
    case .network: "the server failed or cannot be reached, or the connection is not secure"
    case .rateLimited: "too many requests or wrong answers: wait before you try again"
    case .signInNeeded: "not signed in, or the session is over: sign in"
    case .storeFailed: "credentials cannot be read or saved"
    case .commandNotRun: "exec: the program cannot be run"
    case .commandNotFound: "exec: there is no such program"
    case .cancelled: "canceled by Ctrl-C, Ctrl-D, Quit or a signal"
    }
  }

  static var table: String {
    allCases.map { String(format: "%5d  ", $0.rawValue) + $0.meaning }.joined(separator: "\n")
  }
}

/// Why a command failed, and its exit status.
struct CommandFailure: Error {
  let exitCode: ExitCode
  /// What happened and what to do about it, for the person.
  let sentence: Sentence
  /// The error code for `--json`.
  let code: String?
  /// The error of the engine, with details for `--json`.
  let cause: FlowError?
  /// The mistake in the setup that is the reason; nil if there may be another reason.
  let setup: SetupProblem?
  /// What to do about it, on a line of its own; nil if the message says so.
  private(set) var remedySentence: Sentence?

  init(
    _ exitCode: ExitCode, _ sentence: Sentence, code: String? = nil, cause: FlowError? = nil,
    setup: SetupProblem? = nil, remedy: Sentence? = nil
  ) {
    self.exitCode = exitCode
    self.sentence = sentence
    self.code = code ?? cause?.code.rawValue
    self.cause = cause
    self.setup = setup
    remedySentence = remedy
  }

  /// Creates the failure for a mistake in the setup; the text of the server or of the system follows the
  /// explanation.
  init(_ setup: SetupProblem, cause: FlowError? = nil) {
    var error = cause
    if let cause, let refusal = cause.underlying as? OAuthError {
      let text = [refusal.code.rawValue, refusal.explanation].compactMap(\.self)
      error = FlowError(
        cause.code, "The server says: \(text.joined(separator: ": "))", status: cause.status,
        requestID: cause.requestID)
    }
    let detail = error.map { " \($0)".shortened(to: 600).sanitized }
    self.init(
      Self.exitCode(for: setup.kind), "\(setup.explanationSentence)\(detail ?? "")", cause: cause,
      setup: setup, remedy: setup.remedyWithDoctor)
  }
}

extension CommandFailure {
  /// The sentence in English.
  var message: String { "\(sentence)" }
  /// What to do, in English.
  var remedy: String? { remedySentence.map { "\($0)" } }

  /// Creates the failure for an error.
  ///
  /// This is the only place that turns errors into messages and exit statuses. Errors may quote the
  /// server, whose texts may contain control characters.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case is CancellationError: self.init(.cancelled, "Canceled.")
    case let error as FlowError:
      switch error.underlying {
      // The org of the demo is in a file, not on the network.
      case let cause as CommandFailure: self = cause
      case let cause as CredentialStoreError: self.init(cause)
      default:
        // A server can make a sentence much longer than it is useful.
        let message = "\(error)".shortened(to: 600).sanitized
        self.init(Self.exitCode(for: error), error.sentence(message), cause: error)
      }
    case let error as CredentialStoreError:
      self.init(
        error.code == .notFound ? .signInNeeded : .storeFailed, "\("\(error)".sanitized)",
        code: error.code.rawValue,
        remedy: error.code == .damaged
          ? "If it is a file, idx-flow signout --damaged renames it; use the same --demo and --store."
          : nil)
    default: self.init(.unexpected, Sentence(text: "\(error)".sanitized))
    }
  }

  /// The message and what to do, for a note.
  var sentenceWithRemedy: Sentence { remedySentence.map { "\(sentence) \($0)" } ?? sentence }

  /// The same failure with one more sentence about what to do.
  func adding(remedy more: Sentence?) -> CommandFailure {
    guard let more else { return self }
    var failure = self
    failure.remedySentence = remedySentence.map { "\($0) \(more)" } ?? more
    return failure
  }

  /// What to do if the server of a sign-in cannot be reached.
  static let networkRemedy: Sentence =
    "Check the network connection. To find out more, run idx-flow doctor with the same options."

  /// Creates the failure for an error of a sign-in, whose reason may be the setup.
  ///
  /// `networkRemedy` is for failures of the network that have no remedy of their own. If a server answered with an error,
  /// it was reached, and the message says when to try again.
  init(
    _ error: any Error, signingInTo configuration: FlowConfiguration, grantType: String,
    networkRemedy: Sentence? = nil
  ) {
    if let error = error as? FlowError, !(error.underlying is CommandFailure),
      let setup = SetupProblem(error, of: configuration, grantType: grantType)
    {
      self.init(setup, cause: error)
    } else {
      self.init(error)
      let causes = [cause, cause?.underlying as? FlowError]
      if remedySentence == nil, exitCode == .network,
        !causes.contains(where: { $0?.code == .serverFailed })
      {
        remedySentence = networkRemedy
      }
    }
  }

  private static func exitCode(for kind: SetupProblem.Kind) -> ExitCode {
    switch kind {
    case .untrustedCertificate, .notHTTPS, .proxyFailed, .unknownHost: .network
    case .notAssigned: .refused
    default: .usage
    }
  }

  private static func exitCode(for error: FlowError) -> ExitCode {
    switch error.code {
    case .invalidConfiguration, .invalidAnswers: .usage
    case .inputNeeded, .scriptMismatch, .noHandler: .inputNeeded
    case .refused, .limitReached, .notOffered, .redirectMismatch, .browserNeeded: .refused
    case .network: exitCode(for: error.underlying as? TransportError)
    case .serverFailed: .network
    case .answerUnconfirmed: (error.underlying as? FlowError).map(exitCode) ?? .network
    case .rateLimited: .rateLimited
    case .signInNeeded, .wrongKey: .signInNeeded
    default: .unexpected
    }
  }

  /// Not every failure of a request is about the connection.
  private static func exitCode(for error: TransportError?) -> ExitCode {
    switch error?.code {
    case .responseTooLarge?, .noDescriptors?: .unexpected
    case .requestRefused?, .schemeRefused?: .usage
    default: .network
    }
  }
}
