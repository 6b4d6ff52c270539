import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXPrompt
import IDXSimulatedOrg
import Testing

struct OtherOptionTests {
  private func begin(_ org: SimulatedOrg) async throws -> TerminalSession {
    var session = try TerminalSession(org)
    try await session.signIn()
    return session
  }

  @Test("A letter alone chooses nothing that begins with it, beside a question")
  func otherLetter() async throws {
    var session = try await begin(makeOrg())
    try await session.answer("Choose 1-3: ", "?")
    // “s” skips where that is offered, and must not start over here.
    for letter in ["s", "b", "r", "q"] { try await session.answer("go back: ", letter) }
    try await session.answer("go back: ")
    try await session.answer("Choose 1-3: ", "s")
    try await expect(session.end().isSignedIn)
    expect(!session.shown.contains("Username: ada@example.com\nPassword: \nSign in to"))
  }

  @Test("? lists the other options at a text, a secret, a choice and a yes or no; Enter goes back")
  func everywhere() async throws {
    var session = try TerminalSession(makeOrg())
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ")
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "?")
    try await session.answer("go back: ", "7")
    try await session.answer("go back: ")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("Choose 1-3: ", "?")
    try await session.answer("go back: ")
    try await session.answer("Choose 1-3: ", "3")
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
      """
      Sign in to Demo app
      Username: ?
      Other options
        1  Start over
        2  Quit
      Choose 1-2, or Enter to go back: 
      Username: ada@example.com
      Password: 
      Other options
        1  Start over
        2  Quit
      Choose 1-2, or Enter to go back: 7
        ✗ Type a number or the beginning of a name from the list.
      Choose 1-2, or Enter to go back: 
      Password: ••••••••
      \(TerminalSession.secondFactors)?
      Other options
        1  Start over
        2  Quit
      Choose 1-2, or Enter to go back: 
        1  Google Authenticator
        2  Email
        3  Skip for now
      Choose 1-3: 3

      """)

    let agree: JSONValue = ["name": "agree", "label": "Agree", "type": "boolean", "required": true]
    let server = CannedServer(.response([.form("consent", agree), .form("skip")]))
    session = try TerminalSession(server)
    try await session.answer("Agree (y/n): ", "?")
    try await session.answer("go back: ", "sk")
    _ = try await session.end()
    await expectEqual(server.answers, ["skip {}"])
  }

  @Test("Another authenticator can be set up instead")
  func another() async throws {
    let org = makeOrg()
    var session = try await begin(org)
    try await session.answer("Choose 1-3: ", "2")
    try await session.answer("Code: ", "?")
    try await session.answer("go back: ", "set up something else")
    try await session.answer("Choose 1-2: ", "1")
    try await session.type("\u{4}", at: "Code: ")
    try await expect(session.end().isCancelled)
    expectContains(
      session.shown,
      """
      Set up your email
        Open the link in the email that was sent to you, or enter its code.
        Didn't arrive? Type ?
      Code: ?
      Other options
        1  Set up something else
        2  Skip for now
        3  Send it again
        4  Start over
        5  Quit
      Choose 1-5, or Enter to go back: set up something else

      Set up a second factor
        It protects your account if somebody else knows your password.
        1  Google Authenticator
        2  Skip for now
      Choose 1-2: 1

      Set up Google Authenticator

      """)
  }

  @Test("Sending again creates a new code, and the old one is refused")
  func resend() async throws {
    let org = makeOrg(.required(.email))
    var session = try await begin(org)
    try await session.answer("Code: ", "?")
    let old = try await require(org.mailbox.lastCode(to: "ada@example.com"))
    try await session.answer("go back: ", "send")
    try await session.answer("Code: ", old)
    let new = try await require(org.mailbox.lastCode(to: "ada@example.com"))
    try await session.answer("Code: ", new)
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
      """
      \(TerminalSession.signedIn)

      Set up your email
        Open the link in the email that was sent to you, or enter its code.
        Didn't arrive? Type ?
      Code: ?
      Other options
        1  Send it again
        2  Start over
        3  Quit
      Choose 1-3, or Enter to go back: send
        ✓ Sent again.

      Set up your email
        Open the link in the email that was sent to you, or enter its code.
        Didn't arrive? Type ?
      Code: \(old)
        ✗ The code is wrong.
      Code: \(new)
        ✓ Email is set up.

      """)
  }

  @Test("From the menu, the person can skip, or start over without the earlier answers")
  func skipOrStartOver() async throws {
    let org = makeOrg()
    var session = try await begin(org)
    try await session.answer("Choose 1-3: ", "1")
    try await session.answer("Code: ", "?")
    try await session.answer("go back: ", "skip")
    try await expect(session.end().isSignedIn)
    await expectContains(org.requests, "POST /idp/idx/skip")

    session = try await begin(makeOrg())
    try await session.answer("Choose 1-3: ", "?")
    try await session.answer("go back: ", "1")
    try await session.type("\u{4}", at: "Username: ")
    try await expect(session.end().isCancelled)
    expectSuffix(
      session.shown,
      """
      Choose 1-2, or Enter to go back: 1

      Sign in to Demo app
      Username: 

      """)
  }

  @Test("Quit cancels the sign-in and tells the server", arguments: ["2", "quit", "Qu"])
  func quit(typed: String) async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ", typed)
    try await expect(session.end().isCancelled)
    await expectEqual(org.requests.last, "POST /idp/idx/cancel")
  }
}

