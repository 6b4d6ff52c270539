import IDXBase
import Foundation
import IDX
import IDXTesting
import IDXSystem
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@testable import idx_flow

@Suite("idx-flow refresh", .timeLimit(.minutes(2)))
struct RefreshCommandTests {
  private let home: Home
  private let server: OrgServer

  init() throws {
    home = try Home()
    server = try OrgServer()
  }

  @Test("Each refresh uses the newest refresh token, and keeps what it gets")
  func rotation() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.changeTokens { $0.refreshRotation = .rotating(grace: 0) }
    let text = try await home.run("refresh")
    #expect(text.status == 0 && text.errors.isEmpty)
    #expect(text.output.hasPrefix("Refreshed for ada@example.com: until "))
    let second = try #require(try await home.store.credential(credential.id))
    let json = try await home.run("refresh", "--json")
    #expect(json.status == 0)
    #expect(try JSONValue(parsing: json.output.utf8)["is_valid"] == true)
    let third = try #require(try await home.store.credential(credential.id))
    #expect(
      server.refreshTokens == [credential, second].compactMap { $0.tokens.refreshToken?.revealed })
    #expect(Set([credential, second, third].map(\.tokens.refreshToken)).count == 3)
    #expect(!json.output.contains(third.tokens.accessToken.revealed))
  }

  @Test(
    "Where the server gives none the status tells why, and what is kept stays as it was",
    arguments: [
      (.serverError, 1, "failed. Try again later."), (.unreachable, 6, "127.0.0.1"),
      (.rateLimited(seconds: 9), 7, "Try again in "),
      (.refused("invalid_grant"), 8, "The session is over. Sign in again."),
    ] as [(Fault, Int32, String)])
  func failures(fault: Fault, status: Int32, words: String) async throws {
    let credential = try await home.signIn(at: server)
    await server.org.inject(fault, at: "/token")
    let before = try String(contentsOf: home.file(), encoding: .utf8)
    let end = try await home.run("refresh", "--json")
    #expect(end.status == status)
    #expect(end.errors.contains(words))
    #expect(
      try JSONValue(parsing: end.output.utf8)["exit_status"]
        == .number(JSONValue.Number(Int(status))))
    #expect(try String(contentsOf: home.file(), encoding: .utf8) == before)
    #expect(!end.errors.contains(credential.tokens.refreshToken?.revealed ?? "?"))
  }

  @Test("Tokens that fail a check are not kept, and the check is named")
  func flawed() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.changeTokens { $0.idTokenFlaw = .wrongSubject }
    let end = try await home.run("refresh")
    #expect(end.status == 1 && end.output.isEmpty)
    #expect(end.errors.contains("The ID token was refused. The ID token is for another person"))
    #expect(try await home.store.credential(credential.id) == credential)
  }

  @Test("After an answer that was lost the next refresh gets on, as the old token has a grace")
  func lostAnswer() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.inject(.responseLost, at: "/token")
    let lost = try await home.run("refresh")
    #expect(lost.status == 6)
    #expect(try await home.store.credential(credential.id) == credential)
    let next = try await home.run("refresh")
    #expect(next.status == 0)
  }

  @Test("Interrupted while the answer is on its way, it keeps what comes before it ends")
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
    let end = try await program.end()
    // On a busy machine the answer may overtake the signal.
    #expect(end.status == 0 || (end.status == 130 && end.errors == "idx-flow: Cancelled.\n"))
    let kept = try await home.store.credential(credential.id)
    #expect(kept?.tokens.refreshToken != credential.tokens.refreshToken)
    // Without a grace only the newest refresh token is good for anything.
    #expect(try await home.run("refresh").status == 0)
  }
}
