import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

struct QuestionTests {
  private func code(_ more: JSONValue = [:]) -> JSONValue {
    var field = JSONValue.Object([
      .init("name", "passcode"), .init("label", "Code"), .init("required", true),
    ])
    for member in more.object?.members ?? [] { field[member.name] = member.value }
    let form: JSONValue = ["value": [.object(field)]]
    return .form(
      "challenge-authenticator", ["name": "credentials", "required": true, "form": form])
  }

  @Test("Who is signing in is said if it is not what was typed, and once")
  func person() async throws {
    let identify: JSONValue = .form("identify", ["name": "identifier", "required": true])
    let user: JSONValue = ["user": ["value": ["identifier": "ada@example.com"]]]
    for (typed, note) in [
      ("ada", "  Signing in as ada@example.com.\n"), ("Ada@Example.com", ""),
    ] {
      let server = CannedServer(
        .response([identify]), .response([code()], user),
        .response([code(["label": "Next code"])], user))
      let (shown, _) = try await TerminalSession.play(
        server, ["Username: ": typed, "Code: ": "1", "Next code: ": "2"])
      expectContains(shown, "\(typed)\n\n\(note)Verify with an authenticator\n")
      expectEqual(shown.matches(of: /Signing in as/).count, note.isEmpty ? 0 : 1)
    }
  }

