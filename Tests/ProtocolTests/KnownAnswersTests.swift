import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

@Suite("Answers that a program knows")
struct KnownAnswersTests {
  private static let answers: Answers = [
    "identifier": .text(SimulatedUser.demo.login),
    "credentials.passcode": .text(SimulatedUser.demo.password.revealed),
  ]

  private func run(
    _ handlers: Handlers, _ signInProtocol: SignInProtocol, _ org: SimulatedOrg
  ) async throws -> Outcome {
    let coordinator = FlowCoordinator(
      client: signInProtocol.client(of: org), handlers: handlers,
      sleep: { org.advance(by: $0 / .seconds(1)) })
    return try await coordinator.run(org.configuration)
  }

  private func app(of org: SimulatedOrg) -> AuthenticatorChoice {
    .googleAuthenticator { _ in
      Secret(await org.authenticatorCode(for: SimulatedUser.demo.login) ?? "")
    }
  }

  @Test("A password", arguments: SignInProtocol.all)
  func password(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(.password)
    try await expect(run(.answering(Self.answers), signInProtocol, org).signIn != nil)
  }

  @Test(
    "A password and a push of Okta Verify, alone or among other authenticators",
    arguments: SignInProtocol.all, [OrgScenario.push, .severalFactors])
  func push(signInProtocol: SignInProtocol, scenario: OrgScenario) async throws {
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    try await expect(run(handlers, signInProtocol, SimulatedOrg(scenario)).signIn != nil)
  }

  @Test("A push before which the server asks for the method, and whether to send it")
  func askedPush() async throws {
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    try await expect(run(handlers, .idx, SimulatedOrg(.automaticPush)).signIn != nil)
  }

  @Test("A password and a code, chosen among many authenticators", arguments: SignInProtocol.all)
  func code(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(.severalFactors)
    let handlers = Handlers.answering(
      Self.answers, choosing: [AuthenticatorChoice(.customApp), app(of: org)])
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
  }

  @Test(
    "A code by text or by call, chosen by its method", arguments: SignInProtocol.all,
    ["sms", "voice"])
  func phone(signInProtocol: SignInProtocol, method: String) async throws {
    let org = SimulatedOrg(.phone)
    let phone = AuthenticatorChoice.phone(IDXAuthenticator.Method(rawValue: method)) { _ in
      Secret(await org.mailbox.messages.last?.code ?? "")
    }
    let handlers = Handlers.answering(Self.answers, choosing: [phone])
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
    await expectEqual(org.mailbox.messages.last?.method.rawValue, method)
  }

  @Test("The answer to a security question", arguments: [SignInProtocol.idx, .classic])
  func securityQuestion(signInProtocol: SignInProtocol) async throws {
    let handlers = Handlers.answering(
      Self.answers, choosing: [.securityQuestion { _ in "algebraic patterns" }])
    let org = SimulatedOrg(.securityQuestion)
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
  }

  @Test(
    "A refusal ends the sign-in with the server's message, after one try",
    arguments: SignInProtocol.all)
  func refused(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(.password)
    var answers = Self.answers
    answers["credentials.passcode"] = "wrong"
    let outcome = try await run(.answering(answers), signInProtocol, org)
    guard case .ended(let state) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    expect(state.response.allMessages.contains { $0.isError && $0.text?.isEmpty == false })
    let tries = await org.requests.filter {
      $0.hasSuffix("/challenge/answer") || $0.hasSuffix("/token") || $0.hasSuffix("/authn")
    }
    expectEqual(tries.count, 1)
  }

  @Test(
    "A push that is rejected ends the sign-in with the server's message",
    arguments: SignInProtocol.all)
  func rejected(signInProtocol: SignInProtocol) async throws {
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    let outcome = try await run(handlers, signInProtocol, SimulatedOrg(.rejectedPush))
    guard case .ended(let state) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    expect(state.isRefusal)
  }

  @Test("An enrollment that can be skipped is skipped; a chosen one is set up with its code")
  func enrollment() async throws {
    try await expect(run(.answering(Self.answers), .idx, SimulatedOrg(.demo)).signIn != nil)
    let org = SimulatedOrg(.googleAuthenticatorEnrollment)
    let handlers = Handlers.answering(Self.answers, choosing: [app(of: org)])
    try await expect(run(handlers, .idx, org).signIn != nil)
  }

  @Test("A password that expires soon is kept, and no new password is made of the known one")
  func expiring() async throws {
    try await expect(
      run(.answering(Self.answers), .idx, SimulatedOrg(.passwordExpiring)).signIn != nil)
    let error = try await flowError {
      try await run(.answering(Self.answers), .idx, SimulatedOrg(.passwordExpired))
    }
    expectEqual(error.code, .noHandler)
    expectEqual(error.remediation, .reenrollAuthenticator)
  }

  @Test(
    "The password is never sent as the code of another authenticator, and nothing opens by itself")
  func onlyThePassword() async throws {
    let org = SimulatedOrg(.googleAuthenticator)
    let error = try await flowError { try await run(.answering(Self.answers), .idx, org) }
    expectEqual(error.code, .noHandler)
    expectEqual(error.remediation, .challengeAuthenticator)
    let registering = SimulatedOrg(.registration)
    let unknown = try await flowError { try await run(.answering([:]), .idx, registering) }
    expectEqual(unknown.remediation, .identify)
  }

  @Test("A search for Okta Verify on this device is canceled")
  func deviceSearch() async throws {
    try await expect(
      run(.answering(Self.answers), .idx, SimulatedOrg(.deviceChallenge)).signIn != nil)
  }

  @Test("Fields of a profile are answered by their paths")
  func profile() async throws {
    var answers = Self.answers
    answers["userProfile.department"] = "Engines"
    answers["userProfile.nickName"] = "Ada"
    let org = SimulatedOrg(.progressiveProfile)
    let outcome = try? await run(.answering(answers), .idx, org)
    expect(outcome?.signIn != nil)
  }

  @Test(
    "The same answer chooses an authenticator and its method in every protocol",
    arguments: SignInProtocol.all)
  func portableAnswer(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(.severalFactors)
    var handlers = Handlers.answering(Self.answers)
    handlers.on(.selectAuthenticatorAuthenticate) { step in
      // Identity Engine may ask for the password in the same list first.
      let isSecond = step.remediation["authenticator"]?.choices.contains {
        $0.authenticator?.key == .oktaVerify
      }
      guard isSecond == true else { return .decline }
      return .submit([
        "authenticator": .authenticator(.oktaVerify), "authenticator.methodType": "push",
      ])
    }
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
  }

  @Test("They print nothing of the answers")
  func redacted() {
    let known = KnownAnswers(Self.answers)
    expect(!"\(known)".contains(SimulatedUser.demo.password.revealed))
    expectContains("\(known)", "credentials.passcode")
  }
}
