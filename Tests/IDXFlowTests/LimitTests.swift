import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Limits")
struct LimitTests {
  private func limits(_ change: (inout FlowLimits) -> Void) -> FlowLimits {
    var limits = FlowLimits()
    change(&limits)
    return limits
  }

  @Test("A sign-in may take as many requests as the limit says, and not one more")
  func steps() async throws {
    let world = try World()
    let outcome = try await world.signIn([.login, .password], limits: limits { $0.steps = 2 })
    #expect(outcome.signIn != nil)

    let other = try World()
    let person = other.person([.login])
    let error = try await flowError {
      try await other.signIn([], limits: limits { $0.steps = 1 }, person: person)
    }
    #expect(error.code == .limitReached)
    #expect(error.message.contains("1 step"))
    try await person.finish()
    #expect(await other.line.steps == ["interact", "introspect", "identify"])
  }

  @Test("After as many refusals as the limit says, nobody is asked again")
  func attempts() async throws {
    let world = try World()
    let person = world.person([.login, .passcode("one"), .passcode("two")])
    let error = try await flowError {
      try await world.signIn([], limits: limits { $0.attempts = 2 }, person: person)
    }
    #expect(error.code == .limitReached)
    #expect(error.remediation == .challengeAuthenticator)
    try await person.finish()
    #expect(await world.line.count(of: "answer") == 2)
  }

  @Test("Refusals are counted anew for each form and each authenticator")
  func attemptsPerForm() async throws {
    let world = try World(
      .required(.googleAuthenticator),
      enrollments: [.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP")])
    let outcome = try await world.signIn(
      [
        .login, .passcode("a guess"), .password, .passcode("000000"),
        .answer("credentials.passcode") { [org = world.org] in
          await org.authenticatorCode(for: World.login)
        },
      ], limits: limits { $0.attempts = 2 })
    #expect(outcome.signIn != nil)
  }

  @Test("Answers that do not fit the form count as attempts, and the error says what is wrong")
  func invalidAnswers() async throws {
    let world = try World()
    var handlers = Handlers()
    handlers.on(.identify) { step in
      if step.attempt > 1 {
        #expect(step.problems.map(\.path) == ["identifier", "shoeSize"])
        #expect(step.previous == ["shoeSize": "39"])
      }
      return .submit(["shoeSize": "39"])
    }
    let log = EventLog()
    let error = try await flowError {
      try await world.coordinator(handlers, limits: limits { $0.attempts = 3 }, log: log)
        .run(world.configuration)
    }
    #expect(error.code == .limitReached)
    #expect((error.underlying as? InvalidAnswers)?.problems.count == 2)
    #expect(error.message.contains("shoeSize"))
    #expect(await world.line.requests.count == 2)
    #expect(await log.lines == ["received identify"])
  }

  @Test("Answers that are mended after they did not fit are sent")
  func mendedAnswers() async throws {
    let world = try World()
    var handlers = Handlers()
    handlers.on(.identify) { step in
      step.problems.isEmpty ? .submit([:]) : .submit(["identifier": .value(.string(World.login))])
    }
    handlers.on(.challengeAuthenticator) { step in
      #expect(step.attempt == 1)
      return .submit(["credentials.passcode": .value(.string(World.password))])
    }
    #expect(try await world.coordinator(handlers).run(world.configuration).signIn != nil)
  }

  @Test("Where the server takes no more answers, that is what ends the sign-in")
  func locked() async throws {
    let world = try World()
    let guesses = Array(repeating: ScriptedReply.passcode("wrong"), count: 6)
    let error = try await flowError {
      try await world.signIn([.login] + guesses, limits: limits { $0.attempts = 6 })
    }
    #expect(error.code == .rateLimited)
    #expect(error.status == 429)
    #expect(error.message.contains("too often"))
  }
}
