import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Which handler decides")
struct HandlersTests {
  /// Runs one document, on which any submission ends with a message that names what was sent.
  private func run(_ handlers: Handlers, _ document: JSONValue) async throws -> String? {
    let server = StubServer(document: document) { request in
      let name = request.url.lastPathComponent
      return .json(Wire.document([], [("messages", Wire.messages(name))]))
    }
    let coordinator = FlowCoordinator(client: IDXClient(transport: server), handlers: handlers)
    let outcome = try await coordinator.run(Wire.configuration())
    return outcome.end?.response.messages.first?.key?.rawValue
  }

  private static let challenge = Wire.document(
    [Wire.form("challenge-authenticator"), Wire.form("other")],
    [
      (
        "currentAuthenticator",
        ["type": "object", "value": ["id": "aut1", "key": "okta_email", "type": "email"]]
      )
    ])

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

  @Test("A handler that declines leaves the step to the next, then to the next step's")
  func decline() async throws {
    var handlers = Handlers()
    handlers.on(.challengeAuthenticator, .email) { _ in .decline }
    handlers.on(.challengeAuthenticator) { _ in .decline }
    handlers.on("other") { _ in .submit([:]) }
    #expect(try await run(handlers, Self.challenge) == "other")
  }

  @Test("A step that nobody handles is passed over for one that somebody does")
  func laterStep() async throws {
    var handlers = Handlers()
    handlers.on("other") { _ in .submit([:]) }
    #expect(try await run(handlers, Self.challenge) == "other")
  }

  @Test("A handler can choose another form, whose handler then decides")
  func choose() async throws {
    var handlers = Handlers()
    handlers.on(.challengeAuthenticator) { step in
      .choose(step.response.remediations[1])
    }
    handlers.on("other") { step in
      #expect(step.attempt == 1)
      return .submit([:])
    }
    #expect(try await run(handlers, Self.challenge) == "other")
  }

  @Test("A handler can send another form of the response")
  func submitTo() async throws {
    var handlers = Handlers()
    handlers.on(.challengeAuthenticator) { step in
      .submit([:], to: step.response.remediations[1])
    }
    #expect(try await run(handlers, Self.challenge) == "other")
  }

  @Test("Handlers that choose one another for ever run into the limit")
  func chooseForEver() async throws {
    var handlers = Handlers()
    handlers.on(.challengeAuthenticator) { .choose($0.response.remediations[1]) }
    handlers.on("other") { .choose($0.response.remediations[0]) }
    let error = try await flowError { try await run(handlers, Self.challenge) }
    #expect(error.code == .limitReached)
  }

  @Test("Where nobody decides, the error names everything that is asked for")
  func noHandler() async throws {
    let error = try await flowError { try await run(Handlers(), Self.challenge) }
    #expect(error.code == .noHandler)
    #expect(error.remediation == .challengeAuthenticator)
    #expect(error.message.contains("challenge-authenticator, other"))
  }

  @Test("What a handler throws reaches the caller as it is")
  func handlerThrows() async throws {
    struct Mine: Error {}
    var handlers = Handlers()
    handlers.on(.challengeAuthenticator) { _ in throw Mine() }
    await #expect(throws: Mine.self) { try await run(handlers, Self.challenge) }
  }

  @Test("At the end a handler can start over, and is not asked when the sign-in succeeded")
  func atEnd() async throws {
    let world = try World(status: .suspended)
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .value(.string(World.login))]) }
    handlers.on(.challengeAuthenticator) { _ in
      .submit(["credentials.passcode": .value(.string(World.password))])
    }
    handlers.atEnd = { [org = world.org] state in
      #expect(state.response.isTerminal)
      await org.update(SimulatedUser(login: World.login, password: .init(World.password)))
      return state.response.action(.cancel).map { TerminalAction.submit(Submission($0)) }
    }
    let outcome = try await world.coordinator(handlers).run(world.configuration)
    #expect(outcome.signIn != nil)
    #expect(await world.line.count(of: "cancel") == 1)
  }

  @Test("Without anything to do at the end, the sign-in ends with its last state")
  func end() async throws {
    let world = try World(status: .suspended)
    let end = try #require(try await world.signIn([.login, .password]).end)
    #expect(end.response.says("security.access_denied"))
    #expect(end.status == 403)
  }
}
