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
      ], .current(key, name, data, profile: profile))
  }

  @Test("The reason for a wait is shown on an animated line, until Ctrl-D cancels the sign-in")
  func updates() async throws {
    let session = try FrontEndSession()
    let waiting = try await session.frontEnd.begin(
      FrontEndSession.screen(Self.response(profile: ["deviceName": "Ada's phone"])))
    let text = "Waiting for Okta Verify (Ada's phone)…"
    try await expectContains(session.shown(until: "\u{1B}[K"), "⠋ \(text) · ? for other options")
    session.tick()
    try await expectContains(session.shown(until: "\u{1B}[K"), "⠙ \(text)")
    try await session.press("\u{4}")
    try await expectEqual(waiting.value, .cancel)
    expectEqual(session.pseudo.settings, session.before)
    try await expectEqual(session.pseudo.shown(count: 4), "\r\u{1B}[K")
  }

  @Test("? lists the other options; Enter goes back to waiting, a number is the reply")
  func alternatives() async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let waiting = try await session.frontEnd.begin(FrontEndSession.screen(Self.response()))
    let line = "Waiting for Okta Verify… (? for other options)\n"
    for (start, answer) in [("", "\n"), ("\n", "1\n")] {
      try await expectEqual(session.shown(until: "options)\r\n"), start + line)
      try await session.press("?\n")
      try await expectEqual(
        session.shown(until: "back: "),
        """
        Other options
          1  Verify in another way
          2  Quit
        Choose 1-2, or Enter to go back: 
        """)
      try session.pseudo.type(answer)
    }
    try await expectEqual(waiting.value, .choose("select-authenticator-authenticate"))
  }

  @Test("The end of the wait closes the list and restores the terminal")
  func endOfWait() async throws {
    let session = try FrontEndSession()
    let waiting = try await session.frontEnd.begin(FrontEndSession.screen(Self.response()))
    try await session.press("?\n")
    _ = try await session.shown(until: "back: ")
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    expectEqual(session.pseudo.settings, session.before)
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
    let waiting = try await session.frontEnd.begin(
      FrontEndSession.screen(response, timeLeft: seconds.map { .seconds($0) }))
    try await expectEqual(
      session.shown(until: "\n"), "Waiting for \(subject) (? for other options)\n")
    await waiting.end()
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
    try await session.answer(["Code: ": "123"])
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
