import IDXTesting
import IDXQRCode
import Testing

@Suite struct DemoTranscriptTests {
  private static let uri =
    "otpauth://totp/demo.okta.example:ada%40example.com?secret=TRR7EJM4CMPA5QVH"
    + "&issuer=demo.okta.example"

  /// The sign-in of the README: the wrong code, then the right one.
  private func play(_ session: inout TerminalSession, _ org: SimulatedOrg) async throws {
    try await session.answer("Username: ", "ada@example.com")
    try await session.answer("Password: ", "Analytical-1843")
    try await session.answer("Choose [1-3]: ", "1")
    try await session.answer("Code from the app: ", "000000")
    let code = try #require(await org.authenticatorCode(for: "ada@example.com"))
    try await session.answer("Code from the app: ", code)
    #expect(try await session.end().isSignedIn)
    #expect(session.pseudo.settings == session.before)
  }

  @Test("Without colour in 80 columns and 24 rows, the QR code is in sight with its question")
  func plain() async throws {
    let org = makeOrg()
    var session = try TerminalSession(org, drawsQRCodes: true)
    try await play(&session, org)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Set up a second factor
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: 1
        Set up Google Authenticator
          Type this key into the app:  TRR7 EJM4 CMPA 5QVH
          account ada@example.com, issuer demo.okta.example, 6 digits, every 30 s
          \(Self.uri)
          or scan it:
        █████████████████████████████████████████████
        ██ ▄▄▄▄▄ █▄▀▄ ▄  ██ █▀██ ██▀ █    ██ ▄▄▄▄▄ ██
        ██ █   █ █▀ ▀ ██▄  ▀▀▄▀ ▀ █▀▀▀▄▄ ▄▄█ █   █ ██
        ██ █▄▄▄█ █ ▀▄█▄   ▄█ ▀▄ ▀▄▀  ▄  █▀▀█ █▄▄▄█ ██
        ██▄▄▄▄▄▄▄█ █ ▀▄█ ▀▄▀ █ ▀▄▀ █▄▀▄▀ █ █▄▄▄▄▄▄▄██
        ██▄▀█▀▄▀▄  ▄▀▀█▄▀▀▀  █▄▄█ ▄█ ▀ ▄ ▄  ▄  ▄█▀ ██
        ██▄▀▀▄▄ ▄▄█▀▄ █▄▀ ▄▀ █▀ █  ██ ▄ ▀▀██▀█▀ ▄ ▄██
        ███▀█▄▀█▄ ▄▀█▀ ▄█▀ ▄█ ▀▄█ ▄█▀▀ ▄ █▄▄▀▀▀▀▀▀▀██
        ██▀▀█▄█▀▄█ ██ ▄▀▄▀█▀▀█▄▀▀ ▀█  █  ▀ █ ▄▀ ██▄██
        ██▀ ▀█▄█▄▄█▄█ ▀ █▄▄▄█▄█▀▄▄█ ██▀█▀█▀ ▀ ▀ ▀█▀██
        ███ ▄█▀▄▄▀ ▄▄ ▄  █▀ ▀█▄█▀  █▀ ▄ ▄▀██ ▀█▀▄▀ ██
        ███ ▀▄▄█▄▀  █▀█  ▄█▀▄█▄▀▄▀▄█▀▀▀ ▀▄▄▀▀▀▀▄██ ██
        ██▄▄▀▀██▄▀▀▀▄▀▄▄█▀▀▀▄▀ ▀▀ █▄   ▀ █▄▀ ██ ██▄██
        ██▄ ▄ █▀▄█▄▄▀██▄▀ ▀▄▀██ ▄▀▄▀▀▀ ▄█▄▀ █▄▀▄▀▀▀██
        ██ ▀▄▄▀▀▄▀▄▀▀▄▄ █▄▄▀▀▀▄▀▀  █▀▄█  ████▄█▀██ ██
        ██ ▄▄▀█ ▄██▄ █▀ ▀▄█▄▀▀▄ ▄▀▄▀▀ ▀ ▄█▄█▀▀▀██▄▀██
        ████ ▀▀▀▄▄▄▀ ▀▀█▀▀▄   ▀   ███▄▄▀█▀▀▀  █ ██ ██
        ██▄▄▄▄█▄▄▄▀▄  ▀█▀ █ ▀█▄▄█▀▀▄▀ ▄█▀█ ▄▄▄ █▀ ▀██
        ██ ▄▄▄▄▄ █▄███ █ ▄▄█▄▀▀ ▄ ▄█  █ ▀▀ █▄█  ██ ██
        ██ █   █ █▄▄▀ █▄█▄▄█▀▄▄▀▀▀█▀█ ▄▄  ▄ ▄▄▄█▀▄▀██
        ██ █▄▄▄█ ██▄▄██ ██ ▀ ▀▄▀█  █▄ ▄ ▄█▀ █▀█▀█▀ ██
        ██▄▄▄▄▄▄▄█▄▄▄██▄▄▄▄█▄▄▄▄▄▄▄████▄██▄█▄█▄▄█▄███
        █████████████████████████████████████████████
        Code from the app: 000000
          ✗ That is not the code. Check the clock of your phone, or wait 20 s for the
            next code.
        Code from the app: 702564
          ✓ Google Authenticator is set up.

        """)
  }

  @Test("With --no-qr the key stays, and nothing is drawn")
  func noQRCode() async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await play(&session, org)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Set up a second factor
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: 1
        Set up Google Authenticator
          Type this key into the app:  TRR7 EJM4 CMPA 5QVH
          account ada@example.com, issuer demo.okta.example, 6 digits, every 30 s
          \(Self.uri)
        Code from the app: 000000
          ✗ That is not the code. Check the clock of your phone, or wait 20 s for the
            next code.
        Code from the app: 702564
          ✓ Google Authenticator is set up.

        """)
  }

  @Test("A dumb terminal gets ASCII alone")
  func dumb() async throws {
    let org = makeOrg()
    var session = try TerminalSession(
      org, environment: ["TERM": "dumb", "LANG": "C.UTF-8"], drawsQRCodes: true)
    try await play(&session, org)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Set up a second factor
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: 1
        Set up Google Authenticator
          Type this key into the app:  TRR7 EJM4 CMPA 5QVH
          account ada@example.com, issuer demo.okta.example, 6 digits, every 30 s
          \(Self.uri)
          This terminal cannot draw a QR code.
        Code from the app: 000000
          x That is not the code. Check the clock of your phone, or wait 20 s for the
            next code.
        Code from the app: 702564
          ok Google Authenticator is set up.

        """)
  }

  @Test("With colour each sequence is switched off again, and the QR code is black on white")
  func colour() async throws {
    let org = makeOrg()
    var session = try TerminalSession(
      org, environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"], drawsQRCodes: true)
    try await play(&session, org)
    let drawing = try QRCode(Self.uri).lines(style: .color, quietZone: 2).joined(separator: "\n")
    #expect(
      session.shown == """
        \u{1B}[1mSign in to Demo app\u{1B}[22m
        Username: ada@example.com
        Password: 
        \u{1B}[1mSet up a second factor\u{1B}[22m
          \u{1B}[36m1\u{1B}[39m  Google Authenticator
          \u{1B}[36m2\u{1B}[39m  Email
          \u{1B}[36m3\u{1B}[39m  Skip for now
        Choose [1-3]: 1
        \u{1B}[1mSet up Google Authenticator\u{1B}[22m
          Type this key into the app:  \u{1B}[1mTRR7 EJM4 CMPA 5QVH\u{1B}[22m
          account ada@example.com, issuer demo.okta.example, 6 digits, every 30 s
          \(Self.uri)
          or scan it:
        \(drawing)
        Code from the app: 000000
          \u{1B}[31m✗\u{1B}[39m That is not the code. Check the clock of your phone, or wait 20 s for the
            next code.
        Code from the app: 702564
          \u{1B}[32m✓\u{1B}[39m Google Authenticator is set up.

        """)
  }

  @Test("In 40 columns text is wrapped, and the QR code is left out with its reason")
  func narrow() async throws {
    let org = makeOrg()
    var session = try TerminalSession(org, columns: 40, drawsQRCodes: true)
    try await play(&session, org)
    #expect(
      session.shown == """
        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Set up a second factor
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: 1
        Set up Google Authenticator
          Type this key into the app:  TRR7 EJM4 CMPA 5QVH
          account ada@example.com, issuer
          demo.okta.example, 6 digits, every 30
          s
          \(Self.uri)
          The window is too narrow for a QR code; 45 columns do.
        Code from the app: 000000
          ✗ That is not the code. Check the
            clock of your phone, or wait 20 s
            for the next code.
        Code from the app: 702564
          ✓ Google Authenticator is set up.

        """)
  }
}
