import Expectations
import Testing

@testable import idx_flow

@Suite("The environment of a sign-in", .tags(.startsPrograms), .fewPrograms)
struct EnvironmentTests {
  private func signIn(
    to server: OrgServer, environment: [String: String]
  ) async throws -> Program.End {
    let home = try DataHome()
    let arguments = try home.signInArguments(at: server)
    return try await Program.run(arguments, environment: environment)
  }

  @Test(
    "A variable that makes the system print requests has no effect", .promise("debug-variables"))
  func debugOutput() async throws {
    let server = try OrgServer()
    let keys = try TemporaryFolder()
    let end = try await signIn(
      to: server,
      environment: [
        "URLSessionDebugLibcurl": "1", "URLSessionDebug": "1", "SSLKEYLOGFILE": keys.path("keys"),
      ])
    expectEqual(end.status, 0)
    expect(!end.errors.contains("Analytical-1843") && !end.errors.contains("POST"))
    expectEmpty(keys.text(of: "keys"))
  }

  @Test(
    "A proxy is never used for this computer", .promise("proxy-use"),
    arguments: [[:], ["NO_PROXY": "corp.example"], ["no_proxy": "corp.example"]])
  func proxy(excluded: [String: String]) async throws {
    let server = try OrgServer()
    let proxies = ["http_proxy": "127.0.0.1:9", "ALL_PROXY": "127.0.0.1:9"]
    let end = try await signIn(to: server, environment: proxies.merging(excluded) { $1 })
    expectEqual(end.status, 0, "\(end.errors)")
  }
}
