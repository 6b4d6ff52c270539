import Expectations
import Foundation
import IDX
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// Lost replies and cancelled requests.
struct LostResponseTests {
  private let password: Answers = ["credentials.passcode": .text(TestSignIn.password)]

  @Test(
    "If an answer may have arrived, the server is asked for the current state, and otherwise not",
    .promise("lost-response"))
  func mayHaveArrived() async throws {
    let test = try TestSignIn()
    let state = try await test.afterUsername()
    await test.org.inject(.responseLost, at: "challenge/answer")
    let next = try await test.client.proceed(.challengeAuthenticator, password, from: state)
    expect(next.response.issue != nil)
    await expectEqual(
      test.transport.steps, ["interact", "introspect", "identify", "answer", "introspect"])
    try await expectEqual(test.client.redeem(next).scopes.isEmpty, false)

    let other = try TestSignIn()
    let asking = try await other.afterUsername()
    await other.org.inject(.unreachable, at: "challenge/answer")
    let error = try await requireError(FlowError.self) {
      try await other.client.proceed(.challengeAuthenticator, password, from: asking)
    }
    expectEqual(error.code, .network)
    expectEqual(error.remediation, .challengeAuthenticator)
    expectEqual((error.underlying as? TransportError)?.mayHaveArrived, false)
    await expectEqual(other.transport.count(of: "introspect"), 1)
  }

  @Test(
    "If the request for the current state fails too, the first error is thrown",
    arguments: [Fault.unreachable, .responseLost, .serverError, .rateLimited(seconds: 5)])
  func failedRefresh(fault: Fault) async throws {
    let test = try TestSignIn()
    let state = try await test.afterUsername()
    await test.org.inject(.responseLost, at: "challenge/answer")
    await test.org.inject(fault, at: "introspect")
    let error = try await requireError(FlowError.self) {
      try await test.client.proceed(.challengeAuthenticator, password, from: state)
    }
    expectEqual(error.code, .network)
    expectEqual((error.underlying as? TransportError)?.code, .connectionLost)
    await expectEqual(test.transport.count(of: "answer"), 1)
    await expectEqual(test.transport.count(of: "introspect"), 2)
    let current = try await test.client.refresh(state)
    expect(current.response.issue != nil)
  }

  @Test(
    "A start whose reply was lost can be repeated; lost tokens are not requested again",
    .promise("lost-response"))
  func lostTokens() async throws {
    for step in ["interact", "introspect"] {
      let test = try TestSignIn()
      await test.org.inject(.responseLost, at: step)
      let error = try await requireError(FlowError.self) {
        try await test.client.start(test.configuration)
      }
      expectEqual(error.code, .network)
      try await expectEqual(test.client.start(test.configuration).names, [.identify])
    }
    // The code works once.
    let test = try TestSignIn()
    let state = try await test.afterPassword()
    await test.org.inject(.responseLost, at: "token")
    let error = try await requireError(FlowError.self) { try await test.client.redeem(state) }
    expectEqual(error.code, .network)
    await expectEqual(test.transport.count(of: "token"), 1)
  }

  @Test(
    "If the refusal of a wrong answer is lost, the error says so, and the answer is not accepted")
  func unconfirmed() async throws {
    let test = try TestSignIn()
    let state = try await test.afterUsername()
    await test.org.inject(.responseLost, at: "challenge/answer")
    let error = try await requireError(FlowError.self) {
      try await test.client.proceed(
        .challengeAuthenticator, ["credentials.passcode": "a guess"], from: state)
    }
    expectEqual(error.code, .answerUnconfirmed)
    expectEqual((error.underlying as? FlowError)?.code, .network)
    expectSuffix(error.message, "so the answer may not have arrived.")
    await expectEqual(test.transport.count(of: "answer"), 1)
    let next = try await test.client.proceed(.challengeAuthenticator, password, from: state)
    expect(next.response.issue != nil)
  }

  @Test(
    "A lost answer is not accepted; the person sees why and is asked again",
    arguments: [
      (Fault.responseLost, "answer_unconfirmed"), (.unreachable, "network"),
      (.serverError, "answer_unconfirmed"), (.rateLimited(seconds: 5), "rate_limited"),
    ])
  func askedAgain(fault: Fault, code: String) async throws {
    let test = try TestSignIn()
    await test.org.inject(fault, at: "challenge/answer")
    let log = EventLog()
    let (outcome, person) = try await test.run([.login, .passcode("a guess"), .password], log: log)
    expect(outcome.signIn != nil)
    await expectEqual(test.transport.count(of: "answer"), 2)
    await expectEqual(person.problems.count, 1)
    await expectEqual(
      log.lines.dropFirst(4),
      [
        "submitting challenge-authenticator", "failed challenge-authenticator: \(code)",
        "submitting challenge-authenticator",
        "accepted challenge-authenticator of okta_password", "received no form",
      ])
  }

