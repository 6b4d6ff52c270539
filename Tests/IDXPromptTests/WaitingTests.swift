import IDXBase
import IDX
import IDXFlow
import IDXPrompt
import Testing

@Suite struct WaitingTests {
  private static func response(
    _ poll: String = "challenge-poll", key: String = "okta_verify", name: String = "Okta Verify",
    _ data: JSONValue = [:], profile: JSONValue = [:]
  ) -> JSONValue {
    .response(
      [
        .form(poll, relatesTo: ["$.currentAuthenticator"]),
        .form("select-authenticator-authenticate", ["name": "authenticator"]),
      ], says: [],
      [
        "currentAuthenticator": [
          "value": [
            "type": "app", "key": .string(key), "displayName": .string(name),
            "contextualData": data, "profile": profile,
          ]
        ]
      ])
  }

  @Test("What is waited for stands on a line that moves, until there is news")
  func news() async throws {
    let encounter = try Encounter()
    let step = try await Encounter.step(Self.response(profile: ["deviceName": "Ada's phone"]))
    let waiting = Task { try await encounter.prompter.wait(at: step) }
    let text = "Waiting for Okta Verify (Ada's phone)…"
    #expect(try await encounter.shown(until: "\u{1B}[K").contains("⠋ \(text) · ? for other ways"))
    encounter.beat()
    #expect(try await encounter.shown(until: "\u{1B}[K").contains("⠙ \(text)"))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(encounter.pseudo.settings == encounter.before)
    #expect(try await encounter.pseudo.shown(count: 4) == "\r\u{1B}[K")
  }

  @Test("? lists what else can be done; Enter goes back to waiting, a number is the reply")
  func alternatives() async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let step = try await Encounter.step(Self.response())
    let waiting = Task { try await encounter.prompter.wait(at: step) }
    let line = "Waiting for Okta Verify… (? for other ways)\n"
    #expect(try await encounter.shown(until: "\n") == line)
    try await encounter.press("?\n")
    let list = """
      What else can be done here
        1  Verify in another way
        2  Quit
      Choose [1-2], or Enter to go back: 
      """
    #expect(try await encounter.shown(until: "back: ") == list)
    try encounter.pseudo.type("\n")
    #expect(try await encounter.shown(until: "ways)\r\n") == "\n" + line)
    try await encounter.press("?\n")
    #expect(try await encounter.shown(until: "back: ") == list)
    try encounter.pseudo.type("1\n")
    guard case .instead(let form) = try await waiting.value else {
      Issue.record("another reply")
      return
    }
    #expect(form.name == .selectAuthenticatorAuthenticate)
  }

  @Test("Ctrl-D gives the sign-in up")
  func endOfInput() async throws {
    let encounter = try Encounter()
    let step = try await Encounter.step(Self.response())
    let waiting = Task { try await encounter.prompter.wait(at: step) }
    try await encounter.press("\u{4}")
    guard case .cancel = try await waiting.value else {
      Issue.record("another reply")
      return
    }
    #expect(encounter.pseudo.settings == encounter.before)
  }

  @Test("News while the list is open takes the question away")
  func newsAtList() async throws {
    let encounter = try Encounter()
    let step = try await Encounter.step(Self.response())
    let waiting = Task { try await encounter.prompter.wait(at: step) }
    try await encounter.press("?\n")
    _ = try await encounter.shown(until: "back: ")
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(encounter.pseudo.settings == encounter.before)
  }

  @Test(
    "Each kind of wait says what the person is to do",
    arguments: [
      (Self.response("enroll-poll", ["selectedChannel": "qrcode"]), "the QR code to be scanned"),
      (
        Self.response("enroll-poll", ["selectedChannel": "email"]),
        "the link in the mail to be opened"
      ),
      (
        Self.response("enroll-poll", ["selectedChannel": "sms"]),
        "the link in the text message to be opened"
      ),
      (
        Self.response(key: "okta_email", name: "Email", ["selectedChannel": "sms"]),
        "the link in the mail to be opened"
      ),
      (Self.response(key: "custom_app", name: "Shop\u{1B}[2J app"), "Shop app"),
    ])
  func kinds(response: JSONValue, subject: String) async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let step = try await Encounter.step(response)
    let waiting = Task { try await encounter.prompter.wait(at: step) }
    #expect(
      try await encounter.shown(until: "\n") == "Waiting for \(subject)… (? for other ways)\n")
    waiting.cancel()
    _ = await waiting.result
  }

  @Test("How much longer it is waited is told, of what is left when the wait begins")
  func timeLeft() async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let step = try await Encounter.step(Self.response(), timeLeft: .milliseconds(272_500))
    let waiting = Task { try await encounter.prompter.wait(at: step) }
    #expect(
      try await encounter.shown(until: "\n")
        == "Waiting for Okta Verify… 4:33 left (? for other ways)\n")
    waiting.cancel()
    _ = await waiting.result
  }

  @Test("The number to choose on the phone is shown large, and news ends the wait")
  func number() async throws {
    let waiting = Self.response(
      "challenge-poll", ["correctAnswer": "42\n\u{1B}[2J"])
    let code: JSONValue = ["name": "code", "label": "Code", "required": true]
    let server = CannedServer(waiting, .response([.form("other", code)]))
    let polls = AsyncStream.makeStream(of: Void.self)
    var session = try TerminalSession(
      server,
      sleep: { _ in
        for await _ in polls.stream { return }
        try Task.checkCancellation()
      })
    try await session.type("", at: "other ways)\r\n")
    polls.continuation.yield()
    try await session.answer("Code: ", "123")
    _ = try await session.end()
    #expect(
      session.shown == """
        Verify with Okta Verify
          Choose 42 in Okta Verify:

            ██  ██  ██████
            ██  ██      ██
            ██████  ██████
                ██  ██
                ██  ██████

        Waiting for Okta Verify… 5:00 left (? for other ways)
          ✓ Approved.
        Other
        Code: 123

        """)
    #expect(await server.answers == ["challenge-poll {}", #"other {"code":"123"}"#])
    #expect(session.pseudo.settings == session.before)
  }
}
