import Expectations
import Foundation
import IDX
import IDXBase
import IDXDirectAuth
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXFlow

/// Phases of a sign-in, with several protocols.
struct FlowPhaseTests {
  private static let protocols: [SignInProtocol] = [.idx, .direct]

  private static func client(_ signInProtocol: SignInProtocol, _ test: TestSignIn) -> any FlowClient
  {
    signInProtocol == .idx
      ? test.client : DirectAuthClient(transport: test.org, tokens: test.org.tokenClient)
  }

  private struct AppError: Error, CustomStringConvertible {
    let description = "Analytical-1843 was typed"
  }

  private func handlers(_ password: @escaping @Sendable () throws -> Decision) -> Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(TestSignIn.login)]) }
    handlers.on(.challengeAuthenticator, .password) { _ in try password() }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in
      .submit(["authenticator": .authenticator(.oktaVerify)])
    }
    handlers.on(.authenticatorVerificationData, .oktaVerify) { _ in
      .submit(["authenticator.methodType": "push"])
    }
    handlers.on(.challengePoll) { _ in .poll() }
    return handlers
  }

  private static let rightPassword: @Sendable () -> Decision = {
    .submit(["credentials.passcode": .text(TestSignIn.password)])
  }

  /// The phases of a sign-in by a coordinator.
  private func phases(
    _ signInProtocol: SignInProtocol, _ test: TestSignIn,
    _ password: @escaping @Sendable () throws -> Decision = rightPassword
  ) async -> [FlowPhase] {
    let phases = Locked([FlowPhase.authenticating])
    let coordinator = FlowCoordinator(
      client: Self.client(signInProtocol, test), handlers: handlers(password),
      sleep: { test.org.advance(by: $0 / .seconds(1)) },
      observe: { event in
        phases.withLock { phases in
          var phase = phases[phases.count - 1]
          phase.take(event)
          phases.append(phase)
        }
      })
    let end: FlowPhase
    do { end = FlowPhase(try await coordinator.run(test.configuration)) } catch {
      end = FlowPhase(error)
    }
    return phases.withLock { $0 } + [end]
  }

  /// The names of the phases, without repetitions.
  private func names(_ phases: [FlowPhase]) -> [String] {
    phases.map(\.description).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test("A push is waited for, with the app and the number", arguments: protocols)
  func push(signInProtocol: SignInProtocol) async throws {
    let phases = await phases(signInProtocol, try TestSignIn(OrgScenario["push-number"]))
    expectEqual(names(phases), ["authenticating", "waiting", "authenticating", "signed in"])
    let waits = phases.compactMap { phase -> FlowPhase.Wait? in
      if case .waiting(let wait) = phase { wait } else { nil }
    }
    let wait = try require(waits.first)
    expectEqual(wait.authenticator?.key, .oktaVerify)
    let number = try require(wait.number)
    expect(number.count == 2 && waits.allSatisfy { $0.number == number })
    expectEqual((wait.expiresAt != nil), (signInProtocol == .idx))
    guard case .signedIn(let credential)? = phases.last else {
      Issue.record("The last phase is not that of a signed-in person.")
      return
    }
    expectEqual(credential.username, TestSignIn.login)
    // No description contains the number or a token.
    for phase in phases {
      let text = printedTexts(of: phase)
      expect(!text.contains(number))
      expect(!text.contains(credential.tokens.accessToken.revealed))
    }
    expect("\(wait)" == "wait for Okta Verify" && Mirror(reflecting: wait).children.isEmpty)
  }

  @Test(
    "After a wrong password, the phase is failed only if a handler ends the sign-in",
    arguments: protocols)
  func wrongPassword(signInProtocol: SignInProtocol) async throws {
    let test = try TestSignIn(OrgScenario["password"])
    let client = Self.client(signInProtocol, test)
    var state = try await client.proceed(
      .identify, ["identifier": .text(TestSignIn.login)], from: client.start(test.configuration))
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "Wrong-1843"], from: state)
    expect(FlowPhase(state).description == "authenticating" && state.isRefusal)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)], from: state)
    // The tokens are not here yet, and may fail a check.
    expect(state.isSignedIn && FlowPhase(state).description == "authenticating")
    let phase = FlowPhase.signedIn(try await client.redeem(state))
    expectEqual(phase.description, "signed in")

    let answers: Answers = ["identifier": .text(TestSignIn.login), "credentials.passcode": "wrong"]
    let coordinator = FlowCoordinator(client: client, handlers: .answering(answers))
    let outcome = try await coordinator.run(test.configuration)
    guard case .ended(let end) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(FlowPhase(outcome), .failed(.ended(end)))
    expectEqual(FlowPhase(outcome).message, end.response.allMessages.first?.text)
  }

  @Test(
    "An account that is locked, or that may not use the app, fails with the reason",
    arguments: protocols)
  func locked(signInProtocol: SignInProtocol) async throws {
    let locked = await phases(signInProtocol, try TestSignIn(.passwordOnly, status: .locked))
    expectEqual(names(locked), ["authenticating", "failed"])
    guard case .failed(.error(let error))? = locked.last else {
      Issue.record("The last phase is not an error.")
      return
    }
    // With Identity Engine, the org counts the attempts and says so.
    expectEqual(
      (error as? FlowError)?.code, (signInProtocol == .idx ? .rateLimited : .limitReached))

    let refused = await phases(
      signInProtocol, try TestSignIn(.passwordOnly, status: .notAssigned))
    expectEqual(names(refused), ["authenticating", "failed"])
    guard case .failed(.ended(let state))? = refused.last else {
      Issue.record("The last phase is not a failure without an error.")
      return
    }
    expect(state.response.allMessages.contains { $0.isError })
  }

  @Test(
    "A handler or the task can cancel; another error is kept, and described only by its type",
    arguments: protocols)
  func cancelled(signInProtocol: SignInProtocol) async throws {
    for password in [{ .cancel }, { throw CancellationError() }]
      as [@Sendable () throws -> Decision]
    {
      let cancelled = await phases(signInProtocol, try TestSignIn(), password)
      expectEqual(names(cancelled), ["authenticating", "cancelled"])
    }
    let failed = await phases(signInProtocol, try TestSignIn()) { throw AppError() }
    guard case .failed(let failure)? = failed.last, case .error(let error) = failure else {
      Issue.record("The last phase is not an error.")
      return
    }
    expect(error is AppError && "\(failure)" == "error: AppError")
    expect(!printedTexts(of: FlowPhase(error)).contains("Analytical"))
    expect(!printedTexts(of: failure).contains("Analytical"))
  }

  @Test("An end without tokens is completed if there is a message, and failed otherwise")
  func endedWithoutTokens() throws {
    let configuration = try TestSignIn().configuration
    var draft = IDXResponse.Draft()
    let silent = try FlowState(signInProtocol: "test", configuration: configuration, draft: draft)
    expectEqual(FlowPhase(silent).description, "failed")
    draft.messages = [IDXMessage.Draft("Your account is unlocked.", kind: .info)]
    let success = try FlowState(signInProtocol: "test", configuration: configuration, draft: draft)
    expectEqual(FlowPhase(success).description, "completed")
    expectEqual(FlowPhase(.ended(success)).description, "completed")
    expectEqual(FlowPhase(.cancelled as Outcome).description, "cancelled")
  }

  @Test(
    "A polled form is a wait, unless something must be filled in",
    arguments: [
      ([], "waiting"), ([Remediation.Field.Draft("autoChallenge")], "waiting"),
      ([Remediation.Field.Draft("code", isRequired: true)], "authenticating"),
    ])
  func polledForm(fields: [Remediation.Field.Draft], name: String) throws {
    var draft = IDXResponse.Draft()
    draft.remediations = [
      Remediation.Draft(
        .challengePoll, href: "https://id.shop.example/poll",
        fields: fields, refresh: .seconds(4))
    ]
    let state = try FlowState(
      signInProtocol: "test", configuration: TestSignIn().configuration, draft: draft)
    var phase = FlowPhase(state)
    expectEqual(phase.description, name)
    // Sending a poll changes nothing.
    phase.take(.waiting(state.response.remediations[0], .seconds(4)))
    phase.take(.submitting(state.response.remediations[0]))
    expectEqual(phase.description, name)
  }

  @Test("A step that takes a code is not a wait, even if a link in an email works too")
  func emailLink() async throws {
    let test = try TestSignIn(OrgScenario["magic-link"])
    var state = try await test.afterPassword()
    if state.names.first == .authenticatorVerificationData {
      state = try await test.client.proceed(.authenticatorVerificationData, from: state)
    }
    expectEqual(state.response.currentAuthenticator?.key, .email)
    expect(state.response.allForms.contains { $0.isPolled })
    expectEqual(FlowPhase(state).description, "authenticating")
  }
}

