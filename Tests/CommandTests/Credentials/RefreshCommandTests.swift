import Expectations
import Foundation
import IDX
import IDXBase
import IDXSystem
import IDXSimulatedOrg
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@testable import idx_flow

@Suite("idx-flow refresh", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct RefreshCommandTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer()
  }

  @Test("A mistake in the setup has the same explanation and status as in a sign-in")
  func setup() async throws {
    try await home.signIn(at: server, age: 4000)
    await server.org.inject(.refused("invalid_client"), at: "/token")
    let client = try home.run("refresh", "--json")
    client.expect(status: 2, client.errors.contains("What to do: "))
    try expectEqual(client.json["setup_problem"], "client_secret")

    server.org.advance(by: 7200)
    for command in ["refresh", "token", "whoami"] {
      let end = try home.run(command)
      end.expect(status: 2, end.errors.contains("clock of this computer"))
    }
  }

  @Test("Requests with a credential have the name of the program that its profile sets for the org")
  func userAgent() async throws {
    try await home.signIn(at: server)
    try home.saveProfile(for: server)
    try home.run("profile", "set", "default", "--user-agent", "Test/1").expect(status: 0)
    let before = server.values(of: "User-Agent")
    for command in ["refresh", "whoami", "signout"] {
      try expectEqual(home.run(command).status, 0, command)
    }
    expectEqual(server.values(of: "User-Agent").subtracting(before), ["Test/1"])
  }

  @Test(
    "Each refresh uses the newest refresh token, and saves the new tokens", .promise("newest-token")
  )
  func rotation() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.changeTokens { $0.refreshRotation = .rotating(grace: 0) }
    let text = try home.run("refresh")
    text.expect(status: 0, text.errors.isEmpty)
    expectPrefix(text.output, "Refreshed the tokens of ada@example.com: until ")
    let second = try await require(home.store.credential(credential.id))
    let end = try home.run("refresh", "--json")
    end.expect(status: 0)
    try expectEqual(end.json["is_valid"], true)
    let third = try await require(home.store.credential(credential.id))
    expectEqual(
      server.refreshTokens, [credential, second].compactMap { $0.tokens.refreshToken?.revealed })
    expectEqual(Set([credential, second, third].map(\.tokens.refreshToken)).count, 3)
    expect(!end.output.contains(third.tokens.accessToken.revealed))
  }

  @Test(
    "If the refresh fails, the status says why, and the saved tokens do not change",
    arguments: [
      (.serverError, 6, "The server failed at 127.0.0.1"), (.unreachable, 6, "127.0.0.1"),
      (.responseLost, 6, "127.0.0.1"), (.rateLimited(seconds: 9), 7, "Try again in "),
      (.refused("invalid_grant"), 8, "The session is over. Sign in again."),
    ] as [(Fault, Int32, String)])
  func failures(fault: Fault, status: Int32, words: String) async throws {
    let credential = try await home.signIn(at: server)
    await server.org.inject(fault, at: "/token")
    let before = try String(contentsOf: home.file(), encoding: .utf8)
    let end = try home.run("refresh", "--json")
    expect(end.status == status && end.errors.contains(words), "\(end)")
    try expectEqual(end.json["exit_status"]?.integer, Int(status))
    // Only a refusal changes the file: it is remembered with the same tokens.
    if status == 8 {
      let saved = try await home.store.credential(credential.id)
      expect(saved?.tokens == credential.tokens && saved?.refusedAt != nil)
    } else {
      try expectEqual(String(contentsOf: home.file(), encoding: .utf8), before)
    }
    expect(!end.errors.contains(credential.tokens.refreshToken?.revealed ?? "?"))
  }

  @Test("Tokens that fail a check are not saved, and the check is named")
  func wrongIDToken() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.changeTokens { $0.idTokenFlaw = .wrongSubject }
    let end = try home.run("refresh")
    end.expect(status: 1, end.output.isEmpty)
    expectContains(end.errors, "The ID token was refused. The ID token is for another person")
    try await expectEqual(home.store.credential(credential.id), credential)
  }

  @Test("If it is interrupted during the request, the new tokens are still saved")
  func interrupted() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.changeTokens { $0.refreshRotation = .rotating(grace: 0) }
    let started = Locked<Program?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    server.before("token") {
      isStarted.wait()
      started.withLock { $0 }?.send(SIGINT)
    }
    let program = try home.program(["refresh"])
    started.withLock { $0 = program }
    isStarted.signal()
    let end = program.end()
    // On a busy computer the response may be faster than the signal.
    expect(end.status == 0 || (end.status == 130 && end.errors == "idx-flow: Canceled.\n"))
    let saved = try await home.store.credential(credential.id)
    expect(saved?.tokens.refreshToken != credential.tokens.refreshToken)
    // Without a grace period, only the newest refresh token is valid.
    try home.run("refresh").expect(status: 0)
  }

  @Test("50 processes that print an expired token refresh it once, and print the same token")
  func manyProcesses() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    await server.org.changeTokens { $0.refreshRotation = .rotating(grace: 0) }
    var saved = credential
    for expiry in 1...2 {
      let programs = try (0..<50).map { _ in try home.program(["token"]) }
      let ends = programs.map { $0.end() }
      expect(ends.allSatisfy { $0.status == 0 && $0.errors.isEmpty })
      expectEqual(server.refreshTokens.count, expiry)
      saved = try await require(home.store.credential(credential.id))
      expectEqual(Set(ends.map(\.output)), [saved.tokens.accessToken.revealed + "\n"])
      try await home.age(saved, by: 4000)
    }
  }
}
