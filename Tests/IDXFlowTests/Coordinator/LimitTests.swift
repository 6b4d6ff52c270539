import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import SignInSupport
import Testing

/// Limits on steps and attempts.
struct LimitTests {
  private func limits(_ change: (inout FlowLimits) -> Void) -> FlowLimits {
    var limits = FlowLimits()
    change(&limits)
    return limits
  }

  @Test("A sign-in can take as many steps as the limit says, and not more", .promise("step-limits"))
  func steps() async throws {
    let (outcome, _) = try await TestSignIn().run(
      [.login, .password], limits: limits { $0.steps = 2 })
    expect(outcome.signIn != nil)

    let test = try TestSignIn()
    let person = test.person([.login])
    let error = try await requireError(FlowError.self) {
      try await test.coordinator(.showing(on: person), limits: limits { $0.steps = 1 })
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectContains(error.message, "1 step")
    try await person.finish()
    await expectEqual(test.transport.steps, ["interact", "introspect", "identify"])
  }

  @Test(
    "After as many refusals of a form as the limit says, the person is not asked again"
  )
  func attempts() async throws {
    let test = try TestSignIn()
    let person = test.person([.login, .passcode("one"), .passcode("two")])
    let error = try await requireError(FlowError.self) {
      try await test.coordinator(.showing(on: person), limits: limits { $0.attempts = 2 })
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectEqual(error.remediation, .challengeAuthenticator)
    try await person.finish()
    await expectEqual(test.transport.count(of: "answer"), 2)

    // Each form and each authenticator has its own count.
    let other = try TestSignIn(
      .required(.googleAuthenticator), .googleAuthenticator(secret: "JBSWY3DPEHPK3PXP"))
    let (outcome, _) = try await other.run(
      [
        .login, .passcode("a guess"), .password, .passcode("000000"),
        other.code(of: .googleAuthenticator),
      ], limits: limits { $0.attempts = 2 })
    expect(outcome.signIn != nil)
  }

  @Test("Failures of the server at each attempt are not called refusals")
  func failures() async throws {
    let test = try TestSignIn()
    for _ in 0..<2 { await test.org.inject(.serverError, at: "identify") }
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(TestSignIn.login)]) }
    handlers.onFailure = { _, step in .choose(step.remediation) }
    let error = try await requireError(FlowError.self) {
      try await test.coordinator(handlers, limits: limits { $0.attempts = 2 })
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectContains(error.message, "tried 2 times. The last time, no usable answer came")
    expect(!error.message.contains("refused"))
  }

  @Test(
    "Answers for another form are not sent; the next handler knows why, or the error lists the problems"
  )
  func answersForAnotherForm() async throws {
    let test = try TestSignIn()
    var handlers = Handlers()
    let count = Locked(0)
    handlers.on(.identify) { _ in
      _ = count.increment()
      return .submit(["shoeSize": "39"])
    }
    handlers.fallback = FallbackHandler { step in
      expectEqual(step.attempt, 1)
      expectEqual(step.problems.map(\.path), ["identifier", "shoeSize"])
      expectEqual(step.previous, ["shoeSize": "39"])
      return .end
    }
    guard case .ended = try await test.coordinator(handlers).run(test.configuration) else {
      Issue.record("The next handler was not asked.")
      return
    }
    expectEqual(count.withLock { $0 }, 1)
    await expectEqual(test.transport.steps, ["interact", "introspect"])

    for answers in [["shoeSize": "39"], ["identifier": "ada", "shoeSize": "39"]] as [Answers] {
      let test = try TestSignIn()
      var handlers = Handlers()
      handlers.on(.identify) { _ in .submit(answers) }
      let log = EventLog()
      let error = try await requireError(FlowError.self) { [handlers] in
        try await test.coordinator(handlers, log: log).run(test.configuration)
      }
      expectEqual(error.code, .invalidAnswers)
      expect(error.underlying is InvalidAnswers)
      expectContains(error.message, "shoeSize")
      await expectEqual(test.transport.requests.count, 2)
      await expectEqual(log.lines, ["received identify"])
    }
  }