  @Test(
    "A code may be typed in groups",
    arguments: ["123 456", " 123456 ", "123-456", "12 34 56"])
  func groups(typed: String) async throws {
    let server = CannedServer(.response([code(["maxLength": 6])]))
    _ = try await TerminalSession.play(server, ["Code: ": typed])
    await expectEqual(
      server.answers, [#"challenge-authenticator {"credentials":{"passcode":"123456"}}"#])
  }

  @Test("The only choice is not asked for, but shown if something else is asked about it")
  func onlyChoice() async throws {
    func question(_ key: String, _ label: String, _ fields: JSONValue...) -> JSONValue {
      let only: JSONValue = [
        "name": .string(key), "label": "Question", "required": true,
        "options": [["label": .string(label), "value": "pet"]],
      ]
      return ["label": .string(label), "value": ["form": ["value": .array([only] + fields)]]]
    }
    func form(_ name: String, _ option: JSONValue) -> JSONValue {
      .form(
        name, ["name": "way", "label": "Way", "required": true, "options": [option]])
    }
    let answer: JSONValue = ["name": "answer", "label": "Answer", "required": true]
    let server = CannedServer(
      .response([form("first", question("key", "By phone"))]),
      .response([form("second", question("questionKey", "Your first pet?", answer))]))
    let (shown, _) = try await TerminalSession.play(server, ["Your first pet? ": "Rex"])
    await expectEqual(
      server.answers,
      [
        #"first {"way":{"key":"pet"}}"#,
        #"second {"way":{"questionKey":"pet","answer":"Rex"}}"#,
      ])
    expectContains(shown, "Way: Your first pet?\n")
    expect(!shown.contains("By phone"))
  }

  @Test(
    "A secret and a username of digits are sent as they were typed, and the secret is not shown")
  func secret() async throws {
    let server = CannedServer(.response([code(["label": "Password", "secret": true])]))
    let (shown, _) = try await TerminalSession.play(server, ["Password: ": " 123 456 "])
    expectEqual(shown, "Verify with an authenticator\nPassword: ••••••••\n")
    await expectEqual(
      server.answers, [#"challenge-authenticator {"credentials":{"passcode":" 123 456 "}}"#])

    let passcode: JSONValue = ["name": "passcode", "label": "Password", "required": true]
    let other = CannedServer(
      .response([
        .form(
          "identify", ["name": "identifier", "label": "Username", "required": true],
          ["name": "credentials", "form": ["value": [passcode]]])
      ]))
    _ = try await TerminalSession.play(
      other, ["Username: ": "1234-5678 9", "Password: ": "12 34"])
    await expectEqual(
      other.answers,
      [#"identify {"identifier":"1234-5678 9","credentials":{"passcode":"12 34"}}"#])
  }

  private static let agree: JSONValue = [
    "name": "agree", "label": "Agree", "type": "boolean", "required": true,
  ]

  @Test(
    "Yes and no have several spellings, and Enter is the default",
    arguments: [
      ("y", nil, "(y/n)", "true"), ("YES", nil, "(y/n)", "true"), (" no ", nil, "(y/n)", "false"),
      ("", true, "[Y/n]", "true"), ("", false, "[y/N]", "false"), ("n", true, "[Y/n]", "false"),
    ] as [(String, Bool?, String, String)])
  func confirmation(typed: String, preset: Bool?, hint: String, sent: String) async throws {
    let agree = Self.agree.setting("value", preset.map(JSONValue.bool) ?? nil)
    let server = CannedServer(.response([.form("consent", agree)]))
    _ = try await TerminalSession.play(server, ["Agree \(hint): ": typed])
    await expectEqual(server.answers, [#"consent {"agree":\#(sent)}"#])
  }

  @Test(
    "A choice between yes and no understands these words, unless a name begins with them",
    arguments: [
      ("n", "Do not allow", "false"), ("yes", "Do not allow", "true"), ("n", "Never", "false"),
      ("n", "Nobody else", "true"),
    ])
  func yesOrNoChoice(typed: String, no: String, sent: String) async throws {
    let isSwapped = no.hasPrefix("Nobody")
    let options: JSONValue = [
      ["label": isSwapped ? .string(no) : "Allow", "value": true],
      ["label": isSwapped ? "Allow" : .string(no), "value": false],
    ]
    let server = CannedServer(
      .response([.form("consent", Self.agree.setting("options", options))]))
    _ = try await TerminalSession.play(server, ["Choose 1-2: ": typed])
    await expectEqual(server.answers, [#"consent {"agree":\#(sent)}"#])
  }

  @Test("Another answer than yes or no is refused, and so is an empty one if it is required")
  func noConfirmation() async throws {
    let (shown, _) = try await TerminalSession.play(
      CannedServer(.response([.form("consent", Self.agree)])),
      ["(y/n): ": "maybe", "(y/n): ": "", "(y/n): ": "y"])
    expectEqual(
      shown,
      """
      The app asks for access
        Allow this only if you trust the app.
      Agree (y/n): maybe
        ✗ Type y for yes or n for no.
      Agree (y/n): 
        ✗ Type y for yes or n for no.
      Agree (y/n): y

      """)
  }

  @Test("Enter skips an optional answer, and accepts a suggested one")
  func optional() async throws {
    let server = CannedServer(
      .response([
        .form(
          "enroll-profile", ["name": "nickname", "label": "Nickname"],
          ["name": "city", "label": "City", "value": "Oslo"],
          ["name": "news", "label": "News", "type": "boolean"],
          [
            "name": "size",
            "options": [["label": "S", "value": "s"], ["label": "L", "value": "l"]],
          ])
      ]))
    let (shown, _) = try await TerminalSession.play(
      server,
      [
        "Nickname (optional): ": "", "City [Oslo]: ": "", "News [y/N]: ": "",
        "Choose 1-2 (optional): ": "",
      ])
    expectEqual(
      shown,
      """
      Sign up
        Your account is created with this information.
      Nickname (optional): 
      City [Oslo]: 
      News [y/N]: 
      Size:
        1  S
        2  L
      Choose 1-2 (optional): 

      """)
    await expectEqual(server.answers, [#"enroll-profile {"city":"Oslo"}"#])
  }

  @Test(
    "After a wrong password, all but the username is asked for again, and the password is never shown"
  )
  func wrongPassword() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(.init(start: .withPassword)),
      ["Username: ": "ada@example.com", "Password: ": "a guess", "Password: ": "Analytical-1843"])
    expect(result.isSignedIn)
    expectEqual(
      shown,
      """
      \(TerminalSession.signedIn)
        ✗ Sign-in failed. Check your username and password.
        Username: ada@example.com (type ? to change it)
      Password: ••••••••

      """)

    let name: JSONValue = ["name": "identifier", "label": "Name", "required": true]
    let secret: JSONValue = [
      "name": "credentials", "type": "object", "required": true,
      "form": ["value": [["name": "passcode", "label": "Password", "secret": true]]],
    ]
    let note: JSONValue = ["name": "note", "label": "Note", "required": true]
    let pin: JSONValue = ["name": "site", "label": "Site", "required": true]
    let server = CannedServer(
      .response([.form("identify", name, secret, note)]),
      .response(
        [.form("identify", name, secret, note.setting("value", "theirs"), pin)],
        says: [.message("No.", "ERROR")]))
    _ = try await TerminalSession.play(
      server,
      [
        "Name: ": "ada", "Password: ": "first", "Note: ": "mine",
        "Password: ": "second", "Note [theirs]: ": "", "Site: ": "north",
      ])
    await expectEqual(
      server.answers.last,
      #"identify {"identifier":"ada","credentials":{"passcode":"second"},"note":"theirs","site":"north"}"#
    )
  }

  @Test("An answer that was hidden is not shown when the server asks again in the clear")
  func hiddenUsername() async throws {
    let name: JSONValue = ["name": "identifier", "label": "Name", "required": true]
    let server = CannedServer(
      .response([.form("identify", name.setting("secret", true))]),
      .response([.form("identify", name)], says: [.message("No.", "ERROR")]))
    let (shown, _) = try await TerminalSession.play(
      server, ["Name: ": "hunter2", "Name: ": "ada"])
    expect(!shown.contains("hunter2"))
  }

  @Test("A wrong username can be changed, and is suggested")
  func wrongUsername() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(.init(start: .withPassword)),
      [
        "Username: ": "adda@example.com", "Password: ": "Analytical-1843",
        "Password: ": "?", "go back: ": "change",
        "Username [adda@example.com]: ": "ada@example.com", "Password: ": "Analytical-1843",
      ])
    expect(result.isSignedIn)
    expectEqual(
      shown,
      """
      Sign in to Demo app
      Username: adda@example.com
      Password: ••••••••
        ✗ Sign-in failed. Check your username and password.
        Username: adda@example.com (type ? to change it)
      Password: 
      Other options
        1  Change this answer: Username
        2  Start over
        3  Quit
      Choose 1-3, or Enter to go back: change
      Username [adda@example.com]: ada@example.com
      Password: ••••••••

      """)
  }

  @Test("Ctrl-D cancels the sign-in at any prompt", arguments: 0...2)
  func endOfInput(count: Int) async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    let prompts = ["Username: ", "Password: ", "Choose 1-3: "]
    for (prompt, line) in zip(prompts, ["ada@example.com", "Analytical-1843"].prefix(count)) {
      try await session.answer([prompt: line])
    }
    try await session.type("\u{4}", at: prompts[count])
    try await expect(session.end().isCancelled)
    expectSuffix(session.shown, ": \n")
    expectEqual(session.pseudo.settings, session.before)
    await expectEqual(org.requests.last, "POST /idp/idx/cancel")
  }

  @Test("After a cancellation at a secret, the terminal echoes again, and the server is told")
  func cancelled() async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await session.answer(["Username: ": "ada@example.com"])
    try await session.type("half", at: "Password: ")
    expect(!session.pseudo.settings.echoes)
    session.task.cancel()
    let result = try await session.end()
    #expect(throws: CancellationError.self) { try result.get() }
    expectEqual(session.shown, "Sign in to Demo app\nUsername: ada@example.com\nPassword: \n")
    expectEqual(session.pseudo.settings, session.before)
    await expectEqual(org.requests.last, "POST /idp/idx/cancel")
  }
}
