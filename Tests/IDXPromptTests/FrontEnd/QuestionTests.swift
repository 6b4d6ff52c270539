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

  @Test("An answer that is too short or too long is refused before any request")
  func lengths() async throws {
    let server = CannedServer(.response([code(["minLength": 6, "maxLength": 6])]))
    var session = try TerminalSession(server)
    try await session.answer("Code: ", "12345")
    try await session.answer("Code: ", "1234567")
    try await session.answer("Code: ", "")
    try await session.answer("Code: ", "123456")
    _ = try await session.end()
    expectEqual(
      session.shown,
      """
      Verify with an authenticator
      Code: 12345
        ✗ It must have at least 6 characters.
      Code: 1234567
        ✗ It must have at most 6 characters.
      Code: 
        ✗ Enter an answer.
      Code: 123456

      """)
    await expectEqual(
      server.answers, [#"challenge-authenticator {"credentials":{"passcode":"123456"}}"#])
  }

  @Test("Who is signing in is said if it is not what was typed, and once")
  func person() async throws {
    let identify: JSONValue = .form("identify", ["name": "identifier", "required": true])
    let user: JSONValue = ["value": ["identifier": "ada@example.com"]]
    for (typed, note) in [
      ("ada", "  Signing in as ada@example.com.\n"), ("Ada@Example.com", ""),
    ] {
      let server = CannedServer(
        .response([identify]), .response([code()], says: [], ["user": user]),
        .response([code(["label": "Next code"])], says: [], ["user": user]))
      var session = try TerminalSession(server)
      for (prompt, text) in [("Username: ", typed), ("Code: ", "1"), ("Next code: ", "2")] {
        try await session.answer(prompt, text)
      }
      _ = try await session.end()
      expectContains(session.shown, "\(typed)\n\n\(note)Verify with an authenticator\n")
      expectEqual(
        session.shown.components(separatedBy: "Signing in as").count, note.isEmpty ? 1 : 2)
    }
  }

  @Test(
    "A code may be typed in groups",
    arguments: ["123 456", " 123456 ", "123-456", "12 34 56"])
  func groups(typed: String) async throws {
    let server = CannedServer(.response([code(["maxLength": 6])]))
    var session = try TerminalSession(server)
    try await session.answer("Code: ", typed)
    _ = try await session.end()
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
    var session = try TerminalSession(server)
    try await session.answer("Your first pet? ", "Rex")
    _ = try await session.end()
    await expectEqual(
      server.answers,
      [
        #"first {"way":{"key":"pet"}}"#,
        #"second {"way":{"questionKey":"pet","answer":"Rex"}}"#,
      ])
    expectContains(session.shown, "Way: Your first pet?\n")
    expect(!session.shown.contains("By phone"))
  }

  @Test(
    "A secret and a username of digits are sent as they were typed, and the secret is not shown")
  func secret() async throws {
    let server = CannedServer(.response([code(["label": "Password", "secret": true])]))
    var session = try TerminalSession(server)
    try await session.answer("Password: ", " 123 456 ")
    _ = try await session.end()
    expectEqual(session.shown, "Verify with an authenticator\nPassword: ••••••••\n")
    await expectEqual(
      server.answers, [#"challenge-authenticator {"credentials":{"passcode":" 123 456 "}}"#])

    let passcode: JSONValue = ["name": "passcode", "label": "Password", "required": true]
    let other = CannedServer(
      .response([
        .form(
          "identify", ["name": "identifier", "label": "Username", "required": true],
          ["name": "credentials", "form": ["value": [passcode]]])
      ]))
    session = try TerminalSession(other)
    try await session.answer("Username: ", "1234-5678 9")
    try await session.answer("Password: ", "12 34")
    _ = try await session.end()
    await expectEqual(
      other.answers,
      [
        #"identify {"identifier":"1234-5678 9","credentials":{"passcode":"12 34"}}"#
      ])
  }

  @Test(
    "Yes and no have several spellings, and Enter is the default",
    arguments: [
      ("y", nil, "(y/n)", "true"), ("YES", nil, "(y/n)", "true"), (" no ", nil, "(y/n)", "false"),
      ("", true, "[Y/n]", "true"), ("", false, "[y/N]", "false"), ("n", true, "[Y/n]", "false"),
    ] as [(String, Bool?, String, String)])
  func confirmation(typed: String, preset: Bool?, hint: String, sent: String) async throws {
    let server = CannedServer(
      .response([
        .form(
          "consent",
          [
            "name": "agree", "label": "Agree", "type": "boolean", "required": true,
            "value": preset.map(JSONValue.bool) ?? nil,
          ])
      ]))
    var session = try TerminalSession(server)
    try await session.answer("Agree \(hint): ", typed)
    _ = try await session.end()
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
    let server = CannedServer(
      .response([
        .form(
          "consent",
          [
            "name": "agree", "label": "Agree?", "type": "boolean", "required": true,
            "options": [
              ["label": isSwapped ? .string(no) : "Allow", "value": true],
              ["label": isSwapped ? "Allow" : .string(no), "value": false],
            ],
          ])
      ]))
    var session = try TerminalSession(server)
    try await session.answer("Choose 1-2: ", typed)
    _ = try await session.end()
    await expectEqual(server.answers, [#"consent {"agree":\#(sent)}"#])
  }

  @Test("Another answer than yes or no is refused, and so is an empty one if it is required")
  func noConfirmation() async throws {
    let server = CannedServer(
      .response([
        .form(
          "consent", ["name": "agree", "label": "Agree", "type": "boolean", "required": true])
      ]))
    var session = try TerminalSession(server)
    try await session.answer("(y/n): ", "maybe")
    try await session.answer("(y/n): ", "")
    try await session.answer("(y/n): ", "y")
    _ = try await session.end()
    expectEqual(
      session.shown,
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
    var session = try TerminalSession(server)
    try await session.answer("Nickname (optional): ")
    try await session.answer("City [Oslo]: ")
    try await session.answer("News [y/N]: ")
    try await session.answer("Choose 1-2 (optional): ")
    _ = try await session.end()
    expectEqual(
      session.shown,
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
    let org = makeOrg(.init(start: .withPassword))
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "a guess")
    try await session.answer("Password: ", "Analytical-1843")
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
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
    session = try TerminalSession(server)
    try await session.answer("Name: ", "ada")
    try await session.answer("Password: ", "first")
    try await session.answer("Note: ", "mine")
    try await session.answer("Password: ", "second")
    try await session.answer("Note [theirs]: ", "")
    try await session.answer("Site: ", "north")
    _ = try await session.end()
    await expectEqual(
      server.answers.last,
      #"identify {"identifier":"ada","credentials":{"passcode":"second"},"note":"theirs","site":"north"}"#
    )
  }

  @Test("An answer that was hidden is not shown when the server asks again in the clear")
  func hiddenUsername() async throws {
    let hidden: JSONValue = [
      "name": "identifier", "label": "Name", "required": true, "secret": true,
    ]
    let shown: JSONValue = ["name": "identifier", "label": "Name", "required": true]
    let server = CannedServer(
      .response([.form("identify", hidden)]),
      .response([.form("identify", shown)], says: [.message("No.", "ERROR")]))
    var session = try TerminalSession(server)
    try await session.answer("Name: ", "hunter2")
    try await session.answer("Name: ", "ada")
    _ = try await session.end()
    expect(!session.shown.contains("hunter2"))
  }

  @Test("A wrong username can be changed, and is suggested")
  func wrongUsername() async throws {
    let org = makeOrg(.init(start: .withPassword))
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "adda@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("Password: ", "?")
    try await session.answer("go back: ", "change")
    try await session.answer("Username [adda@example.com]: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
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

  @Test("Ctrl-D cancels the sign-in at any prompt", arguments: 1...3)
  func endOfInput(prompt: Int) async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    if prompt > 1 {
      try await session.answer("Username: ", "ada@example.com")
    } else {
      try await session.type("\u{4}", at: "Username: ")
    }
    if prompt > 2 {
      try await session.answer("Password: ", "Analytical-1843")
      try await session.type("\u{4}", at: "Choose 1-3: ")
    } else if prompt > 1 {
      try await session.type("\u{4}", at: "Password: ")
    }
    try await expect(session.end().isCancelled)
    expectSuffix(session.shown, ": \n")
    expectEqual(session.pseudo.settings, session.before)
    await expectEqual(org.requests.last, "POST /idp/idx/cancel")
  }

  @Test("After a cancellation at a secret, the terminal echoes again, and the server is told")
  func cancelled() async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await session.answer("Username: ", "ada@example.com")
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
