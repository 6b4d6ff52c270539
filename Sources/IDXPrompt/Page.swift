import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lays out what is shown on a terminal: headings, messages, lists, in the width of the window.
struct Page {
  let terminal: InteractiveTerminal
  let wording: Wording
  let now: @Sendable () -> Date

  private var style: TerminalStyle { terminal.style }
  private var wrapper: TextWrapper { TextWrapper(width: min(terminal.columns, 100)) }

  /// Server text as part of a line.
  func inline(_ text: String) -> String { TextSanitizer(oneLine: true).clean(text) }

  func heading(_ text: String) {
    for line in wrapper.lines(of: inline(text)) { terminal.write(style.bold(line) + "\n") }
  }

  /// What a list is about.
  func caption(_ text: String) {
    let label = inline(text)
    write(label.hasSuffix("?") ? label : "\(label):", after: "")
  }

  func note(_ text: String) { write(inline(text), after: "  ") }

  func success(_ text: String) {
    write(inline(text), after: "  \(style.check) ", styled: "  \(style.green(style.check)) ")
  }

  func problem(_ text: String) {
    write(inline(text), after: "  \(style.cross) ", styled: "  \(style.red(style.cross)) ")
  }

  /// The server's messages, each once, with what a person may do about it.
  func messages(_ messages: [IDXMessage], at step: Step?) {
    var shown: Set<String> = []
    for message in messages {
      let key = message.key?.rawValue
      // A message without words is a reason all the same.
      guard let text = [message.text, key].compactMap(\.self).first(where: { !$0.isEmpty }),
        shown.insert("\(key ?? "") \(text)").inserted
      else { continue }
      let seconds = TOTPGenerator(key: []).secondsRemaining(at: now())
      let advice = step.flatMap {
        wording.advice(on: message, at: $0, secondsRemaining: seconds)
      }
      let sentence = [TextSanitizer().clean(text).trimmed, advice].compactMap(\.self)
        .joined(separator: " ")
      // During a grace period an error only says what there is to mend, and a token whose next code is
      // wanted has shown a right one.
      let isHarmless =
        step?.remediation.name == .deviceAssuranceGracePeriod || message.key == .nextCodeNeeded
      switch isHarmless && message.isError ? nil : message.kind {
      case .error?:
        write(sentence, after: "  \(style.cross) ", styled: "  \(style.red(style.cross)) ")
      case .warning?:
        write(sentence, after: "  \(style.warning) ", styled: "  \(style.yellow(style.warning)) ")
      default: write(sentence, after: "  ")
      }
    }
  }

  /// A numbered list.
  func list(_ labels: [String]) {
    let width = String(labels.count).count
    for (index, label) in labels.enumerated() {
      let number = String(index + 1)
      let pad = String(repeating: " ", count: width - number.count)
      write(
        inline(label), after: "  \(pad)\(number)  ", styled: "  \(pad)\(style.cyan(number))  ")
    }
  }

  private func write(_ text: String, after prefix: String, styled: String? = nil) {
    for line in wrapper.lines(of: text, prefix: prefix, styledPrefix: styled) {
      terminal.write(line + "\n")
    }
  }
}