struct FlowFailureTests {
  private struct SecretError: Error { let password = "hunter2" }
  private struct KnownError: LocalizedError { let errorDescription: String? = "No browser." }

  @Test("A failure has a message for the person, without what other errors contain")
  func message() async throws {
    let refused = FlowPhase.Failure.error(FlowError(.refused, "Not allowed."))
    expectEqual(refused.message, "Not allowed.")
    expectEqual(FlowPhase.Failure.error(KnownError()).message, "No browser.")
    expectEqual(FlowPhase.Failure.error(SecretError()).message, "The sign-in failed.")
    let document = Wire.document([], [("messages", Wire.messages("locked"))])
    expectEqual(FlowPhase.Failure.ended(try Wire.state(document)).message, "Words.")
    let silent = FlowPhase.Failure.ended(try Wire.state(Wire.document([])))
    expectEqual(silent.message, "The sign-in ended, and you are not signed in.")
  }

  @Test("Phases are equal if they show the same")
  func equal() throws {
    let state = try Wire.state(Wire.document([]))
    expectEqual(FlowPhase.completed(state), .completed(state))
    expect(FlowPhase.completed(state) != .cancelled)
    let refused = FlowPhase.failed(.error(FlowError(.refused, "No.")))
    expectEqual(refused, .failed(.error(FlowError(.refused, "No."))))
    expect(refused != .failed(.error(FlowError(.refused, "Never."))))
    expect(refused != .failed(.error(KnownError())))
    expect(refused != .failed(.ended(state)))
  }
}
