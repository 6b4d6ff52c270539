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
    let (only, _) = try await TerminalSession.play(
      CannedServer(.response([Self.provider(7)])), ["Paste the address: ": "\u{4}"])
    expectPrefix(only, "Sign in with Partner 7\n")

    for typed in ["2", "partner 2", "sign in with partner 2", "Partner 2"] {
      let (shown, _) = try await TerminalSession.play(
        CannedServer(.response((1...3).map(Self.provider))),
        ["Choose 1-4: ": typed, "Paste the address: ": "\u{4}"])
      expectPrefix(
        shown,
        """
        Choose how to sign in
          1  Sign in with Partner 1
          2  Sign in with Partner 2
          3  Sign in with Partner 3
          4  Quit
        Choose 1-4: \(typed)

        Sign in with Partner 2
        """)
      expectContains(shown, "\nhttps://idp.example/2\n")
      expect(!shown.contains("https://idp.example/1"))
    }

    let identify = JSONValue.form("identify", ["name": "identifier", "required": true])
    let (last, _) = try await TerminalSession.play(
      CannedServer(.response([identify] + (1...130).map(Self.provider))),
      ["Username: ": "?", "go back: ": "partner 117", "Paste the address: ": "\u{4}"])
    expectContains(last, "\nhttps://idp.example/117\n")
  }

  @Test("The links of a message follow it, whole and at the start of a line")
  func links() async throws {
    let address = "https://help.example/" + String(repeating: "a", count: 120)
    let message = JSONValue.message("Update the system.", "ERROR").setting(
      "links",
      [["url": .string(address), "label": "Help"], ["url": "http://help.example/"]])
    let form = JSONValue.form("challenge", ["name": "passcode", "label": "Code"])
    let (shown, _) = try await TerminalSession.play(
      CannedServer(.response([form], says: [message])), ["Code: ": "\u{4}"])
    expectContains(shown, "be\n    safe.\n  Help\n\(address)\n")
    expectContains(shown, "✗ Update the system. A link is not shown here, because")
    expect(!shown.contains("http://help.example/"))
  }

  @Test(
    "An end without a word says that nobody is signed in, before the question about a new start")
  func wordless() async throws {
    let end = JSONValue.response([], ["cancel": .form("cancel")])
    var session = try TerminalSession(CannedServer(end), startsOver: true)
    try await session.answer(["Start over? [y/N]: ": "n"])
    _ = try await session.end()
    expectPrefix(session.shown, "  ✗ You are not signed in\n")
  }
}
