import Foundation
package import Testing

/// How long to wait where only a hang is a failure: longer than a busy machine ever takes.
package let patience: Duration = .seconds(3600)

// These functions check what `#expect` and `#require` check, but are not macros. The compiler spent most of its time
// for tests on expanding the macros, and on the closures in the expansion. They have few parameters, because
// thousands of calls pass them. A comment is computed in every call, so a costly one is only for a failure.

/// Records an issue with the source of the call if a condition is false.
package func expect(
  _ condition: Bool, _ comment: String? = nil, filePath: StaticString = #filePath, line: Int = #line
) {
  check(condition, "This is false: \(sourceOfCall(in: filePath, line))", comment, filePath, line)
}

/// Records an issue with both values if they are not equal.
package func expectEqual<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) {
  check(
    actual == expected,
    "\(String(reflecting: actual)) is not equal to \(String(reflecting: expected))", comment,
    filePath, line)
}

/// Records an issue with both texts if the first does not contain the second.
package func expectContains(
  _ text: some StringProtocol, _ part: some StringProtocol, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) {
  check(
    text.contains(part), "\(String(reflecting: text)) does not contain \(String(reflecting: part))",
    comment, filePath, line)
}

/// Records an issue with the values and the expected value if they do not contain it.
package func expectContains<Values: Sequence>(
  _ values: Values, _ value: Values.Element, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) where Values.Element: Equatable {
  check(
    values.contains(value),
    "\(String(reflecting: values)) does not contain \(String(reflecting: value))", comment,
    filePath, line)
}

/// Records an issue with all values if there are any.
package func expectEmpty(
  _ values: some Collection, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) {
  check(values.isEmpty, "\(String(reflecting: values)) is not empty", comment, filePath, line)
}

/// Records an issue with both texts if the first does not start with the second.
package func expectPrefix(
  _ text: some StringProtocol, _ part: some StringProtocol, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) {
  check(
    text.hasPrefix(part),
    "\(String(reflecting: text)) does not start with \(String(reflecting: part))", comment,
    filePath, line)
}

/// Records an issue with both texts if the first does not end with the second.
package func expectSuffix(
  _ text: some StringProtocol, _ part: some StringProtocol, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) {
  check(
    text.hasSuffix(part),
    "\(String(reflecting: text)) does not end with \(String(reflecting: part))", comment, filePath,
    line)
}

/// Gives a value, or records an issue with the source of the call and ends the test if there is none.
package func require<Value>(
  _ value: Value?, _ comment: String? = nil,
  filePath: StaticString = #filePath, line: Int = #line
) throws -> Value {
  if let value { return value }
  check(false, "This is nil: \(sourceOfCall(in: filePath, line))", comment, filePath, line)
  throw UnmetRequirement(place: "\(filePath):\(line)")
}

/// Records an issue with the source of the call and ends the test if a condition is false.
package func require(
  _ condition: Bool, _ comment: String? = nil, filePath: StaticString = #filePath, line: Int = #line
) throws {
  expect(condition, comment, filePath: filePath, line: line)
  if !condition { throw UnmetRequirement(place: "\(filePath):\(line)") }
}

/// Gives the error of a type that a body throws, or records an issue with what happened and ends the test.
package func requireError<Failure: Error, Value>(
  _ type: Failure.Type, filePath: StaticString = #filePath, line: Int = #line,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> Failure {
  let outcome: String
  do { outcome = "No error, but \(String(reflecting: try await body()))" } catch {
    if let failure = error as? Failure { return failure }
    outcome = String(reflecting: error)
  }
  check(false, "\(outcome) in place of an error of the type \(type)", nil, filePath, line)
  throw UnmetRequirement(place: "\(filePath):\(line)")
}

/// Ends a test after an issue was recorded.
package struct UnmetRequirement: Error, CustomStringConvertible {
  let place: String
  package var description: String { "The test cannot go on without what \(place) requires." }
}

private func check(
  _ condition: Bool, _ text: @autoclosure () -> String, _ comment: String?,
  _ filePath: StaticString, _ line: Int
) {
  guard !condition else { return }
  recordIssue(comment.map { "\(text()): \($0)" } ?? text(), sourceLocation(in: filePath, line))
}

/// The place of a call, without its column; the folder is named in place of the module.
private func sourceLocation(in file: StaticString, _ line: Int) -> SourceLocation {
  let path = "\(file)"
  let name = path.split(separator: "/").suffix(2).joined(separator: "/")
  return SourceLocation(fileID: name, filePath: path, line: line, column: 1)
}

/// Records an issue. The tests of these functions replace it.
@TaskLocal package var recordIssue: @Sendable (String, SourceLocation) -> Void = {
  Issue.record(Comment(rawValue: $0), sourceLocation: $1)
}

/// The lines of a call, until its parentheses are closed; only its place if the file cannot be read.
private func sourceOfCall(in file: StaticString, _ first: Int) -> String {
  guard let source = try? String(contentsOfFile: "\(file)", encoding: .utf8) else {
    return "\(file):\(first)"
  }
  let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
  var call = "", open = 0
  for line in lines.dropFirst(first - 1) {
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
