import Foundation
import IDXBase

/// What one check of the doctor found.
struct DoctorCheck: Sendable {
  enum Verdict: String, Sendable {
    case ok
    /// A sign-in can work, but not in every way.
    case warning
    /// No sign-in can work.
    case failed
    /// Not checked; the message says why.
    case skipped
  }

  let name: String
  let verdict: Verdict
  /// What was found, without a period at its end.
  let message: String
  /// What to change; nil if there is nothing to change.
  let remedy: String?
  /// The exit status of the doctor if this is the first check that failed.
  let exitCode: ExitCode

  private init(
    _ name: String, _ verdict: Verdict, _ message: String, _ remedy: String? = nil,
    _ exitCode: ExitCode = .usage
  ) {
    (self.name, self.verdict) = (name, verdict)
    self.message = message.shortened(to: 600)
    self.remedy = remedy?.shortened(to: 600)
    self.exitCode = exitCode
  }

  static func ok(_ name: String, _ message: String) -> DoctorCheck {
    DoctorCheck(name, .ok, message)
  }

  static func warning(_ name: String, _ message: String, _ remedy: String?) -> DoctorCheck {
    DoctorCheck(name, .warning, message, remedy)
  }

  static func failed(
    _ name: String, _ message: String, _ remedy: String?, _ exitCode: ExitCode = .usage
  ) -> DoctorCheck {
    DoctorCheck(name, .failed, message, remedy, exitCode)
  }

  /// The check that failed with an error of the command; `more` is another remedy.
  static func failed(
    _ name: String, _ failure: CommandFailure, or more: Sentence? = nil
  ) -> DoctorCheck {
    let remedies = [failure.setup?.remedyWithOptions ?? failure.remedySentence, more]
      .compactMap { $0?.description }
    return .failed(
      name, failure.message, remedies.isEmpty ? nil : remedies.joined(separator: " "),
      failure.exitCode)
  }

  static func skipped(
    _ name: String, _ reason: String, _ remedy: String? = nil
  ) -> DoctorCheck {
    DoctorCheck(name, .skipped, "not checked: \(reason)", remedy)
  }

  var json: JSONValue {
    let object: JSONValue = [
      "name": .string(name), "result": .string(verdict.rawValue), "message": .string(message),
    ]
    return object.adding("remedy", remedy.map(JSONValue.string))
  }
}

/// Runs a check for a limited time.
///
/// A check that cannot be canceled, such as a name lookup, is left behind.
func limited<Value: Sendable>(
  to time: Duration, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
  let (results, result) = AsyncStream.makeStream(of: Value?.self)
  let task = Task { result.yield(await body()) }
  let timer = Task {
    guard (try? await Task.sleep(for: time)) != nil else { return }
    result.yield(nil)
  }
  defer {
    task.cancel()
    timer.cancel()
  }
  for await value in results { return value }
  return nil
}
