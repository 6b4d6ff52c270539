import Expectations
import IDX
import IDXBase
import Testing

@Suite("idx-flow signin --flow classic", .tags(.startsPrograms), .fewPrograms)
struct ClassicSignInTests {
  private let home: DataHome

  init() throws { home = try DataHome() }

  private func run(
    _ options: [String], password: String = "Analytical-1843"
  ) throws -> Program.End {
    let script = try home.folder.file(
      "script.json",
      """
      [{"step": "identify", "fields": {"identifier": "ada@example.com"}},
       {"step": "challenge-authenticator", "fields": {"credentials.passcode": "\(password)"}}]
      """)
    return try home.run(["signin", "--flow", "classic", "--script", script] + options)
  }

  @Test(
    "The session token is the whole output, or JSON; nothing is saved, and a wrong password prints none"
  )
  func sessionToken() throws {
    let words = ["--demo", "password", "--session-token"]
    let end = try run(words)
    end.expect(status: 0)
    let token = end.output.dropLast()
    expect(end.output.hasSuffix("\n") && token.count > 20 && !token.contains { $0.isWhitespace })
    expect(!end.errors.contains(token))
    try expect(home.run("status", "--demo").status != 0)
    for option in ["--json", "--no-store"] {
      let end = try run(words + [option])
      let json = try end.json
      end.expect(status: 0, json["status"] == "signed_in")
      expectEqual(json.object?.members.map(\.name), ["status", "session_token"])
    }
    let refused = try run(words, password: "Analytical-0000")
    expect(
      refused.status == 4 && refused.output.isEmpty && !refused.errors.contains("Analytical-0000"))
  }

  @Test(
    "A session token is exchanged for tokens, which are saved; the redirect is read but not followed"
  )
  func network() throws {
    let server = try OrgServer()
    let end = try run(server.options)
    end.expect(status: 0, end.output == "Signed in as ada@example.com.\n")
    expectEqual(
      server.paths.filter { !$0.hasSuffix("/keys") },
      ["/api/v1/authn", "/oauth2/default/v1/authorize", "/oauth2/default/v1/token"])
    expectEqual(server.forms(to: "/token").first?["grant_type"], "authorization_code")
    let status = try home.run("status")
    status.expect(status: 0, status.output.contains("ada@example.com"))
  }
}
