import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXPrompt
import IDXSimulatedOrg
import Testing

struct MenuTests {
  @Test("A letter alone chooses nothing that begins with it, beside a question")
  func otherLetter() async throws {
    // “s” skips where that is offered, and must not start over beside the question.
    let (shown, result) = try await TerminalSession.play(
      makeOrg(), signingIn: true,
      [
        "Choose 1-3: ": "?", "go back: ": "s", "go back: ": "b", "go back: ": "r", "go back: ": "q",
        "go back: ": "", "Choose 1-3: ": "s",
      ])
    expect(result.isSignedIn)
    expect(!shown.contains("Username: ada@example.com\nPassword: \nSign in to"))
  }

  @Test("? lists the other options at a text, a secret, a choice and a yes or no; Enter goes back")
  func everywhere() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(),
      [
        "Username: ": "?", "go back: ": "", "Username: ": "ada@example.com",
        "Password: ": "?", "go back: ": "7", "go back: ": "", "Password: ": "Analytical-1843",
        "Choose 1-3: ": "?", "go back: ": "", "Choose 1-3: ": "3",
      ])
    expect(result.isSignedIn)
    expectEqual(
      shown,
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
    _ = try await TerminalSession.play(server, ["Agree (y/n): ": "?", "go back: ": "sk"])
    await expectEqual(server.answers, ["skip {}"])
  }

  @Test("Another authenticator can be set up instead")
  func another() async throws {
    let (shown, _) = try await TerminalSession.play(
      makeOrg(), signingIn: true,
      [
        "Choose 1-3: ": "2", "Code: ": "?", "go back: ": "set up something else",
        "Choose 1-2: ": "1", "Code: ": "\u{4}",
      ])
    expectContains(
      shown,
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
    var session = try TerminalSession(org)
    try await session.signIn()
    try await session.answer(["Code: ": "?"])
    let old = try await require(org.mailbox.lastCode(to: "ada@example.com"))
    try await session.answer(["go back: ": "send", "Code: ": old])
    let new = try await require(org.mailbox.lastCode(to: "ada@example.com"))
    try await session.answer(["Code: ": new])
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

  @Test("From the menu, the person can start over without the earlier answers")
  func startOver() async throws {
    let (shown, _) = try await TerminalSession.play(
      makeOrg(), signingIn: true,
      ["Choose 1-3: ": "?", "go back: ": "1", "Username: ": "\u{4}"])
    expectSuffix(
      shown,
      """
      Choose 1-2, or Enter to go back: 1

      Sign in to Demo app
      Username: 

      """)
  }

  @Test("Quit cancels the sign-in and tells the server", arguments: ["2", "quit", "Qu"])
  func quit(typed: String) async throws {
    let org = makeOrg()
    let (_, result) = try await TerminalSession.play(
      org, ["Username: ": "?", "go back: ": typed])
    expect(result.isCancelled)
    await expectEqual(org.requests.last, "POST /idp/idx/cancel")
  }
}

struct ChoosingFormTests {
  private let response = JSONValue.response([.form("resend"), .form("skip")])

  private func choose(_ lines: String...) async throws -> (Reply, String) {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let choosing = try await session.frontEnd.begin(FrontEndSession.screen(response))
    var shown = ""
    for line in lines {
      shown += try await session.shown(until: "Choose 1-3: ")
      try session.pseudo.type(line)
    }
    return (try await choosing.value, shown)
  }

  @Test(
    "Forms are chosen by number or by name; Quit is one of them, and Ctrl-D cancels",
    arguments: [
      ("1\n", .choose("")), ("skip for now\n", .choose("skip")), ("3\n", .choose(Screen.quitID)),
      ("quit\n", .choose(Screen.quitID)), ("\u{4}", .cancel),
    ] as [(String, Reply)])
  func forms(keys: String, expected: Reply) async throws {
    let (reply, _) = try await choose(keys)
    expectEqual(reply, expected)
  }

  @Test("? lists the forms again, and a wrong choice is refused")
  func listed() async throws {
    let (reply, shown) = try await choose("?\n", "\n", "4\n", "send it again\n")
    expectEqual(reply, .choose(""))
    expectEqual(
      shown,
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

  @Test("After a wait without success, the title says so")
  func timeout() async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let response = JSONValue.response([.form("poll"), .form("skip"), .form("resend")])
    let choosing = try await session.frontEnd.begin(
      FrontEndSession.screen(response, isFirst: true, timeLeft: .zero))
    let shown = try await session.shown(until: "Choose 1-3: ")
    expectPrefix(shown, "Nothing happened in time. Choose what to do next\n  1  Skip")
    await choosing.end()
  }
}
