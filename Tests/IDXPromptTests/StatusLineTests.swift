import Testing

@testable import IDXPrompt

@Suite struct StatusLineTests {
  static let full = ["TERM": "xterm", "LANG": "C.UTF-8"]

  let pseudo: PseudoTerminal

  init() throws { pseudo = try PseudoTerminal() }

  private func line(
    _ subject: String = "Waiting for Okta Verify", environment: [String: String] = full,
    columns: UInt16 = 80
  ) throws -> StatusLine {
    pseudo.resize(columns: columns, rows: 24)
    let terminal = try InteractiveTerminal(path: pseudo.path, environment: environment)
    return StatusLine(terminal: terminal, subject: subject, hint: "? for other ways")
  }

  private func plain(_ text: String?) -> String? {
    text.map { ControlSequences.removed(from: $0) }
  }

  @Test("The spinner turns, the time is told in minutes and seconds")
  func spinner() throws {
    let line = try line()
    #expect(
      plain(line.text(at: 0, secondsLeft: 272))
        == "⠋ Waiting for Okta Verify… 4:32 left · ? for other ways")
    #expect(
      plain(line.text(at: 11, secondsLeft: 9))
        == "⠙ Waiting for Okta Verify… 0:09 left · ? for other ways")
  }

  @Test("A time that is over or not known is left out", arguments: [nil, 0, -5])
  func noTime(seconds: Int?) throws {
    let text = try line().text(at: 0, secondsLeft: seconds)
    #expect(plain(text) == "⠋ Waiting for Okta Verify… · ? for other ways")
  }

  @Test("Without glyphs the spinner and the signs are ASCII")
  func ascii() throws {
    let line = try line(environment: ["TERM": "xterm", "LANG": "C"])
    let text = plain(line.text(at: 1, secondsLeft: 60))
    #expect(text == "/ Waiting for Okta Verify... 1:00 left - ? for other ways")
  }

  @Test(
    "The line is never as wide as the window", arguments: [1, 2, 3, 5, 10, 20, 36, 40, 50, 60, 80])
  func width(columns: UInt16) throws {
    for subject in ["Waiting for Okta Verify (Ada's phone)", "等待确认等待确认等待确认等待确认等待确认"] {
      let line = try line(subject, columns: columns)
      let text = try #require(plain(line.text(at: 0, secondsLeft: 272)))
      #expect(text.columns < max(Int(columns), 3))
    }
  }

  @Test("A subject as long as a server can send is cut at once", .timeLimit(.minutes(5)))
  func enormous() throws {
    let text = plain(
      try line(String(repeating: "long ", count: 20_000)).text(at: 0, secondsLeft: 272))
    #expect(text?.hasPrefix("⠋ long long ") == true)
    #expect(text?.hasSuffix("… 4:32 left · ? for other ways") == true)
    #expect(text?.columns == 79)
  }

  @Test("In a narrow window the hint goes first, then the subject is cut")
  func narrow() throws {
    #expect(
      plain(try line(columns: 40).text(at: 0, secondsLeft: 60))
        == "⠋ Waiting for Okta Verify… 1:00 left")
    #expect(
      plain(try line(columns: 20).text(at: 0, secondsLeft: 60)) == "⠋ Waiting for Okta…")
  }

  @Test("Where nothing can be painted over there is a line at the start and every half minute")
  func lines() throws {
    let line = try line(environment: ["TERM": "dumb"])
    #expect(
      line.text(at: 0, secondsLeft: 300)
        == "Waiting for Okta Verify... 5:00 left (? for other ways)")
    #expect((1..<300).allSatisfy { line.text(at: $0, secondsLeft: 299) == nil })
    #expect(
      line.text(at: 300, secondsLeft: 270)
        == "Waiting for Okta Verify... 4:30 left (? for other ways)")
  }
}
