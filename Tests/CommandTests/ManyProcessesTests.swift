import Foundation
import IDXTesting
import Testing

@testable import idx_flow

@Suite("Many processes with one credential", .timeLimit(.minutes(4)))
struct ManyProcessesTests {
  private let home: Home
  private let server: OrgServer

  init() throws {
    home = try Home()
    server = try OrgServer()
  }

  private func run(_ word: String, times: Int) async throws -> [Program.End] {
    try await withThrowingTaskGroup(of: Program.End.self) { group in
      for _ in 0..<times { group.addTask { try await home.run(word) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("50 that ask for a token after it expired make one refresh, and print the same token")
  func tokens() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    await server.org.changeTokens { $0.refreshRotation = .rotating(grace: 0) }
    var kept = credential
    for expiry in 1...2 {
      let ends = try await run("token", times: 50)
      #expect(ends.allSatisfy { $0.status == 0 && $0.errors.isEmpty })
      #expect(server.refreshTokens.count == expiry)
      kept = try #require(try await home.store.credential(credential.id))
      #expect(Set(ends.map(\.output)) == [kept.tokens.accessToken.revealed + "\n"])
      try await home.age(kept, by: 4000)
    }
  }

  @Test("20 refreshes at once all come to their end, and the newest tokens are kept")
  func refreshes() async throws {
    let credential = try await home.signIn(at: server)
    await server.org.changeTokens { $0.refreshRotation = .rotating(grace: 0) }
    let ends = try await run("refresh", times: 20)
    #expect(ends.allSatisfy { $0.status == 0 && $0.errors.isEmpty })
    #expect(try await home.credentials().count == 1)
    // Each was used once, so what is kept is the newest: with no grace any other would be refused.
    #expect(Set(server.refreshTokens).count == server.refreshTokens.count)
    #expect(try await home.run("refresh").status == 0)
    #expect(try await home.store.credential(credential.id)?.tokens != credential.tokens)
  }
}
