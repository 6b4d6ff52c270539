import Expectations
import IDX
import IDXBase
import IDXPrompt
import IDXQRCode
import IDXFlow
import TerminalSupport
import Testing

/// The key of an authenticator app and its QR code, in windows of several sizes.
struct KeyDisplayTests {
  private static let response = response(key: "JBSWY3DPEHPK3PXP")

  private static func response(key: String) -> JSONValue {
    JSONValue.response(
      [.form("enroll-authenticator", ["name": "passcode", "label": "Code", "required": true])],
      .current(
        "google_otp", "Google Authenticator", ["sharedSecret": .string(key)],
        username: "ada@example.com"))
  }

  private static let prompt = "Code: |"

  private func begin(
    _ columns: Int, _ rows: Int, _ environment: [String: String] = FrontEndSession.animated,
    response: JSONValue = response
  ) async throws -> (WatchedSession, Task<Reply, any Error>) {
    let session = try WatchedSession(columns: columns, rows: rows, environment: environment)
    let screen = try await FrontEndSession.screen(response, isFirst: true)
    return (session, session.frontEnd.begin(screen))
  }

  private func rowsOfCode(_ screen: TerminalScreen) -> Int {
    screen.text.split(separator: "\n").count { $0.contains("▀▀") || $0.contains("██") }
  }

  @Test(
    "A key is in groups of four, however the server writes it",
    arguments: ["jbsw y3dp ehpk 3pxp", "JBSW-Y3DP-EHPK-3PXP", "JBSWY3DPEHPK3PXP===="])
  func groups(key: String) async throws {
    let (session, task) = try await begin(100, 50, response: Self.response(key: key))
    let screen = try await session.watched.seeRow(Self.prompt)
    expectContains(screen.text, "  JBSW Y3DP EHPK 3PXP\n")
    await task.end()
  }

  @Test(
    "With the code, the key and the question are in the window",
    arguments: [(80, 23), (80, 24), (60, 26), (120, 50)])
  func fits(columns: Int, rows: Int) async throws {
    let (session, task) = try await begin(columns, rows)
    let screen = try await session.watched.seeRow(Self.prompt)
    expect(rowsOfCode(screen) > 15, "\(screen.text)")
    expectContains(screen.text, "JBSW Y3DP EHPK 3PXP")
    expectContains(screen.text, "Or scan this QR code:")
    let whole = screen.wholeText.replacing("\n", with: "")
    // In a small window, the heading stays, and the link comes with the key when it is shown again.
    expect(screen.text.contains("Set up Google Authenticator") == (rows > 23))
    expectEqual(whole.contains("?secret=JBSWY3DPEHPK3PXP&"), rows > 26)
    expectEqual(whole.matches(of: /JBSW Y3DP/).count, 1)
    await task.end()
  }

  @Test(
    "A code is drawn whole in every window that it needs, with what follows it, and in no other",
    arguments: [NoColor.unset, .set], (18...30).sample(every: 4))
  func whole(noColor: NoColor, rows: Int) async throws {
    let environment = FrontEndSession.animated.merging(noColor.environment) { $1 }
    let session = try WatchedSession(columns: 80, rows: rows, environment: environment)
    var screen = try await FrontEndSession.screen(Self.response, isFirst: true)
    screen.notes = ["A note that is shown below the code", "Another one"]
    let reply = session.frontEnd.begin(screen)
    let shown = try await session.watched.seeRow(Self.prompt)
    let uri = try require(screen.setUp?.uri).text.revealed
    let code = try QRCode(uri, correction: .low)
    let zone = [1, 2, 4].first { zone in
      let drawing = code.lines(quietZone: zone).map {
        $0.replacing(/\u{1B}\[[0-9;]*m/, with: "").replacing(/\ +$/, with: "")
      }
      return ("\n" + shown.text).contains("\n" + drawing.joined(separator: "\n") + "\n")
    }
    // Below the 20 rows of the code are the notes and the question.
    expectEqual(zone != nil, rows >= 23, "\(shown.text)")
    let needed = "The QR code needs a window of 39 columns and 23 rows"
    expectEqual(shown.wholeText.contains(needed), rows < 23)
    expectContains(shown.text, "Another one")
    await reply.end()
  }

  enum NoColor {
    case unset, set
    var environment: [String: String] { self == .set ? ["NO_COLOR": "1"] : [:] }
  }

  @Test("A code that does not fit is drawn when the window has been made large enough")
  func grows() async throws {
    let (session, task) = try await begin(60, 20)
    let small = try await session.watched.seeRow(Self.prompt)
    expectEqual(rowsOfCode(small), 0)
    expectContains(small.text, "The QR code needs a window of 39 columns and 21 rows")
    try await session.watched.type("12", seeing: "Code: 12|")
    session.watched.resize(columns: 60, rows: 40)
    session.terminal.resized()
    try await session.watched.see("the code") { $0.text.contains("Or scan this QR code:") }
    let large = try await session.watched.seeRow("Code: 12|")
    expect(rowsOfCode(large) > 15, "\(large.text)")
    await task.end()
  }

  @Test("The key can be shown again")
  func again() async throws {
    let (session, task) = try await begin(60, 20)
    try await session.watched.seeRow(Self.prompt)
    try session.watched.type("?\r")
    try await session.watched.see("1  Show the key again")
    try await session.watched.seeRow("Choose 1-2, or Enter to go back: |")
    let screen = try await session.watched.type("1\r", seeing: Self.prompt)
    let parts = screen.wholeText.split(separator: "Show the key again")
    expectEqual(parts.last?.contains("JBSW Y3DP EHPK 3PXP"), true)
    await task.end()
  }

  @Test("In accessible mode the code is not drawn and nothing is replaced")
  func accessible() async throws {
    let environment = FrontEndSession.animated.merging(["IDX_FLOW_ACCESSIBLE": "1"]) { $1 }
    let (session, task) = try await begin(80, 50, environment)
    let screen = try await session.watched.seeRow(Self.prompt)
    expect(rowsOfCode(screen) == 0 && screen.changes == 0)
    await task.end()
  }

  @Test(
    "A code with other characters or another length is not sent", arguments: ["12345", "l23456"])
  func impossible(typed: String) async throws {
    let (session, task) = try await begin(80, 30)
    try await session.watched.seeRow(Self.prompt)
    try session.watched.type("\(typed)\r")
    try await session.watched.see("✗ The code has 6 digits.")
    try await session.watched.seeRow(Self.prompt)
    try session.watched.type("123 456\r")
    try await expectEqual(task.value, .submit(["passcode": "123 456"]))
  }
}
