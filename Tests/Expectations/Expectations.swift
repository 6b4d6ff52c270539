import Foundation
package import Testing

/// How long to wait where only a hang is a failure: longer than a busy machine ever takes.
package let patience: Duration = .seconds(3600)

// These functions check what `#expect` checks, but are not macros. The compiler spent most of its time for tests on
// expanding the macro, and on the closures in the expansion.

/// Records an issue with the source of the call if a condition is false.
package func expect(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !condition else { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  record("This is false: \(sourceOfCall(at: place))", comment(), at: place)
}

/// Records an issue with both values if they are not equal.
package func expectEqual<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard actual != expected else { return }
  record(
    "\(String(reflecting: actual)) is not equal to \(String(reflecting: expected))", comment(),
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with both texts if the first does not contain the second.
package func expectContains(
  _ text: some StringProtocol, _ part: some StringProtocol,
  _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !text.contains(part) else { return }
  record(
    "\(String(reflecting: text)) does not contain \(String(reflecting: part))", comment(),
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with the values and the expected value if they do not contain it.
package func expectContains<Values: Sequence>(
  _ values: Values, _ value: Values.Element, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) where Values.Element: Equatable {
  guard !values.contains(value) else { return }
  record(
    "\(String(reflecting: values)) does not contain \(String(reflecting: value))", comment(),
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with all values if there are any.
package func expectEmpty(
  _ values: some Collection,
  _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !values.isEmpty else { return }
  record(
    "\(String(reflecting: values)) is not empty", comment(),
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with both texts if the first does not start with the second.
package func expectPrefix(
  _ text: some StringProtocol, _ part: some StringProtocol,
  _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !text.hasPrefix(part) else { return }
  record(
    "\(String(reflecting: text)) does not start with \(String(reflecting: part))", comment(),
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Records an issue with both texts if the first does not end with the second.
package func expectSuffix(
  _ text: some StringProtocol, _ part: some StringProtocol,
  _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard !text.hasSuffix(part) else { return }
  record(
    "\(String(reflecting: text)) does not end with \(String(reflecting: part))", comment(),
    at: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func record(_ text: String, _ comment: Comment?, at place: SourceLocation) {
  recordIssue(comment.map { "\(text): \($0)" } ?? text, place)
}

/// Records an issue. The tests of these functions replace it.
@TaskLocal package var recordIssue: @Sendable (String, SourceLocation) -> Void = {
  Issue.record(Comment(rawValue: $0), sourceLocation: $1)
}

/// The lines of a call, until its parentheses are closed; only its place if the file cannot be read.
private func sourceOfCall(at place: SourceLocation) -> String {
  guard let source = try? String(contentsOfFile: place.filePath, encoding: .utf8) else {
    return "\(place)"
  }
  let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
  var call = "", open = 0
  for line in lines.dropFirst(place.line - 1) {
    call += (call.isEmpty || call.hasSuffix("(") ? "" : " ") + line.drop { $0 == " " }
    open += line.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
    if open <= 0 { break }
  }
  return call
}

/// All texts in which a value could be printed by accident: its descriptions, a dump, and what the system makes of an
/// error.
package func printedTexts(of value: Any) -> String {
  var text = "\(value)" + String(reflecting: value)
  dump(value, to: &text)
  guard let error = value as? any Error else { return text }
  let bridged = error as NSError
  return text + error.localizedDescription + "\(bridged) \(bridged.userInfo)"
}
