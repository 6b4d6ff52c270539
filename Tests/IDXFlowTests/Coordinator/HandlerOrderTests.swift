import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import SignInSupport
import Testing

/// The order of handlers.
struct HandlerOrderTests {
  /// Runs one document; after a submission, returns the name of the form that was sent.
  private func run(_ handlers: Handlers, _ document: JSONValue) async throws -> String? {
    let server = StubServer(document: document) { request in
      let name = request.url.lastPathComponent
      return .json(Wire.document([], [("messages", Wire.messages(name))]))
    }
    return try await server.run(handlers).end?.response.messages.first?.key?.rawValue
  }

  private static let challenge = Wire.document(
    [Wire.form("challenge-authenticator"), Wire.form("other")],
    [Wire.current(["id": "aut1", "key": "okta_email", "type": "email"])])

  private struct Chosen: Error, Equatable { let handler: String }

  private func handlers(_ routes: [(String, IDXAuthenticator.Key?)], fallback: Bool) -> Handlers {
    var handlers = Handlers()
    for (name, key) in routes {
      handlers.on(.challengeAuthenticator, key) { _ in throw Chosen(handler: name) }
    }
    if fallback {
      struct Fallback: StepHandler {
        func decide(_ step: Step) async throws -> Decision { throw Chosen(handler: "fallback") }
      }
      handlers.fallback = Fallback()
    }
    return handlers
  }

  @Test(
    "The most specific handler is asked first",
    arguments: [
      ([("email", .email), ("any", nil)], true, "email"),
      ([("any", nil), ("email", .email)], true, "email"),
      ([("phone", .phone), ("any", nil)], true, "any"),
      ([("phone", .phone)], true, "fallback"),
      ([("first", nil), ("second", nil)], true, "second"),
    ] as [([(String, IDXAuthenticator.Key?)], Bool, String)])
  func precedence(
    routes: [(String, IDXAuthenticator.Key?)], fallback: Bool, chosen: String
  ) async throws {
    await #expect(throws: Chosen(handler: chosen)) {
      try await run(handlers(routes, fallback: fallback), Self.challenge)
    }
  }

  @Test(
    "Another form is answered if no handler of the first decides, or if its handler chooses or submits it"
  )
  func otherForm() async throws {
    for (name, change) in [
      (
        "declined",
        {
          $0.on(.challengeAuthenticator, .email) { _ in .decline }
          $0.on(.challengeAuthenticator) { _ in .decline }
        }
      ),
      ("missing", { _ in }),
      ("chosen", { $0.on(.challengeAuthenticator) { .choose($0.response.remediations[1]) } }),
      (
        "submitted",
        { $0.on(.challengeAuthenticator) { .submit([:], to: $0.response.remediations[1]) } }
      ),
    ] as [(String, (inout Handlers) -> Void)] {
      var handlers = Handlers()
      change(&handlers)
      if name != "submitted" {
        handlers.on("other") { step in
          expectEqual(step.attempt, 1)
          return .submit([:])
        }
      }
      try await expectEqual(run(handlers, Self.challenge), "other", "\(name)")
    }
  }

  @Test("Handlers that always choose each other reach the limit")
  func endlessChoice() async throws {
    var handlers = Handlers()
    handlers.on(.challengeAuthenticator) { .choose($0.response.remediations[1]) }
    handlers.on("other") { .choose($0.response.remediations[0]) }
    let error = try await requireError(FlowError.self) { try await run(handlers, Self.challenge) }
    expectEqual(error.code, .limitReached)
  }

  @Test("If no handler decides, the error names all forms")
  func noHandler() async throws {
    let error = try await requireError(FlowError.self) { try await run(Handlers(), Self.challenge) }
    expectEqual(error.code, .noHandler)
    expectEqual(error.remediation, .challengeAuthenticator)
    expectContains(error.message, "“challenge-authenticator”, “other”")
    expect(!error.description.contains("step challenge-authenticator"))
  }
}
