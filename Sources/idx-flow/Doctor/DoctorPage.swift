import Foundation
import IDXBase
import IDXPrompt

/// The checks as lines for a person; checks that were skipped for the same reason share a line.
struct DoctorPage {
  /// The columns of the window; nil to break no lines.
  let width: Int?
  /// Keeps the words of each command in a line together.
  let keepingCommands: (_ line: String) -> String
  private let style: TerminalStyle
  private var skipped: [DoctorCheck] = []

  init(
    width: Int?, style: TerminalStyle, keepingCommands: @escaping (_ line: String) -> String
  ) {
    (self.width, self.style) = (width, style)
    self.keepingCommands = keepingCommands
  }

  /// Adds a check; returns what can be shown now.
  mutating func add(_ check: DoctorCheck) -> [String] {
    let earlier = skipped.last.map { $0.message != check.message } ?? false ? rest() : []
    guard check.verdict == .skipped, check.remedy == nil else {
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
      let text = keepingCommands(clean.clean(text))
      let styled = style(head, as: check.verdict)
      return width.map { width in
        TextWrapper(width: width).lines(of: text, prefix: head, styledPrefix: styled)
      } ?? [styled + text]
    }
    func column(_ word: String, _ length: Int) -> String {
      word.padding(toLength: length, withPad: " ", startingAt: 0)
    }
    let result = column(check.verdict.rawValue, 9)
    let head =
      names.count < 15
      ? lines(check.message, after: result + column(names, 15))
      : lines("\(names): \(check.message)", after: result)
    let remedy =
      check.remedy.map { lines("What to do: \($0)", after: column("", 9)) } ?? []
    return (head + remedy).joined(separator: "\n")
  }

  /// The start of a line in the color of a verdict.
  private func style(_ head: String, as verdict: DoctorCheck.Verdict) -> String {
    switch verdict {
    case .ok: style.green(head)
    case .warning: style.yellow(head)
    case .failed: style.red(head)
    case .skipped: style.dim(head)
    }
  }
}
