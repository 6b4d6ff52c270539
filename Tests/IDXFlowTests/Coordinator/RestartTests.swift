import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@testable import IDXFlow

@Suite("Starting over and the end of a sign-in", .timeLimit(.minutes(10)))
struct RestartTests {
  /// A server that answers each start with the next document, and then always with the last one.
  private struct RestartServer: Transport {
    let documents: Locked<[JSONValue]>

    init(_ documents: JSONValue...) { self.documents = Locked(documents) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      switch request.url.lastPathComponent {
      case "interact": .json(["interaction_handle": "ih_stub"])
      case "keys": .json(["keys": []])
      case "token": .json(["access_token": "at", "token_type": "Bearer", "expires_in": 3600])
      default: .json(documents.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
      }
    }
  }

  private static let expired = Wire.document(
    [], [("messages", Wire.messages("idx.session.expired"))])

  @Test("An expired sign-in can start over, with a new handle, verifier and state")
  func expiry() async throws {
    let test = try TestSignIn()
    let (outcome, person) = try await test.run([
      .login,
      .answer("credentials.passcode") { [org = test.org] in
        org.advance(by: 3600)
        return TestSignIn.password
      },
      .startingOver, .login, .password,
    ])
    expect(outcome.signIn != nil)
    await expectEqual(person.ends.map(\.title), ["You are not signed in"])
    let starts = await test.transport.requests.filter { $0.url.lastPathComponent == "interact" }
    expectEqual(starts.count, 2)
    expectEqual(Set(starts.map { $0.parameters["code_challenge"] }).count, 2)
    expectEqual(Set(starts.map { $0.parameters["state"] }).count, 2)
  }

  @Test("An expired sign-in starts again even if it could be cancelled")
  func expiryWithCancel() async throws {
    let expired = Wire.document(
      [],
      [("messages", Wire.messages("idx.session.expired")), ("cancel", Wire.form("cancel"))])
    let transport = RequestLog(StubServer(document: expired))
    let person = ScriptedFrontEnd([.startingOver, .startingOver])
    let end = try await transport.run(.showing(on: person)).end
    expectEqual(end?.response.says(.sessionExpired), true)
    await expectEqual(
      transport.steps, Array(repeating: ["interact", "introspect"], count: 3).flatMap(\.self))
  }

  @Test("If every sign-in ends at once, starting over ends at the limit")
  func limit() async throws {
    struct TooOften: Error {}
    let asked = Locked(0)
    var handlers = Handlers()
    handlers.atEnd = { _ in
      if asked.increment() > 50 { throw TooOften() }
      return .restart
    }
    var limits = FlowLimits()
    limits.steps = 5
    let error = try await requireError(FlowError.self) {
      try await RestartServer(Self.expired).run(handlers, limits: limits)
    }
    expectEqual(error.code, .limitReached)
    expectEqual(asked.withLock { $0 }, 6)
  }

  @Test("The user of the first sign-in is not the user of the second")
  func user() async throws {
    let user: JSONValue = ["value": ["id": "u1", "identifier": "ada@shop.example"]]
    let code: JSONValue = ["name": "interaction_code", "value": "ic", "required": true]
    let issue = Wire.form("issue", href: Wire.origin + "/oauth2/default/v1/token", [code])
    let first = Wire.document(
      [], [("user", user), ("messages", Wire.messages("idx.session.expired"))])
    let second = Wire.document([], [("successWithInteractionCode", issue)])
    let signIn = try await RestartServer(first, second)
      .run(.showing(on: ScriptedFrontEnd([.startingOver]))).signIn
    expect(signIn != nil)
    expectEqual(signIn?.user, nil)
  }

  @Test("If the way to a goal ended with an error, it is taken again after starting over")
  func goal() async throws {
    let first = Wire.document([
      Wire.form("identify", [["name": "identifier", "required": true]]),
      Wire.form("select-enroll-profile"),
    ])
    let profile = Wire.document([
      Wire.form("enroll-profile", [["name": "email", "required": true]])
    ])
    let person = ScriptedFrontEnd([.startingOver, .cancel("email")])
    let outcome = try await RestartServer(first, Self.expired, first, profile)
      .run(.showing(on: person), goal: .register)
    expect(outcome.isCancelled)
  }

  @Test("A saved sign-in that starts over asks for the maximum age again")
  func maximumAge() async throws {
    let transport = RequestLog(RestartServer(Self.expired))
    var options = StartOptions()
    options.maximumAge = 60
    let state = try await transport.client.start(Wire.configuration(), options)
    let ends = Locked(0)
    var handlers = Handlers()
    handlers.atEnd = { _ in ends.increment() % 2 == 1 ? .restart : nil }
    let coordinator = FlowCoordinator(client: transport.client, handlers: handlers)
    try await expect(coordinator.run(from: state).end != nil)
    var progress = FlowProgress(state)
    expect(
      try await FlowEngine(client: transport.client).make(.end(.restart), in: &progress) == nil)
    let starts = await transport.requests.filter { $0.url.lastPathComponent == "interact" }
    expectEqual(starts.map { $0.parameters["max_age"] }, ["60", "60", "60"])
  }

  @Test("At the end, a handler can submit a form, and it is not asked after a success")
  func atEnd() async throws {
    let test = try TestSignIn(status: .suspended)
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(TestSignIn.login)]) }
    handlers.on(.challengeAuthenticator) { _ in
      .submit(["credentials.passcode": .text(TestSignIn.password)])
    }
    handlers.atEnd = { [org = test.org] state in
      expect(state.response.isTerminal)
      await org.update(.demo)
      return state.response.action(.cancel).map { EndDecision.submit(Submission($0)) }
    }
    let outcome = try await test.coordinator(handlers).run(test.configuration)
    expect(outcome.signIn != nil)
    await expectEqual(test.transport.count(of: "cancel"), 1)
  }
}