struct ChoosingFormTests {
  private let response = JSONValue.response([.form("resend"), .form("skip")])

  private func choose(_ lines: String...) async throws -> (Reply, String) {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let screen = try await FrontEndSession.screen(FrontEndSession.step(response))
    let choosing = Task { try await session.frontEnd.reply(to: screen) }
    var shown = ""
    for line in lines {
      shown += try await session.shown(until: "Choose 1-3: ")
      try session.pseudo.type(line)
    }
    return (try await choosing.value, shown)
  }

  @Test("Forms are chosen by number or by name; ? lists them again, and a wrong choice is refused")
  func forms() async throws {
    for line in ["1\n", "send it again\n"] {
      let (reply, shown) = try await choose(line)
      expectEqual(reply, .choose(""))
      expectEqual(
        shown,
        """
          1  Send it again
          2  Skip for now
          3  Quit
        Choose 1-3: 
        """)
    }

    let (_, again) = try await choose("?\n", "\n", "4\n", "2\n")
    expectEqual(
      again,
      """
        1  Send it again
        2  Skip for now
        3  Quit
      Choose 1-3: ?
        1  Send it again
        2  Skip for now
        3  Quit
      Choose 1-3: 
        ✗ Type a number or the beginning of a name from the list.
      Choose 1-3: 4
        ✗ Type a number or the beginning of a name from the list.
      Choose 1-3: 
      """)
  }

  @Test("Quit and Ctrl-D cancel the sign-in", arguments: ["3\n", "quit\n", "\u{4}"])
  func quit(keys: String) async throws {
    let screen = try await FrontEndSession.screen(FrontEndSession.step(response))
    let (reply, _) = try await choose(keys)
    guard case .cancel = try screen.decision(on: reply) else {
      Issue.record("another reply")
      return
    }
  }

  @Test("After a wait without success, the title says so")
  func timeout() async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let response = JSONValue.response([.form("poll"), .form("skip"), .form("resend")])
    let step = try await FrontEndSession.step(response, timeLeft: .zero)
    let screen = try await FrontEndSession.screen(step, isFirst: true)
    let choosing = Task { try await session.frontEnd.reply(to: screen) }
    let shown = try await session.shown(until: "Choose 1-3: ")
    expectPrefix(shown, "Nothing happened in time. Choose what to do next\n  1  Skip")
    choosing.cancel()
    _ = await choosing.result
  }
}
