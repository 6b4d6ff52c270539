import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

struct ServerTextTests {
  private static let hostile = "\u{1B}[2J\u{1B}]0;pwned\u{7}safe\u{9B}31m\u{202E} text\r\n\u{8}"

  @Test(
    "Server text cannot control the terminal, wherever it is shown, and a detail stays on one line",
    .promise("terminal-text"))
  func hostile() async throws {
    let text = Self.hostile
    let server = CannedServer(
      .response(
        [
          .form(
            "step-\(text)", ["name": "a", "label": .string("A " + text), "required": true],
            ["name": "b", "label": .string("B " + text), "value": .string("b " + text)],
            ["name": "c", "label": .string("C " + text), "type": "boolean"],
            [
              "name": "d", "label": .string("D " + text), "required": true,
              "options": [
                ["label": .string("O " + text), "value": "o"], ["label": "P", "value": "p"],
              ],
            ]),
          .form("other-\(text)"),
        ], says: [.message("M " + text, "ERROR")]))
    let (shown, _) = try await TerminalSession.play(
      server,
      [
        "A safe text: ": "?", "go back: ": "", "A safe text: ": "a",
        "B safe text [b safe text]: ": "b", "C safe text [y/N]: ": "y", "Choose 1-2: ": "1",
      ])
    expectEqual(
      shown,
      """
      Step safe text
        ✗ M safe text
      A safe text: ?
      Other options
        1  Other safe text
        2  Quit
      Choose 1-2, or Enter to go back: 
      A safe text: a
      B safe text [b safe text]: b
      C safe text [y/N]: y
      D safe text:
        1  O safe text
        2  P
      Choose 1-2: 1

      """)

    let detail = "mail\n\u{1B}[2K  ✓ Approved.\u{2028}Password: "
    let consent = CannedServer(
      .response([
        .form("consent", ["name": "consent", "type": "boolean", "required": true])
          .setting("scopes", [["label": .string(detail)]])
          .setting("requestInfo", [["name": "From", "value": .string(detail)]])
      ]))
    let (details, _) = try await TerminalSession.play(consent, ["(y/n): ": "\u{4}"])
    expectEqual(
      details,
      """
      The app asks for access
        Allow this only if you trust the app.
        It wants to:
        - mail ✓ Approved. Password:
        From: mail ✓ Approved. Password:
      Allow access? (y/n): 

      """)
  }

  @Test("The key and the account of an app are shown without control characters, in 80 columns")
  func hostileAccount() async throws {
    let long = String(repeating: "long", count: 16)
    let server = CannedServer(
      .response(
        [.form("enroll-authenticator", ["name": "passcode", "required": true])],
        .current(
          "google_otp", "App " + Self.hostile, ["sharedSecret": "JBSW\u{1B}[2JY3DPEHPK3PXP"],
          username: "\u{1B}[31mada\u{1B}[0m.\(long)@example.com")))
    let (shown, _) = try await TerminalSession.play(server, ["Code: ": "\u{4}"])
    expectEqual(
      shown,
      """
        Signing in as
        ada.\(long)@example.com.
      Set up App safe text
        account
        ada.\(long)@example.com,
        issuer demo.okta.example, 6 digits every 30 s
        otpauth://totp/demo.okta.example:%1B%5B31mada%1B%5B0m.\(long)%40example.com\
      ?secret=JBSW%1B%5B2JY3DPEHPK3PXP&issuer=demo.okta.example
        Type this key into the app:  JBSW Y3DP EHPK 3PXP
      Code: 

      """)
  }

  @Test(
    "A repeated message is shown once, those of a field at the field, and that of the end at the end"
  )
  func messages() async throws {
    let name: JSONValue = [
      "name": "identifier", "label": "Username", "required": true,
      "messages": ["value": [.message("About the name.", "ERROR", key: "name")]],
    ]
    let passcode: JSONValue = [
      "name": "passcode", "label": "Password", "required": true, "secret": true,
      "messages": ["value": [.message("About the password.", "WARNING", key: "pw")]],
    ]
    let server = CannedServer(
      .response(
        [.form("identify", name, ["name": "credentials", "form": ["value": [passcode]]])],
        says: [
          .message("Twice.", key: "twice"), .message("Twice.", key: "twice"),
          .message("Careful.", "WARNING"), .message("", "ERROR", key: "empty"),
          .message("One line.\nAnother line.", "INFO"),
        ]))
    let (shown, _) = try await TerminalSession.play(
      server, ["Username: ": "ada", "Password: ": "secret"])
    expectEqual(
      shown,
      """
      Sign in to demo.okta.example
        Twice.
        ! Careful.
        ✗ empty
        One line.
        Another line.
        ✗ About the name.
      Username: ada
        About the password.
      Password: ••••••••

      """)

    let ending = CannedServer(
      .response([.form("identify", ["name": "identifier", "label": "Username"])]),
      .response([], says: [.message("The link was sent.\u{1B}[31m")]))
    let (end, _) = try await TerminalSession.play(ending, ["Username: ": "ada"])
    expectSuffix(end, "Username: ada\n  The link was sent.\n")
  }

  @Test(
    "Of long texts and many messages, options and details, only the start is shown",
    .promise("screen-limits"))
  func flood() async throws {
    let text = String(repeating: "long ", count: 4000)
    let options = (0..<300).map { number -> JSONValue in
      ["label": .string("\(number) \(text.prefix(100))"), "value": "o"]
    }
    let scopes = Array(
      repeating: ["label": .string("\(text.prefix(400))")] as JSONValue, count: 100)
    let server = CannedServer(
      .response(
        [
          .form("consent", ["name": "a", "label": .string(text), "options": .array(options)])
            .setting("scopes", .array(scopes))
        ],
        says: [.message(text)] + (0..<100).map { .message("\($0)") }))
    let (shown, _) = try await TerminalSession.play(server, ["Choose 1-300": "\u{4}"])
    expectContains(shown, "… and 81 more messages.")
    expectContains(shown, "… and 70 more.")
    expectContains(shown, "more.\nChoose")
    expect(shown.count < 25_000)

    for label in ["", "o"] {
      let options = (0..<3000).map {
        ["label": .string(label), "value": .string("\($0)")] as JSONValue
      }
      let server = CannedServer(
        .response([.form("consent", ["name": "a", "label": "A", "options": .array(options)])]))
      let (list, _) = try await TerminalSession.play(server, ["Choose 1-3000": "\u{4}"])
      expect(list.contains("  100  ") && !list.contains("  101  "))
      expectContains(list, "… and 2900 more.")
    }
  }
}
