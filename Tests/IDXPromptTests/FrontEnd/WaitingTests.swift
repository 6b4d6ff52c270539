import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXPrompt
import Testing

struct WaitingTests {
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

  @Test("The reason for a wait is shown on an animated line until the wait ends")
  func updates() async throws {
    let session = try FrontEndSession()
    let screen = try await FrontEndSession.screen(
      await FrontEndSession.step(Self.response(profile: ["deviceName": "Ada's phone"])))
    let waiting = Task { try await session.frontEnd.reply(to: screen) }
    let text = "Waiting for Okta Verify (Ada's phone)…"
    try await expectContains(session.shown(until: "\u{1B}[K"), "⠋ \(text) · ? for other options")
    session.tick()
    try await expectContains(session.shown(until: "\u{1B}[K"), "⠙ \(text)")
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    expectEqual(session.pseudo.settings, session.before)
    try await expectEqual(session.pseudo.shown(count: 4), "\r\u{1B}[K")
  }

  @Test("? lists the other options; Enter goes back to waiting, a number is the reply")
  func alternatives() async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let screen = try await FrontEndSession.screen(FrontEndSession.step(Self.response()))
    let waiting = Task { try await session.frontEnd.reply(to: screen) }
    let line = "Waiting for Okta Verify… (? for other options)\n"
    try await expectEqual(session.shown(until: "\n"), line)
    try await session.press("?\n")
    let list = """
      Other options
        1  Verify in another way
        2  Quit
      Choose 1-2, or Enter to go back: 
      """
    try await expectEqual(session.shown(until: "back: "), list)
    try session.pseudo.type("\n")
    try await expectEqual(session.shown(until: "options)\r\n"), "\n" + line)
    try await session.press("?\n")
    try await expectEqual(session.shown(until: "back: "), list)
    try session.pseudo.type("1\n")
    try await expectEqual(waiting.value, .choose("select-authenticator-authenticate"))
  }

  @Test(
    "Ctrl-D cancels the sign-in, and the end of the wait closes the list; both restore the terminal"
  )
  func endOfInput() async throws {
    let session = try FrontEndSession()
    let screen = try await FrontEndSession.screen(FrontEndSession.step(Self.response()))
    let waiting = Task { try await session.frontEnd.reply(to: screen) }
    try await session.press("\u{4}")
    try await expectEqual(waiting.value, .cancel)
    expectEqual(session.pseudo.settings, session.before)

    let other = try FrontEndSession()
    let list = try await FrontEndSession.screen(FrontEndSession.step(Self.response()))
    let ending = Task { try await other.frontEnd.reply(to: list) }
    try await other.press("?\n")
    _ = try await other.shown(until: "back: ")
    ending.cancel()
    await #expect(throws: CancellationError.self) { try await ending.value }
    expectEqual(other.pseudo.settings, other.before)
  }

  @Test(
    "Each kind of wait says what the user has to do, and how much time is left",
    arguments: [
      (Self.response(), 272.5, "Okta Verify… 4:33 left"),
      (
        Self.response("enroll-poll", ["selectedChannel": "qrcode"]), nil, "you to scan the QR code…"
      ),
      (
        Self.response("enroll-poll", ["selectedChannel": "email"]), nil,
        "you to open the link in the email…"
      ),
      (
        Self.response("enroll-poll", ["selectedChannel": "sms"]), nil,
        "you to open the link in the text message…"
      ),
      (
        Self.response(key: "okta_email", name: "Email", ["selectedChannel": "sms"]), nil,
        "you to open the link in the email…"
      ),
      (Self.response(key: "custom_app", name: "Shop\u{1B}[2J app"), nil, "Shop app…"),
    ] as [(JSONValue, Double?, String)])
  func kinds(response: JSONValue, seconds: Double?, subject: String) async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let screen = try await FrontEndSession.screen(
      await FrontEndSession.step(response, timeLeft: seconds.map { .seconds($0) }))
    let waiting = Task { try await session.frontEnd.reply(to: screen) }
    try await expectEqual(
      session.shown(until: "\n"), "Waiting for \(subject) (? for other options)\n")
    waiting.cancel()
    _ = await waiting.result
  }

  @Test("The number to choose on the phone is drawn large, and a new response ends the wait")
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
    try await session.type("", at: "other options)\r\n")
    polls.continuation.yield()
    try await session.answer("Code: ", "123")
    _ = try await session.end()
    expectEqual(
      session.shown,
      """
      Verify with Okta Verify
        Choose 42 in Okta Verify.

          ██  ██  ██████
          ██  ██      ██
          ██████  ██████
              ██  ██
              ██  ██████

      Waiting for Okta Verify… 5:00 left (? for other options)
        ✓ Approved.

      Other
      Code: 123

      """)
    await expectEqual(server.answers, ["challenge-poll {}", #"other {"code":"123"}"#])
    expectEqual(session.pseudo.settings, session.before)
  }
}
