import IDXOAuth
import IDXBase
import Foundation
import IDX
import IDXTesting
import Testing

@testable import IDXFlow

@Suite("Starting a sign-in over", .timeLimit(.minutes(5)))
struct RestartTests {
  /// Answers each start of a sign-in with the next document, the last one again and again.
  private struct Starts: Transport {
    let documents: Shared<[JSONValue]>

    init(_ documents: JSONValue...) { self.documents = Shared(documents) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      switch request.url.lastPathComponent {
      case "interact": .json(["interaction_handle": "ih_stub"])
      // They may be asked for at any time, and are no part of the conversation.
      case "keys": .json(["keys": []])
      case "token": .json(["access_token": "at", "token_type": "Bearer", "expires_in": 3600])
      default:
        .json(documents.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
      }
    }
  }

  private static let expired = Wire.document(
    [], [("messages", Wire.messages("idx.session.expired"))])

  @Test("A server where every sign-in ends at once is not asked for ever")
  func forEver() async throws {
    struct Enough: Error {}
    let asked = Shared(0)
    var handlers = Handlers()
    handlers.atEnd = { _ in
      try asked.withLock { count in
        count += 1
        if count > 50 { throw Enough() }
      }
      return .restart
    }
    var limits = FlowLimits()
    limits.steps = 5
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: Starts(Self.expired)), handlers: handlers, limits: limits)
    let error = try await flowError { try await coordinator.run(Wire.configuration()) }
    #expect(error.code == .limitReached)
    #expect(asked.withLock { $0 } == 6)
  }

  @Test("Who began the sign-in before is not who signs in")
  func user() async throws {
    let user: JSONValue = ["value": ["id": "u1", "identifier": "ada@shop.example"]]
    let code: JSONValue = ["name": "interaction_code", "value": "ic", "required": true]
    let issue = Wire.form("issue", href: Wire.origin + "/oauth2/default/v1/token", [code])
    let first = Wire.document(
      [], [("user", user), ("messages", Wire.messages("idx.session.expired"))])
    let second = Wire.document([], [("successWithInteractionCode", issue)])
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: Starts(first, second)),
      handlers: .asking(ScriptedPrompter([.startingOver])))
    let signIn = try await coordinator.run(Wire.configuration()).signIn
    #expect(signIn != nil)
    #expect(signIn?.user == nil)
  }

  @Test("Where the way to a goal ended in an error, it is taken once more")
  func goal() async throws {
    let first = Wire.document([
      Wire.form("identify", [["name": "identifier", "required": true]]),
      Wire.form("select-enroll-profile"),
    ])
    let profile = Wire.document([
      Wire.form("enroll-profile", [["name": "email", "required": true]])
    ])
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: Starts(first, Self.expired, first, profile)),
      handlers: .asking(ScriptedPrompter([.startingOver, .cancel("email")])))
    let outcome = try await coordinator.run(Wire.configuration(), goal: .register)
    #expect(outcome.isCancelled)
  }
}
