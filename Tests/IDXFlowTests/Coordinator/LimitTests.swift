import Expectations
import Foundation
import IDX
import IDXFlow
import IDXTesting
import SignInSupport
import Testing

@Suite("Limits on steps and attempts")
struct LimitTests {
  private func limits(_ change: (inout FlowLimits) -> Void) -> FlowLimits {
    var limits = FlowLimits()
    change(&limits)
    return limits
  }

  @Test("A sign-in can take as many steps as the limit says, and not more")
  func steps() async throws {
    let (outcome, _) = try await TestSignIn().run(
      [.login, .password], limits: limits { $0.steps = 2 })
    expect(outcome.signIn != nil)

    let test = try TestSignIn()
    let person = test.person([.login])
    let error = try await flowError {
      try await test.coordinator(.showing(on: person), limits: limits { $0.steps = 1 })
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectContains(error.message, "1 step")
    try await person.finish()
    await expectEqual(test.transport.steps, ["interact", "introspect", "identify"])
  }

  @Test("After as many refusals as the limit says, the person is not asked again")
  func attempts() async throws {
    let test = try TestSignIn()
    let person = test.person([.login, .passcode("one"), .passcode("two")])
    let error = try await flowError {
      try await test.coordinator(.showing(on: person), limits: limits { $0.attempts = 2 })
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectEqual(error.remediation, .challengeAuthenticator)
    try await person.finish()
    await expectEqual(test.transport.count(of: "answer"), 2)
  }

  @Test("Failures of the server at each attempt are not called refusals")
  func failures() async throws {
    let test = try TestSignIn()
    for _ in 0..<2 { await test.org.inject(.serverError, at: "identify") }
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(TestSignIn.login)]) }
    handlers.onFailure = { _, step in .choose(step.remediation) }
    let error = try await flowError {
      try await test.coordinator(handlers, limits: limits { $0.attempts = 2 })
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectContains(error.message, "tried 2 times. The last time, no usable answer came")
    expect(!error.message.contains("refused"))
  }

  @Test("Refusals are counted separately for each form and each authenticator")
  func attemptsPerForm() async throws {
    let test = try TestSignIn(
      .required(.googleAuthenticator), .googleAuthenticator(secret: "JBSWY3DPEHPK3PXP"))
    let (outcome, _) = try await test.run(
      [
        .login, .passcode("a guess"), .password, .passcode("000000"),
        test.code(of: .googleAuthenticator),
      ], limits: limits { $0.attempts = 2 })
    expect(outcome.signIn != nil)
  }

  @Test("Answers that do not fit the form count as attempts, and the error lists the problems")
  func invalidAnswers() async throws {
    let test = try TestSignIn()
    var handlers = Handlers()
    handlers.on(.identify) { step in
      if step.attempt > 1 {
        expectEqual(step.problems.map(\.path), ["identifier", "shoeSize"])
        expectEqual(step.previous, ["shoeSize": "39"])
      }
      return .submit(["shoeSize": "39"])
    }
    let log = EventLog()
    let error = try await flowError {
      try await test.coordinator(handlers, limits: limits { $0.attempts = 3 }, log: log)
        .run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectEqual((error.underlying as? InvalidAnswers)?.problems.count, 2)
    expectContains(error.message, "shoeSize")
    await expectEqual(test.transport.requests.count, 2)
    await expectEqual(log.lines, ["received identify"])
  }

  @Test("Answers that were corrected are sent")
  func correctedAnswers() async throws {
    let test = try TestSignIn()
    var handlers = Handlers()
    handlers.on(.identify) { step in
      step.problems.isEmpty ? .submit([:]) : .submit(["identifier": .text(TestSignIn.login)])
    }
    handlers.on(.challengeAuthenticator) { step in
      expectEqual(step.attempt, 1)
      return .submit(["credentials.passcode": .text(TestSignIn.password)])
    }
    try await expect(test.coordinator(handlers).run(test.configuration).signIn != nil)
  }

  @Test("If the server accepts no more answers, the error is its rate limit")
  func locked() async throws {
    let test = try TestSignIn()
    let guesses = Array(repeating: ScriptedReply.passcode("wrong"), count: 6)
    let error = try await flowError {
      try await test.run([.login] + guesses, limits: limits { $0.attempts = 6 })
    }
    expectEqual(error.code, .rateLimited)
    expectEqual(error.status, 429)
    expectContains(error.message, "too many")
  }
}
