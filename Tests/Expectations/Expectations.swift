import Foundation
package import Testing

/// How long to wait where only a hang is a failure: longer than a busy machine ever takes.
package let patience: Duration = .seconds(3600)

/// Records an issue with both values if they are not equal.
///
/// It checks what `#expect(actual == expected)` checks. The compiler needs a tenth of the time for it, because
/// no macro has to be expanded and the closures of the expansion need no type check.
package func expectEqual<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard actual != expected else { return }
  var text = "\(String(reflecting: actual)) is not equal to \(String(reflecting: expected))"
  if let comment = comment() { text += ": \(comment)" }
  Issue.record(
    Comment(rawValue: text),
    sourceLocation: SourceLocation(
      fileID: fileID, filePath: filePath, line: line, column: column))
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
