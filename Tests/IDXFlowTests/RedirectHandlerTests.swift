import IDXOAuth
import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Pages that lead nowhere", .timeLimit(.minutes(5)))
struct RedirectHandlerTests {
  private static let page = Wire.form(
    "redirect-idp", href: "https://idp.example/in", method: "GET")

  @Test("A page that leads back to itself with an error is not visited again unasked")
  func pageAgain() async throws {
    let first = Wire.document([Self.page])
    let again = Wire.document([Self.page], [("messages", Wire.messages("idp.failed"))])
    let introspections = Shared(0)
    let line = RecordingTransport(
      Introspecting { _ in
        introspections.withLock { count in
          count += 1
          return count == 1 ? first : again
        }
      })
    let person = ScriptedPrompter([
      .returning("redirect-idp") { _ in
        URL(string: "com.example.shop:/callback?error=interaction_required")
      },
      .cancel("redirect-idp"),
    ])
    let coordinator = FlowCoordinator(client: IDXClient(transport: line), handlers: .asking(person))
    #expect(try await coordinator.run(Wire.configuration()).isCancelled)
    try await person.finish()
    #expect(await person.messages == ["idp.failed"])
  }

  @Test("A browser that always comes back to the same page runs into the limit")
  func pageForEver() async throws {
    let page = Wire.document([Self.page])
    let line = RecordingTransport(Introspecting { _ in page })
    var limits = FlowLimits()
    limits.steps = 5
    let visits = (1...5).map { _ in
      ScriptedReply.returning("redirect-idp") { _ in
        URL(string: "com.example.shop:/callback?error=interaction_required")
      }
    }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: .asking(ScriptedPrompter(visits)),
      limits: limits)
    let error = try await flowError { try await coordinator.run(Wire.configuration()) }
    #expect(error.code == .limitReached)
  }

  /// A server that answers each introspection anew.
  private struct Introspecting: Transport {
    let document: @Sendable (TransportRequest) -> JSONValue

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      request.url.lastPathComponent == "interact"
        ? .json(["interaction_handle": "ih_stub"]) : .json(document(request))
    }
  }
}
