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

  private func plain(_ text: String?) -> String? {
    text.map { ControlSequences.removed(from: $0) }
  }

  @Test(
    "The spinner turns, and the time that is left, if any is known, is shown in the words of the app"
  )
  func spinner() throws {
    let line = try line()
    expectEqual(
      plain(line.text(at: 0, secondsLeft: 272)),
      "⠋ Waiting for Okta Verify… 4:32 left · ? for other options")
    expectEqual(
      plain(line.text(at: 11, secondsLeft: 9)),
      "⠙ Waiting for Okta Verify… 0:09 left · ? for other options")
    for seconds in [nil, 0, -5] {
      expectEqual(
        plain(line.text(at: 0, secondsLeft: seconds)),
        "⠋ Waiting for Okta Verify… · ? for other options")
    }
    let german = try self.line("Warten auf Okta Verify", words: .german)
    expectEqual(
      plain(german.text(at: 0, secondsLeft: 12)),
      "⠋ Warten auf Okta Verify… noch 0:12 · ? für andere Möglichkeiten")
  }

  @Test("Without symbols, the line is ASCII")
  func ascii() throws {
    let line = try line(environment: ["TERM": "xterm", "LANG": "C"])
    let text = plain(line.text(at: 1, secondsLeft: 60))
    expectEqual(text, "/ Waiting for Okta Verify... 1:00 left - ? for other options")
  }

  @Test(
    "The line is narrower than the window", arguments: [1, 2, 3, 5, 10, 20, 36, 40, 50, 60, 80])
  func width(columns: UInt16) throws {
    for subject in ["Waiting for Okta Verify (Ada's phone)", "等待确认等待确认等待确认等待确认等待确认"] {
      let line = try line(subject, columns: columns)
      let text = try require(plain(line.text(at: 0, secondsLeft: 272)))
      expect(text.columns < max(Int(columns), 3))
    }
  }

  @Test("A very long subject is cut quickly", .timeLimit(.minutes(10)))
  func veryLongSubject() throws {
    let text = plain(
      try line(String(repeating: "long ", count: 20_000)).text(at: 0, secondsLeft: 272))
    expectEqual(text?.hasPrefix("⠋ long long "), true)
    expectEqual(text?.hasSuffix("long… 4:32 left"), true)
    expectEqual(text.map { (70..<80).contains($0.columns) }, true)
  }

  @Test("In a narrow window, the hint is omitted first, then the subject is cut")
  func narrow() throws {
    expectEqual(
      plain(try line(columns: 40).text(at: 0, secondsLeft: 60)),
      "⠋ Waiting for Okta Verify… 1:00 left")
    expectEqual(plain(try line(columns: 20).text(at: 0, secondsLeft: 60)), "⠋ Waiting for Okta…")
    expectEqual(plain(try line(columns: 19).text(at: 0, secondsLeft: 60)), "⠋ Waiting for…")
    expectEqual(
      plain(
        try line("Waiting for you to open the link in the email", columns: 60)
          .text(at: 0, secondsLeft: 60)),
      "⠋ Waiting for you to open the link in the email… 1:00 left")
    expectEqual(
      plain(
        try line("Waiting for you to open the link in the email", columns: 40)
          .text(at: 0, secondsLeft: 60)),
      "⠋ Waiting for you to open… 1:00 left")
    expectEqual(
      plain(try line("等待确认等待确认等待确认等待确认", columns: 20).text(at: 0, secondsLeft: 60)),
      "⠋ 等待确认等待确认…")
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
    expectEqual(
      BigNumber.rows(of: "42"),
      [
        "██  ██  ██████",
        "██  ██      ██",
        "██████  ██████",
        "    ██  ██",
        "    ██  ██████",
      ])

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
