import IDXBase
import Foundation
import IDX
import IDXTesting
import Testing

@testable import idx_flow

@Suite("Where the store fails", .timeLimit(.minutes(2)))
struct StoreFailureTests {
  private let home: Home
  private let server: OrgServer

  init() throws {
    home = try Home()
    server = try OrgServer()
  }

  private func makeFolder(_ path: String, mode: Int = 0o700) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
  }

  @Test(
    "A sign-in that could not be kept says so before anything is asked, with status 9",
    arguments: ["", "/credentials", "/locks", "/current"])
  func known(place: String) async throws {
    if !place.isEmpty { try makeFolder(home.path) }
    let path = home.path + place
    try Data("?".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let end = try await home.program(home.signInWords(at: server, "--force", "--json")).end()
    #expect(end.status == 9)
    #expect(end.errors.contains(path))
    #expect(try JSONValue(parsing: end.output.utf8)["exit_status"] == 9)
    #expect(server.paths.isEmpty)
  }

  @Test("A folder that others get at is refused before anything is asked, by a command to run")
  func loose() async throws {
    try makeFolder(home.path, mode: 0o755)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
    let end = try await home.program(home.signInWords(at: server, "--force")).end()
    #expect(end.status == 9 && end.output.isEmpty)
    #expect(end.errors.contains("Run: chmod 700 '\(home.path)'"))
    #expect(server.paths.isEmpty)
  }

  @Test("Where it shows at the end only, the tokens are revoked, with status 9")
  func late() async throws {
    server.before("token") { [home] in
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
    }
    let end = try await home.program(home.signInWords(at: server)).end()
    #expect(end.status == 9 && end.output.isEmpty)
    #expect(end.errors.contains("The tokens cannot be kept. They were revoked. "))
    #expect(end.errors.contains("Run: chmod 700 '\(home.path)'"))
    #expect(
      server.forms(to: "/revoke").map { $0["token_type_hint"] } == [
        "refresh_token", "access_token",
      ]
    )
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
    #expect(try await home.store.entries().isEmpty)
  }

  @Test("Where it cannot be made the current one it is kept, and its tokens stand")
  func notCurrent() async throws {
    server.before("token") { [path = home.path + "/current"] in
      _ = FileManager.default.createFile(
        atPath: path, contents: Data("?".utf8), attributes: [.posixPermissions: 0o600])
    }
    let end = try await home.program(home.signInWords(at: server)).end()
    #expect(end.status == 9 && end.output.isEmpty)
    #expect(end.errors.contains("the tokens are kept, but not as the current ones. "))
    #expect(end.errors.contains("current is damaged"))
    #expect(server.forms(to: "/revoke").isEmpty)
    let token = try await home.run("token", "--user", "ada@example.com")
    #expect(token.status == 0)
  }

  @Test("A sign-in does not overwrite a damaged credential of the same person")
  func damaged() async throws {
    try await home.signIn(at: server)
    let file = try home.file()
    try Data("?".utf8).write(to: file, options: [])
    let end = try await home.program(home.signInWords(at: server)).end()
    #expect(end.status == 9 && end.output.isEmpty)
    #expect(end.errors.contains("The tokens cannot be kept. They were revoked. "))
    #expect(end.errors.contains("\(file.lastPathComponent) is damaged"))
    #expect(try String(contentsOf: file, encoding: .utf8) == "?")
    #expect(server.forms(to: "/revoke").count == 2)
  }

  @Test("No refresh token is spent where the new one could not be kept")
  func refresh() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    let locks = home.path + "/locks"
    try FileManager.default.removeItem(atPath: locks)
    try Data().write(to: URL(filePath: locks))
    let end = try await home.run("token")
    #expect(end.status == 9 && end.output.isEmpty)
    #expect(end.errors.contains(locks))
    #expect(server.paths.isEmpty)
    #expect(try await home.store.credential(credential.id) == credential)
  }

  @Test(
    "Every command ends with status 9, in JSON too, and says what to run",
    arguments: [
      ["status"], ["whoami"], ["token"], ["refresh"], ["signout"], ["list"], ["use", "ada"],
    ])
  func insecure(words: [String]) async throws {
    try makeFolder(home.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
    let end = try await home.program(words + ["--json"]).end()
    #expect(end.status == 9)
    #expect(end.errors.hasSuffix("Run: chmod 700 '\(home.path)'\n"))
    let object = try JSONValue(parsing: end.output.utf8)
    #expect(object["status"] == "failed" && object["exit_status"] == 9)
    #expect(object["code"] == "insecure")
  }
}
