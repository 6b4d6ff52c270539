/// Words what is waited for: a spinner, the subject, the time left, what may be typed.
struct StatusLine: Sendable {
  /// How many ticks pass between two lines where no line can be painted over.
  private static let pause = 300

  let terminal: InteractiveTerminal
  /// What is waited for, without an end.
  let subject: String
  /// What may be typed meanwhile.
  let hint: String

  /// The line at a tick: one that fits the window, or, where each is a line of its own, a whole one
  /// at the start and every half minute, else nil.
  func text(at tick: Int, secondsLeft: Int?) -> String? {
    let style = terminal.style
    let time = secondsLeft.flatMap { $0 > 0 ? " \(Self.clock($0)) left" : nil } ?? ""
    guard style.usesColor else {
      return tick % Self.pause == 0 ? "\(subject)\(style.ellipsis)\(time) (\(hint))" : nil
    }
    let frames = style.usesUnicode ? Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") : Array("|/-\\")
    let frame = String(frames[tick % frames.count])
    // The last column stays free, as some terminals go on to the next row from there.
    let room = max(terminal.columns - 3, 0)
    let separator = style.usesUnicode ? " · " : " - "
    let tail = [time + separator + hint, time, ""].first { $0.columns + 20 <= room } ?? ""
    let head = Self.cut(
      subject + style.ellipsis, to: room - tail.columns, ending: style.ellipsis)
    return style.cyan(frame) + " " + head + style.dim(tail)
  }

  /// 272 s as `4:32`.
  static func clock(_ seconds: Int) -> String {
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// The text, or as much of it as fits with an end.
  static func cut(_ text: String, to columns: Int, ending end: String) -> String {
    let room = columns - end.columns
    var kept = text.startIndex
    var taken = 0
    // From the start, since a server may send a text that is very much longer than the line.
    for index in text.indices {
      taken += text[index].columns
      if taken > columns { return room < 0 ? "" : text[..<kept] + end }
      if taken <= room { kept = text.index(after: index) }
    }
    return text
  }
}
