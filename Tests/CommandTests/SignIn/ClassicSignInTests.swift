import Expectations
import IDX
import IDXBase
import Testing

@Suite("idx-flow signin --flow classic", .tags(.startsPrograms), .fewPrograms)
struct ClassicSignInTests {
  private static let identify =
    #"{"step": "identify", "fields": {"identifier": "ada@example.com"}}"#
  private static let password = """
    {"step": "challenge-authenticator", "fields": {"credentials.passcode": "Analytical-1843"}}
    """

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ entries: [String], _ options: String...) throws -> Program.End {
    let script = try folder.file("script.json", "[\(entries.joined(separator: ","))]")
    return try Program.run(
      ["signin", "--flow", "classic", "--script", script] + options,
      environment: ["XDG_DATA_HOME": folder.url.path])
  }

  @Test(
    "The session token is the whole output, or JSON; nothing is saved, and a wrong password prints none"
  )
  func sessionToken() throws {
    let end = try run([Self.identify, Self.password], "--demo", "password", "--session-token")
    expectEqual(end.status, 0)
    let token = end.output.dropLast()
    expect(end.output.hasSuffix("\n") && token.count > 20 && !token.contains { $0.isWhitespace })
    expect(!end.errors.contains(token))
    let status = try Program.run(
      ["status", "--demo"], environment: ["XDG_DATA_HOME": folder.url.path])
    expect(status.status != 0)
    for option in ["--json", "--no-store"] {
      let end = try run(
        [Self.identify, Self.password], "--demo", "password", "--session-token", option)
      let json = try JSONValue(parsing: end.output.utf8)
      expect(end.status == 0 && json["status"] == "signed_in")
      expectEqual(json.object?.members.map(\.name), ["status", "session_token"])
    }
    let wrong = Self.password.replacing("1843", with: "0000")
    let refused = try run([Self.identify, wrong], "--demo", "password", "--session-token")
    expect(
      refused.status == 4 && refused.output.isEmpty && !refused.errors.contains("Analytical-0000"))
  }

  @Test(
    "A session token is exchanged for tokens, which are saved; the redirect is read but not followed"
  )
  func network() throws {
    let server = try OrgServer()
    defer { server.stop() }
    let end = try run(
      [Self.identify, Self.password], "--issuer", server.issuer, "--client-id",
      server.org.clientID, "--redirect-uri", server.org.redirectURI, "--store", "file")
    expect(end.status == 0 && end.output == "Signed in as ada@example.com.\n")
    let paths = server.paths.filter { !$0.hasSuffix("/keys") }
    expectEqual(
      paths,
      [
        "/api/v1/authn", "/oauth2/default/v1/authorize", "/oauth2/default/v1/token",
      ])
    expectEqual(server.forms(to: "/token").first?["grant_type"], "authorization_code")
    let status = try Program.run(["status"], environment: ["XDG_DATA_HOME": folder.url.path])
    expect(status.status == 0 && status.output.contains("ada@example.com"))
  }

  @Test(
    "Options that cannot be used together are refused before any request",
    arguments: [
      ["--flow", "idx", "--session-token"], ["--flow", "classic", "--register"],
      ["--flow", "classic", "--first-factor", "otp"], ["--flow", "older"],
      ["--flow", "direct", "--session-token"],
    ])
  func usage(words: [String]) throws {
    let end = try Program.run(
      ["signin", "--demo", "password"] + words, environment: ["XDG_DATA_HOME": folder.url.path])
    expect(end.status == 2 && end.output.isEmpty && end.errors.contains("--"))
  }
}