  @Test(
    "If nobody knows whether an answer arrived, the server is asked before another one is sent",
    arguments: [true, false], [0, 1])
  func askedBeforeTheNextAnswer(hasArrived: Bool, failures: Int) async throws {
    let test = try TestSignIn()
    let start = try await test.client.start(test.configuration)
    if hasArrived {
      await test.org.inject(.responseLost, at: "identify")
    } else {
      await test.org.inject(.serverError, at: "identify")
    }
    for _ in 0...failures { await test.org.inject(.unreachable, at: "introspect") }
    let logins = [ScriptedReply](repeating: .login, count: 2 + failures)
    let person = test.person(logins + [.password])
    let coordinator = test.coordinator(.showing(Screens(), on: person), person: person)
    let outcome = try await coordinator.run(from: start)
    try await person.finish()
    expect(outcome.signIn != nil)
    await expectEqual(test.transport.count(of: "identify"), hasArrived ? 1 : 2)
  }

  @Test(
    "A script uses an entry once more if its answer may not have arrived, but not twice",
    .promise("lost-response"),
    arguments: [1, 2])
  func script(failures: Int) async throws {
    let test = try TestSignIn()
    for _ in 0..<failures { await test.org.inject(.serverError, at: "challenge/answer") }
    let script = try Script(
      parsing: JSONValue.array([
        ["step": "identify", "fields": ["identifier": .string(TestSignIn.login)]],
        [
          "step": "challenge-authenticator",
          "fields": ["credentials.passcode": .string(TestSignIn.password)],
        ],
      ]).bytes)
    let handlers = ScriptHandler(script).handlers
    if failures == 1 {
      let outcome = try await test.coordinator(handlers).run(test.configuration)
      expect(outcome.signIn != nil)
    } else {
      let error = try await requireError(FlowError.self) {
        try await test.coordinator(handlers).run(test.configuration)
      }
      expectEqual(error.code, .answerUnconfirmed)
    }
    await expectEqual(test.transport.count(of: "answer"), 2)
  }

  @Test("An answer to a form that is also polled is sent once", arguments: [500, 503, 429])
  func polledAnswer(status: Int) async throws {
    let password: JSONValue = ["name": "passcode", "required": true, "secret": true]
    let document = Wire.document([Wire.form("identify", [password], [("refresh", 500)])])
    let server = StubServer(document: document) { _ in TransportResponse(status: status) }
    let transport = RequestLog(server)
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["passcode": "Analytical-1843"]) }
    _ = try await requireError(FlowError.self) { try await transport.run(handlers) }
    await expectEqual(transport.count(of: "identify"), 1)
  }

  @Test(
    "What the handlers decide after a failure is done at once, and without a decision, the sign-in ends"
  )
  func failureAtEnd() async throws {
    let end = Wire.document([], [("cancel", Wire.form("cancel", []))])
    let server = StubServer(document: end) { _ in TransportResponse(status: 503) }
    var handlers = Handlers()
    let ends = Locked(0)
    handlers.atEnd = { state in
      _ = ends.increment()
      return state.response.action(.cancel).map { .submit(Submission($0)) }
    }
    handlers.onFailure = { _, _ in .cancel }
    guard case .cancelled = try await server.run(handlers) else {
      Issue.record("The sign-in was not cancelled.")
      return
    }
    expectEqual(ends.withLock { $0 }, 1)

    let test = try TestSignIn()
    await test.org.inject(.serverError, at: "identify")
    handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(TestSignIn.login)]) }
    let error = try await requireError(FlowError.self) {
      try await test.coordinator(handlers).run(test.configuration)
    }
    expectEqual(error.code, .answerUnconfirmed)
    await expectEqual(test.transport.count(of: "identify"), 1)
  }

  @Test(
    "Cancelling the task ends an answer, and the request for the current state after it",
    arguments: ["identify", "introspect"])
  func cancelled(step: String) async throws {
    let test = try TestSignIn()
    let state = try await test.client.start(test.configuration)
    if step == "introspect" { await test.org.inject(.responseLost, at: "identify") }
    await test.org.inject(.held, at: step)
    let task = Task { try await test.client.proceed(.identify, ["identifier": "ada"], from: state) }
    await test.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A task that was cancelled before sends nothing")
  func cancelledBefore() async throws {
    let test = try TestSignIn()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await test.client.start(test.configuration)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await expectEmpty(test.transport.requests)
  }
}
