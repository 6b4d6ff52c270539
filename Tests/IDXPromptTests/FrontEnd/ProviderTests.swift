import Expectations
import IDX
import IDXBase
import IDXFlow
import Testing

/// Providers, links and ends at the terminal.
struct ProviderTests {
  private static func provider(_ number: Int) -> JSONValue {
    [
      "name": "redirect-idp", "type": "OIDC", "method": "GET",
      "href": .string("https://idp.example/\(number)"),
      "idp": ["id": .string("0oa\(number)"), "name": .string("Partner \(number)")],
    ]
  }

  @Test(
    "A single provider is named before its page is opened; of several, each is reached by its name")
  func single() async throws {
    var session = try TerminalSession(CannedServer(.response([Self.provider(7)])))
    try await session.type("\u{4}", at: "Paste the address: ")
    _ = try await session.end()
    expectPrefix(session.shown, "Sign in with Partner 7\n")

    for typed in ["2", "partner 2", "sign in with partner 2", "Partner 2"] {
      let server = CannedServer(.response((1...3).map(Self.provider)))
      session = try TerminalSession(server)
      try await session.answer("Choose 1-4: ", typed)
      try await session.type("\u{4}", at: "Paste the address: ")
      _ = try await session.end()
      expectPrefix(
        session.shown,
        """
        Choose how to sign in
          1  Sign in with Partner 1
          2  Sign in with Partner 2
          3  Sign in with Partner 3
          4  Quit
        Choose 1-4: \(typed)

        Sign in with Partner 2
        """)
      expectContains(session.shown, "\nhttps://idp.example/2\n")
      expect(!session.shown.contains("https://idp.example/1"))
    }

    let server = CannedServer(
      .response(
        [.form("identify", ["name": "identifier", "label": "Username", "required": true])]
          + (1...130).map(Self.provider)))
    session = try TerminalSession(server)
    try await session.answer("Username: ", "?")
    try await session.answer("go back: ", "partner 117")
    try await session.type("\u{4}", at: "Paste the address: ")
    _ = try await session.end()
    expectContains(session.shown, "\nhttps://idp.example/117\n")
  }

  private static let longAddress =
    "https://help.example/" + String(repeating: "a", count: 120)

  @Test("The links of a message follow it, whole and at the start of a line")
  func links() async throws {
    var message = JSONValue.message("Update the system.", "ERROR").object ?? .init()
    message["links"] = [
      ["url": .string(Self.longAddress), "label": "Help"],
      ["url": "http://help.example/"],
    ]
    let form = JSONValue.form("challenge", ["name": "passcode", "label": "Code"])
    var session = try TerminalSession(
      CannedServer(.response([form], says: [.object(message)])))
    try await session.type("\u{4}", at: "Code: ")
    _ = try await session.end()
    expectContains(
      session.shown,
      "be\n    safe.\n  Help\nhttps://help.example/\(String(repeating: "a", count: 120))\n"
    )
    expectContains(session.shown, "✗ Update the system. A link is not shown here, because")
    expect(!session.shown.contains("http://help.example/"))
  }

  @Test(
    "An end without a word says that nobody is signed in, before the question about a new start")
  func wordless() async throws {
    let end = JSONValue.response([], ["cancel": .form("cancel")])
    var session = try TerminalSession(CannedServer(end), startsOver: true)
    try await session.answer("Start over? [y/N]: ", "n")
    _ = try await session.end()
    expectPrefix(session.shown, "  ✗ You are not signed in\n")
  }
}
