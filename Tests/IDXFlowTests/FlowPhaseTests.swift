import IDXDirectAuth
import Foundation
import IDX
import IDXTesting
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("What a front-end shows, over every protocol")
struct FlowPhaseTests {
  enum Speech: CaseIterable, Sendable { case idx, direct }

  /// A model such as the documentation sketches, which remembers its phases as well.
  @MainActor private final class Model {
    private(set) var phase = FlowPhase.idle { didSet { phases.append(phase) } }
    private(set) var phases: [FlowPhase] = []

    nonisolated init() {}

    func signIn(
      _ client: any FlowClient, _ handlers: Handlers, to org: FlowConfiguration,
      sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async {
      phase = .authenticating
      let coordinator = FlowCoordinator(
        client: client, handlers: handlers, sleep: sleep,
        observe: { [weak self] event in await self?.take(event) })
      do { phase = FlowPhase(try await coordinator.run(org)) } catch { phase = FlowPhase(error) }
    }

    private func take(_ event: FlowEvent) { phase.take(event) }

    /// The phases without repetitions.
    var names: [String] {
      phases.map(\.description).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
  }

  private struct Surprise: Error, CustomStringConvertible {
    let description = "Analytical-1843 was typed"
  }

  private func scene(_ scenario: OrgScenario) throws -> Scene { try Scene(scenario) }

  private func client(_ speech: Speech, _ scene: Scene) -> any FlowClient {
    switch speech {
    case .idx: scene.client
    case .direct: DirectAuthClient(transport: scene.org, tokens: scene.org.tokenClient)
    }
  }

  private func handlers(_ password: @escaping @Sendable () throws -> Decision) -> Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(Scene.login)]) }
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

  private static let right: @Sendable () -> Decision = {
    .submit(["credentials.passcode": .text(Scene.password)])
  }

  /// The phases of a sign-in by a coordinator.
  private func phases(
    _ speech: Speech, _ scene: Scene,
    _ password: @escaping @Sendable () throws -> Decision = right
  ) async -> Model {
    let model = Model()
    await model.signIn(
      client(speech, scene), handlers(password), to: scene.configuration,
      sleep: { scene.org.advance(by: $0 / .seconds(1)) })
    return model
  }

  /// The state before the password.
  private func beforePassword(_ client: any FlowClient, _ scene: Scene) async throws -> FlowState {
    let state = try await client.start(scene.configuration)
    return try await client.proceed(
      .identify, ["identifier": .text(Scene.login)], from: state)
  }

  @Test("A push is waited for, with the app and the number", arguments: Speech.allCases)
  func push(speech: Speech) async throws {
    let model = await phases(speech, try scene(.pushWithNumberChallenge))
    #expect(
      await model.names == ["authenticating", "waiting", "authenticating", "authorized"])
    let waits = await model.phases.compactMap { phase -> FlowPhase.Wait? in
      if case .waiting(let wait) = phase { wait } else { nil }
    }
    let wait = try #require(waits.first)
    #expect(wait.authenticator?.key == .oktaVerify)
    let number = try #require(wait.number)
    #expect(number.count == 2 && waits.allSatisfy { $0.number == number })
    #expect((wait.expiresAt != nil) == (speech == .idx))
    guard case .authorized(let credential) = await model.phase else {
      Issue.record("The last phase is another one.")
      return
    }
    #expect(credential.username == Scene.login)
    // Neither the number nor a token comes into sight by accident.
    for phase in await model.phases {
      var text = "\(phase)" + String(reflecting: phase)
      dump(phase, to: &text)
      #expect(!text.contains(number))
      #expect(!text.contains(credential.tokens.accessToken.revealed))
    }
    #expect("\(wait)" == "wait for Okta Verify" && Mirror(reflecting: wait).children.isEmpty)
  }

  @Test("A wrong password is no end: the person is asked again", arguments: Speech.allCases)
  func wrongPassword(speech: Speech) async throws {
    let scene = try scene(.password)
    let client = client(speech, scene)
    var state = try await beforePassword(client, scene)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "Wrong-1843"], from: state)
    #expect(FlowPhase(state).description == "authenticating" && state.isRefusal)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(Scene.password)], from: state)
    // There are no tokens yet, and those that come may fail a check.
    #expect(state.isSignedIn && FlowPhase(state).description == "authenticating")
    let phase = FlowPhase.authorized(try await client.redeem(state))
    #expect(phase.description == "authorized")
  }

  @Test(
    "Who is locked is asked again, as who mistypes is, until it is too much",
    arguments: Speech.allCases)
  func locked(speech: Speech) async throws {
    let model = await phases(speech, try Scene(.passwordOnly, status: .locked))
    #expect(await model.names == ["authenticating", "failed"])
    guard case .failed(.error(let error)) = await model.phase else {
      Issue.record("The last phase is another one.")
      return
    }
    // An org that counts says so itself.
    #expect((error as? FlowError)?.code == (speech == .idx ? .rateLimited : .limitReached))
  }

  @Test("A handler or the task gives up", arguments: Speech.allCases)
  func cancelled(speech: Speech) async throws {
    let byHandler = await phases(speech, try scene(.password)) { .cancel }
    #expect(await byHandler.names == ["authenticating", "cancelled"])
    let byTask = await phases(speech, try scene(.password)) { throw CancellationError() }
    #expect(await byTask.names == ["authenticating", "cancelled"])
  }

  @Test("A handler's own error is told, and is not quoted", arguments: Speech.allCases)
  func surprise(speech: Speech) async throws {
    let model = await phases(speech, try scene(.password)) { throw Surprise() }
    guard case .failed(let failure) = await model.phase, case .error(let error) = failure else {
      Issue.record("The last phase is another one.")
      return
    }
    #expect(error is Surprise && "\(failure)" == "error: Surprise")
    var text = "\(FlowPhase(error))"
    dump(FlowPhase(error), to: &text)
    dump(failure, to: &text)
    #expect(!text.contains("Analytical"))
  }

  @Test("Who may not use the app fails, with what the server says", arguments: Speech.allCases)
  func ended(speech: Speech) async throws {
    let scene = try Scene(.passwordOnly, status: .notAssigned)
    let model = await phases(speech, scene)
    #expect(await model.names == ["authenticating", "failed"])
    guard case .failed(.ended(let state)) = await model.phase else {
      Issue.record("The last phase is another one.")
      return
    }
    #expect(state.response.allMessages.contains { $0.isError })
  }

  @Test("An end that the server is content with is no failure, and one without a word is")
  func done() throws {
    let configuration = try scene(.password).configuration
    var draft = IDXResponse.Draft()
    let silent = try FlowState(speaking: "test", to: configuration, draft: draft)
    #expect(FlowPhase(silent).description == "failed")
    draft.messages = [IDXMessage.Draft("Your account is unlocked.", kind: .info)]
    let content = try FlowState(speaking: "test", to: configuration, draft: draft)
    #expect(FlowPhase(content).description == "done")
    #expect(FlowPhase(.ended(content)).description == "done")
    #expect(FlowPhase(.cancelled as Outcome).description == "cancelled")
  }

  @Test(
    "A form that is polled and has something to fill in is asked for", arguments: [true, false])
  func polledForm(isFilledIn: Bool) throws {
    var draft = IDXResponse.Draft()
    draft.remediations = [
      Remediation.Draft(
        .challengePoll, href: "https://id.shop.example/poll",
        fields: isFilledIn ? [Remediation.Field.Draft("code", isRequired: true)] : [],
        refresh: .seconds(4))
    ]
    let state = try FlowState(speaking: "test", to: scene(.password).configuration, draft: draft)
    var phase = FlowPhase(state)
    #expect(phase.description == (isFilledIn ? "authenticating" : "waiting"))
    // A poll on its way changes nothing to be seen.
    phase.take(.waiting(state.response.remediations[0], .seconds(4)))
    phase.take(.submitting(state.response.remediations[0]))
    #expect(phase.description == (isFilledIn ? "authenticating" : "waiting"))
  }

  @Test("A code that is typed is asked for, also where a link in the mail would do")
  func magicLink() async throws {
    let scene = try scene(.magicLink)
    var state = try await beforePassword(scene.client, scene)
    for name: Remediation.Name in [.challengeAuthenticator, .authenticatorVerificationData] {
      guard state.response.remediations.first?.name == name else { continue }
      let answers: Answers =
        name == .challengeAuthenticator ? ["credentials.passcode": .text(Scene.password)] : [:]
      state = try await scene.client.proceed(name, answers, from: state)
    }
    #expect(state.response.currentAuthenticator?.key == .email)
    #expect(state.response.allForms.contains { $0.isPolled })
    #expect(FlowPhase(state).description == "authenticating")
  }
}
