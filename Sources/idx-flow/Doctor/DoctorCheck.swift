import Foundation
import IDXBase
import IDXPrompt

/// The result of one check of the doctor.
struct DoctorCheck: Sendable {
  enum Result: String, Sendable {
    case ok
    /// A sign-in can work, but not in every way.
    case warning
    /// No sign-in can work.
    case failed
    /// Not checked; the message says why.
    case skipped
  }

  let name: String
  let result: Result
  /// What was found, without a period at its end.
  let message: String
  /// What to change; nil if there is nothing to change.
  var remedy: String?
  /// The exit status of the doctor if this is the first check that failed.
  var exitCode = ExitCode.usage

  static func ok(_ name: String, _ message: String) -> DoctorCheck {
    DoctorCheck(name: name, result: .ok, message: message.shortened(to: 600))
  }

  static func warning(_ name: String, _ message: String, _ remedy: String?) -> DoctorCheck {
    DoctorCheck(
      name: name, result: .warning, message: message.shortened(to: 600), remedy: remedy)
  }

  static func failed(
    _ name: String, _ message: String, _ remedy: String?, _ exitCode: ExitCode = .usage
  ) -> DoctorCheck {
    DoctorCheck(
      name: name, result: .failed, message: message.shortened(to: 600), remedy: remedy,
      exitCode: exitCode)
  }

  static func skipped(_ name: String, _ reason: String) -> DoctorCheck {
    DoctorCheck(name: name, result: .skipped, message: "not checked: \(reason)")
  }

  /// The check that failed with an error of the command.
  static func failed(_ name: String, _ failure: CommandFailure) -> DoctorCheck {
    .failed(name, failure.message.shortened(to: 600), failure.remedy, failure.exitCode)
  }

  var json: JSONValue {
    let object: JSONValue = [
      "name": .string(name), "result": .string(result.rawValue), "message": .string(message),
    ]
    return object.adding("remedy", remedy.map(JSONValue.string))
  }
}

/// The checks as lines for a person; checks that were skipped for the same reason share a line.
struct DoctorPage {
  /// The columns of the window; nil to break no lines.
  let width: Int?
  private var skipped: [DoctorCheck] = []

  init(width: Int?) { self.width = width }

  /// Adds a check; returns what can be shown now.
  mutating func add(_ check: DoctorCheck) -> [String] {
    let earlier = skipped.last.map { $0.message != check.message } ?? false ? rest() : []
    guard check.result == .skipped, check.remedy == nil else {
      return earlier + rest() + [text(of: check, named: check.name)]
    }
    skipped.append(check)
    return earlier
  }

  /// What was not shown yet.
  mutating func rest() -> [String] {
    defer { skipped = [] }
    guard let first = skipped.first else { return [] }
    return [text(of: first, named: skipped.map(\.name).joined(separator: ", "))]
  }

  /// A line for the result and one for the remedy.
  private func text(of check: DoctorCheck, named names: String) -> String {
    let clean = TextSanitizer(oneLine: true)
    func lines(_ text: String, after head: String) -> [String] {
      let text = clean.clean(text)
      return width.map { TerminalDialog.lines(of: text, after: head, width: $0) } ?? [head + text]
    }
    func column(_ word: String, _ length: Int) -> String {
      word.padding(toLength: length, withPad: " ", startingAt: 0)
    }
    let result = column(check.result.rawValue, 9)
    let head =
      names.count < 15
      ? lines(check.message, after: result + column(names, 15))
      : lines("\(names): \(check.message)", after: result)
    let remedy =
      check.remedy.map { lines("What to do: \($0)", after: column("", 9)) } ?? []
    return (head + remedy).joined(separator: "\n")
  }
}

/// Runs a check for a limited time.
///
/// A check that cannot be cancelled, such as a name lookup, is left behind.
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
