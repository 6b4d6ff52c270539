import IDXFlow
import IDXPrompt
import IDXOAuth

/// The one place that turns errors into words and exit statuses.
enum ErrorText {
  static func failure(for error: any Error) -> CommandFailure {
    switch error {
    case let failure as CommandFailure: failure
    case is CancellationError: CommandFailure(.cancelled, "Cancelled.")
    case let error as FlowError:
      switch error.underlying {
      // The demo's org is not on the network but in a file.
      case let cause as CommandFailure: cause
      case let cause as CredentialStoreError: failure(for: cause)
      default: CommandFailure(exitCode(for: error), clean("\(error)"), cause: error)
      }
    case let error as CredentialStoreError:
      CommandFailure(exitCode(for: error), clean("\(error)"), code: error.code.rawValue)
    default: CommandFailure(.unexpected, clean("\(error)"))
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

  private static func exitCode(for error: CredentialStoreError) -> ExitCode {
    error.code == .notFound ? .signInNeeded : .storeFailed
  }

  /// Errors may quote the server, which is not trusted with the terminal.
  private static func clean(_ text: String) -> String { TextSanitizer(oneLine: true).clean(text) }
}