  @Test("A person whose answers have a problem is asked again, also for the same answers")
  func correctedAnswers() async throws {
    let test = try TestSignIn()
    var handlers = Handlers()
    handlers.on(.identify) { step in
      expectEqual(step.problems.isEmpty, step.attempt == 1)
      return step.attempt < 4 ? .submit([:]) : .submit(["identifier": .text(TestSignIn.login)])
    }
    handlers.on(.challengeAuthenticator) { step in
      expectEqual(step.attempt, 1)
      return .submit(["credentials.passcode": .text(TestSignIn.password)])
    }
    try await expect(test.coordinator(handlers).run(test.configuration).signIn != nil)
    await expectEqual(
      test.transport.steps, ["interact", "introspect", "identify", "answer", "token"])
  }

  @Test(
    "Accepted answers that lead back to a form, also over others, are attempts; the error names the circle"
  )
  func circle() async throws {
    // The list, and a form beside it that nobody answers.
    let document = Wire.document([
      Wire.form("authenticator-verification-data", [["name": "methodType", "required": true]]),
      Wire.form(
        "select-authenticator-authenticate", [["name": "authenticator", "required": true]]),
    ])
    let transport = RequestLog(StubServer(document: document) { _ in .json(document) })
    var handlers = Handlers()
    let attempts = Locked<[Int]>([])
    handlers.on(.selectAuthenticatorAuthenticate) { step in
      attempts.withLock { $0.append(step.attempt) }
      return .submit(["authenticator": "okta_verify"])
    }
    let error = try await requireError(FlowError.self) { try await transport.run(handlers) }
    expectEqual(error.code, .limitReached)
    expectEqual(attempts.withLock { $0 }, Array(1...10))
    expectContains(error.message, "circle")
    expectContains(error.message, "select-authenticator-authenticate")
    expectContains(error.message, "authenticator-verification-data")

    let first = Wire.document(of: ["name": "a", "required": true], name: "first")
    let second = Wire.document(of: ["name": "b", "required": true], name: "second")
    let third = Wire.document(of: ["name": "c", "required": true], name: "third")
    let documents = [first, second, first, second, first, third, first, second]
    let counted = Locked<[String]>([])
    handlers = Handlers()
    handlers.fallback = FallbackHandler { step in
      counted.withLock { $0.append("\(step.remediation.name) \(step.attempt)") }
      return .submit([step.remediation.form.fields[0].name: "x"])
    }
    _ = try await RequestLog(StubServer(documents)).run(handlers)
    expectEqual(
      counted.withLock { $0 },
      [
        "first 1", "second 1", "first 1", "second 2", "first 2", "third 1", "first 1", "second 1",
      ])
  }

  @Test("A person may go back and forth as often as the steps allow")
  func personInCircle() async throws {
    let document = Wire.document([
      Wire.form("a-step", [["name": "code", "required": true]]),
      Wire.form(
        "select-authenticator-authenticate", [["name": "authenticator", "required": true]]),
    ])
    let transport = RequestLog(StubServer(document: document) { _ in .json(document) })
    let replies = (0..<15).flatMap { _ in
      [
        ScriptedReply.instead("code", .selectAuthenticatorAuthenticate),
        .answer("authenticator", "email"),
      ]
    }
    let person = ScriptedFrontEnd(replies + [.cancel("code")])
    try await expect(transport.run(.showing(on: person)).isCancelled)
    try await person.finish()
    await expectEqual(transport.count(of: "select-authenticator-authenticate"), 15)
  }

  @Test("If the server accepts no more answers, the error is its rate limit")
  func locked() async throws {
    let test = try TestSignIn()
    let guesses = Array(repeating: ScriptedReply.passcode("wrong"), count: 6)
    let error = try await requireError(FlowError.self) {
      try await test.run([.login] + guesses, limits: limits { $0.attempts = 6 })
    }
    expectEqual(error.code, .rateLimited)
    expectEqual(error.status, 429)
    expectContains(error.message, "too many")
  }
}

/// A closure as a fallback.
private struct FallbackHandler: StepHandler {
  let body: @Sendable (Step) async throws -> Decision

  func decide(_ step: Step) async throws -> Decision { try await body(step) }
}
