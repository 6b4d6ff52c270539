import Expectations
import IDXBase
import IDXFlow
import TerminalSupport
import Testing

@testable import IDXPrompt

/// How a person chooses from a list, as seen on the screen.
struct ChoosingTests {
  private static func response(_ labels: [String], hasOptions: Bool = true) -> JSONValue {
    let options = labels.map { label -> JSONValue in
      ["label": .string(label), "value": .string("value of \(label)")]
    }
    let form = JSONValue.form(
      "challenge-authenticator", ["name": "pick", "label": "Pick", "options": .array(options)])
    return .response([form] + (hasOptions ? [.form("skip"), .form("resend")] : []))
  }

  /// Types keys at a list and returns the reply.
  private func choose(
    _ keys: String, of labels: [String] = ["Email", "Phone", "Photo"],
    expecting row: String? = nil
  ) async throws -> Reply {
    let session = try WatchedSession()
    let screen = try await FrontEndSession.screen(FrontEndSession.step(Self.response(labels)))
    async let reply = session.frontEnd.reply(to: screen)
    try await session.watched.see("the prompt") { $0.cursorRow.hasPrefix("Choose 1") }
    try session.watched.type(keys)
    if let row {
      try await session.watched.seeRow(row)
      try session.watched.type("\r")
    }
    let result = try await reply
    session.terminal.end()
    return result
  }

  @Test(
    "A number, a whole name or the beginning of one name chooses",
    arguments: [("2\r", "Phone"), ("phone\r", "Phone"), ("E\r", "Email"), ("phot\r", "Photo")])
  func names(keys: String, label: String) async throws {
    try await expectEqual(choose(keys), .submit(["pick": Secret("value of \(label)")]))
  }

  @Test("Arrows show the names one after the other, and Enter chooses the one that is shown")
  func arrows() async throws {
    let down = "\u{1B}[B"
    let row = "Choose 1-3: Phone|"
    try await expectEqual(choose(down + down, expecting: row), .submit(["pick": "value of Phone"]))
    try await expectEqual(
      choose("\u{1B}[A", expecting: "Choose 1-3: Photo|"), .submit(["pick": "value of Photo"]))
  }

  @Test("The only choice is taken without a question, but only the first time")
  func only() async throws {
    let session = try WatchedSession()
    let step = try await FrontEndSession.step(Self.response(["Email"], hasOptions: false))
    var screen = try await FrontEndSession.screen(step)
    screen.attempt = 1
    try await expectEqual(
      session.frontEnd.reply(to: screen), .submit(["pick": "value of Email"]))
    let again = screen.shownAgain
    async let reply = session.frontEnd.reply(to: again)
    try await session.watched.seeRow("Choose 1: |")
    try session.watched.type("1\r")
    try await expectEqual(reply, .submit(["pick": "value of Email"]))
    session.terminal.end()
  }

  @Test("The beginning of several names is refused with a reason")
  func several() async throws {
    let session = try WatchedSession()
    let screen = try await FrontEndSession.screen(
      await FrontEndSession.step(Self.response(["Phone", "Photo"])))
    async let reply = session.frontEnd.reply(to: screen)
    try await session.watched.seeRow("Choose 1-2: |")
    try session.watched.type("pho\r")
    try await session.watched.see("✗ Several names begin with “pho”. Type more of the name.")
    try await session.watched.seeRow("Choose 1-2: |")
    try session.watched.type("photo\r")
    try await expectEqual(reply, .submit(["pick": "value of Photo"]))
    session.terminal.end()
  }

  @Test("Beside a question, all actions have numbers, and a name is enough")
  func numbers() async throws {
    for (name, expected) in [("skip", Reply.choose("skip")), ("2", .choose("resend"))] {
      let session = try WatchedSession(columns: 60, rows: 20)
      let screen = try await FrontEndSession.screen(
        await FrontEndSession.step(Self.response(["Email", "Phone"])))
      async let reply = session.frontEnd.reply(to: screen)
      try await session.watched.seeRow("Choose 1-2: |")
      try session.watched.type("?\r")
      let shown = try await session.watched.seeRow("Choose 1-3, or Enter to go back: |")
      expectSuffix(
        shown.text,
        """
        Other options
          1  Skip for now
          2  Send it again
          3  Quit
        Choose 1-3, or Enter to go back:
        """)
      try session.watched.type("\(name)\r")
      try await expectEqual(reply, expected)
      session.terminal.end()
    }
  }

  @Test(
    "Yes and no are understood in the language of the words and in English",
    arguments: [("j", true), ("ja", true), ("Y", true), ("yes", true), ("n", false), ("no", false)])
  func yesInGerman(typed: String, expected: Bool) async throws {
    let session = try WatchedSession(words: .german)
    let answering = Task { try await session.frontEnd.confirm("Erneut anmelden?") }
    try await session.watched.seeRow("Erneut anmelden? [j/N]: |")
    try session.watched.type("\(typed)\r")
    try await expectEqual(answering.value, expected)
    session.terminal.end()
  }

  @Test(
    "At a yes-or-no question, a password that is typed is not shown, and ? shows the help",
    .promise("typed-secret"))
  func confirmation() async throws {
    let session = try WatchedSession()
    let answering = Task { try await session.frontEnd.confirm("Sign in again?") }
    try await session.watched.seeRow("Sign in again? [y/N]: |")
    try session.watched.type("Analytical-1843\r")
    let refused = try await session.watched.see("the reason and the question") {
      $0.text.contains("✗ Type y for yes or n for no.")
        && $0.cursorRow == "Sign in again? [y/N]: |"
    }
    expect(!refused.text.contains("nalytical") && !refused.text.contains("1843"))
    // An answer is shown while it is typed.
    try session.watched.type("ye")
    try await session.watched.seeRow("Sign in again? [y/N]: ye|")
    try session.watched.type("s\r")
    try await expectEqual(answering.value, true)
    session.terminal.end()

    let other = try WatchedSession()
    let helped = Task {
      try await other.frontEnd.confirm("Sign in again?", help: "With yes, you sign in now.")
    }
    try await other.watched.seeRow("Sign in again? [y/N]: |")
    try other.watched.type("?\r")
    try await other.watched.see("With yes, you sign in now.")
    try await other.watched.seeRow("Sign in again? [y/N]: |")
    try other.watched.type("\r")
    try await expectEqual(helped.value, false)
    other.terminal.end()
  }

  @Test("The words of the terminal are those of the app")
  func words() async throws {
    var words = Words.german
    words["terminal.choose"] = "Wahl 1 bis {count}"
    let session = try WatchedSession(words: words)
    let screen = try await FrontEndSession.screen(
      await FrontEndSession.step(Self.response(["Email", "Phone"])))
    let replying = Task { try await session.frontEnd.reply(to: screen) }
    try await session.watched.seeRow("Wahl 1 bis 2: |")
    try session.watched.type("?\r")
    try await session.watched.see("Andere Möglichkeiten")
    replying.cancel()
    _ = await replying.result
    session.terminal.end()
  }
}

extension Screen {
  /// The same screen after an answer that was refused.
  fileprivate var shownAgain: Screen {
    var screen = self
    screen.attempt = 2
    return screen
  }
}
