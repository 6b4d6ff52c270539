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
  private func choose(_ keys: String, expecting row: String? = nil) async throws -> Reply {
    let session = try WatchedSession()
    let reply = try await session.frontEnd.begin(
      FrontEndSession.screen(Self.response(["Email", "Phone", "Photo"])))
    try await session.watched.seeRow("Choose 1-3: |")
    if let row {
      try await session.watched.type(keys, seeing: row)
      try session.watched.type("\r")
    } else {
      try session.watched.type(keys)
    }
    return try await reply.value
  }

  @Test(
    "A number, a whole name or the beginning of one name chooses, in any case",
    arguments: [
      ("2\r", "Phone"), (" 2 \r", "Phone"), ("Phone\r", "Phone"), ("phone \r", "Phone"),
      ("E\r", "Email"), ("phot\r", "Photo"),
    ])
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
    let response = Self.response(["Email"], hasOptions: false)
    let first = try await FrontEndSession.screen(response, isFirst: true)
    try await expectEqual(session.frontEnd.reply(to: first), .submit(["pick": "value of Email"]))
    let reply = try await session.frontEnd.begin(FrontEndSession.screen(response))
    try await session.watched.seeRow("Choose 1: |")
    try session.watched.type("1\r")
    try await expectEqual(reply.value, .submit(["pick": "value of Email"]))
  }

  @Test("The beginning of several names is refused with a reason")
  func several() async throws {
    let session = try WatchedSession()
    let reply = try await session.frontEnd.begin(
      FrontEndSession.screen(Self.response(["Phone", "Photo"])))
    try await session.watched.seeRow("Choose 1-2: |")
    try session.watched.type("pho\r")
    try await session.watched.see("✗ Several names begin with “pho”. Type more of the name.")
    try await session.watched.seeRow("Choose 1-2: |")
    try session.watched.type("photo\r")
    try await expectEqual(reply.value, .submit(["pick": "value of Photo"]))
  }

  @Test(
    "Yes and no are understood in the language of the words and in English, and Enter is no",
    arguments: [
      ("j", true), ("ja", true), ("Y", true), ("yes", true), ("n", false), ("no", false),
      ("", false),
    ])
  func yesOrNo(typed: String, expected: Bool) async throws {
    let session = try WatchedSession(words: .german)
    let answering = Task { try await session.frontEnd.confirm("Erneut anmelden?") }
    try await session.watched.seeRow("Erneut anmelden? [j/N]: |")
    try session.watched.type("\(typed)\r")
    try await expectEqual(answering.value, expected)
  }

  @Test(
    "At a yes-or-no question, a password that is typed is not shown, and ? shows the help",
    .promise("typed-secret"))
  func confirmation() async throws {
    let session = try WatchedSession()
    let answering = Task {
      try await session.frontEnd.confirm("Sign in again?", help: "With yes, you sign in now.")
    }
    let row = "Sign in again? [y/N]: |"
    try await session.watched.seeRow(row)
    try session.watched.type("Analytical-1843\r")
    let refused = try await session.watched.see("the reason and the question") {
      $0.text.contains("✗ Type y for yes or n for no.") && $0.cursorRow == row
    }
    expect(!refused.text.contains("nalytical") && !refused.text.contains("1843"))
    try session.watched.type("?\r")
    try await session.watched.see("the help and the question") {
      $0.text.contains("With yes, you sign in now.") && $0.cursorRow == row
    }
    // An answer is shown while it is typed.
    try await session.watched.type("ye", seeing: "Sign in again? [y/N]: ye|")
    try session.watched.type("s\r")
    try await expectEqual(answering.value, true)
  }

  @Test("The words of the terminal are those of the app")
  func words() async throws {
    var words = Words.german
    words["terminal.choose"] = "Wahl 1 bis {count}"
    let session = try WatchedSession(words: words)
    let reply = try await session.frontEnd.begin(
      FrontEndSession.screen(Self.response(["Email", "Phone"])))
    try await session.watched.seeRow("Wahl 1 bis 2: |")
    try session.watched.type("?\r")
    try await session.watched.see("Andere Möglichkeiten")
    await reply.end()
  }
}
