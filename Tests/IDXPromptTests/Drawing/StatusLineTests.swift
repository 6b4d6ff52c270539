import Expectations
import IDXBase
import IDXFlow
import TerminalSupport
import Testing

@testable import IDXPrompt

struct StatusLineTests {
  static let full = ["TERM": "xterm", "LANG": "C.UTF-8"]

  let pseudo: PseudoTerminal

  init() throws { pseudo = try PseudoTerminal() }

  private func line(
    _ subject: String = "Waiting for Okta Verify", environment: [String: String] = full,
    columns: UInt16 = 80, words: Words = .english
  ) throws -> StatusLine {
    pseudo.resize(columns: columns, rows: 24)
    let terminal = try InteractiveTerminal(path: pseudo.path, environment: environment)
    return StatusLine(terminal: terminal, words: words, subject: subject)
  }

  /// The text of a line, without escape sequences.
  private func text(
    _ subject: String = "Waiting for Okta Verify", at tick: Int = 0, secondsLeft: Int? = 60,
    environment: [String: String] = full, columns: UInt16 = 80, words: Words = .english
  ) throws -> String {
    let line = try line(subject, environment: environment, columns: columns, words: words)
    return ControlSequences.removed(
      from: try require(line.text(at: tick, secondsLeft: secondsLeft)))
  }

  @Test(
    "The spinner turns, and the time that is left, if any is known, is shown in the words of the app"
  )
  func spinner() throws {
    try expectEqual(
      text(secondsLeft: 272), "⠋ Waiting for Okta Verify… 4:32 left · ? for other options")
    try expectEqual(
      text(at: 11, secondsLeft: 9), "⠙ Waiting for Okta Verify… 0:09 left · ? for other options")
    for seconds in [nil, 0, -5] {
      try expectEqual(
        text(secondsLeft: seconds), "⠋ Waiting for Okta Verify… · ? for other options")
    }
    try expectEqual(
      text("Warten auf Okta Verify", secondsLeft: 12, words: .german),
      "⠋ Warten auf Okta Verify… noch 0:12 · ? für andere Möglichkeiten")
  }

  @Test("Without symbols, the line is ASCII")
  func ascii() throws {
    try expectEqual(
      text(at: 1, environment: ["TERM": "xterm", "LANG": "C"]),
      "/ Waiting for Okta Verify... 1:00 left - ? for other options")
  }

  @Test(
    "The line is narrower than the window", arguments: [1, 2, 3, 5, 10, 20, 36, 40, 50, 60, 80])
  func width(columns: UInt16) throws {
    for subject in ["Waiting for Okta Verify (Ada's phone)", "等待确认等待确认等待确认等待确认等待确认"] {
      let text = try text(subject, secondsLeft: 272, columns: columns)
      expect(text.columns < max(Int(columns), 3))
    }
  }

  @Test("A very long subject is cut quickly", .timeLimit(.minutes(10)))
  func veryLongSubject() throws {
    let text = try text(String(repeating: "long ", count: 20_000), secondsLeft: 272)
    expectPrefix(text, "⠋ long long ")
    expectSuffix(text, "long… 4:32 left")
    expect((70..<80).contains(text.columns))
  }

  @Test(
    "In a narrow window, the hint is omitted first, then the subject is cut",
    arguments: [
      ("Waiting for Okta Verify", 40, "⠋ Waiting for Okta Verify… 1:00 left"),
      ("Waiting for Okta Verify", 20, "⠋ Waiting for Okta…"),
      ("Waiting for Okta Verify", 19, "⠋ Waiting for…"),
      (
        "Waiting for you to open the link in the email", 60,
        "⠋ Waiting for you to open the link in the email… 1:00 left"
      ),
      (
        "Waiting for you to open the link in the email", 40, "⠋ Waiting for you to open… 1:00 left"
      ),
      ("等待确认等待确认等待确认等待确认", 20, "⠋ 等待确认等待确认…"),
    ] as [(String, UInt16, String)])
  func narrow(subject: String, columns: UInt16, expected: String) throws {
    try expectEqual(text(subject, columns: columns), expected)
  }

  @Test(
    "Lines that cannot be replaced come at the start and every 30 s, and are wrapped unless read aloud"
  )
  func lines() throws {
    let line = try self.line(environment: ["TERM": "dumb"])
    expectEqual(
      line.text(at: 0, secondsLeft: 300),
      "Waiting for Okta Verify... 5:00 left (? for other options)")
    expect((1..<300).allSatisfy { line.text(at: $0, secondsLeft: 299) == nil })
    expectEqual(
      line.text(at: 300, secondsLeft: 270),
      "Waiting for Okta Verify... 4:30 left (? for other options)")

    let wrapped = try self.line(environment: ["TERM": "xterm", "NO_COLOR": "1"], columns: 40)
    expectEqual(
      wrapped.text(at: 0, secondsLeft: 300),
      "Waiting for Okta Verify... 5:00 left (?\nfor other options)")
    let spoken = try self.line(environment: ["TERM": "dumb"], columns: 40)
    expectEqual(
      spoken.text(at: 0, secondsLeft: 300),
      "Waiting for Okta Verify... 5:00 left (? for other options)")
  }
}

struct BigNumberTests {
  @Test("A number of ASCII digits is drawn in five rows, each digit with its own shape")
  func drawn() {
    let shapes = (0...9).compactMap { BigNumber.rows(of: "\($0)") }
    expectEqual(Set(shapes).count, 10)
    for text in ["", "4a", "-1", "٤٢"] { expectEqual(BigNumber.rows(of: text), nil, "\(text)") }
    expect(shapes.allSatisfy { $0.count == 5 && $0.allSatisfy { $0.columns <= 6 } })
  }

  @Test(
    "Without symbols, or in a narrow window, the number is written between arrows",
    arguments: [(80, "C"), (18, "C.UTF-8")])
  func plain(columns: UInt16, locale: String) async throws {
    let pseudo = try PseudoTerminal()
    pseudo.resize(columns: columns, rows: 24)
    let terminal = try InteractiveTerminal(
      path: pseudo.path, environment: ["TERM": "xterm", "LANG": locale, "NO_COLOR": "1"])
    BigNumber(terminal: terminal).show("42")
    try await expectEqual(pseudo.shown(until: "<<<\r\n\r\n"), "\r\n    >>> 42 <<<\r\n\r\n")
  }
}
