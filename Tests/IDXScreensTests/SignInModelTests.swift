import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import Observation
import Testing

@testable import IDXScreens

@Suite("A sign-in for a user interface", .timeLimit(.minutes(2)))
@MainActor
struct SignInModelTests {
  private static let login = "ada@example.com"
  private static let password: Secret = "Analytical-1843"

  private func org(_ policy: SignInPolicy) -> SimulatedOrg {
    SimulatedOrg(
      users: [SimulatedUser(login: Self.login, password: Self.password)], policy: policy)
  }

  private func configuration(of org: SimulatedOrg) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
  }

  /// Waits until the person can reply, or the sign-in has ended.
  private func next(_ model: SignInModel) async {
    while !model.isAsking, !model.phase.isEnd {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = (model.isAsking, model.phase)
        } onChange: {
          continuation.resume()
        }
      }
      // The change is carried out after it was announced.
      await Task.yield()
    }
  }

  /// A model with the first screen of a sign-in.
  private func started(at org: SimulatedOrg) async throws -> SignInModel {
    let model = SignInModel(client: org.client)
    model.start(try configuration(of: org))
    await next(model)
    return model
  }

  /// Sends a value, and waits until the person can reply again.
  private func answer(_ model: SignInModel, _ id: Screen.Input.ID, _ value: String?) async {
    model.values[id] = value
    model.submit()
    #expect(!model.isAsking)
    await next(model)
  }

  /// Cancels a sign-in, and waits until it has ended.
  private func cancel(_ model: SignInModel) async {
    model.cancel()
    await model.end()
  }

  @Test("Google Authenticator is set up from the key of the screen")
  func enrollment() async throws {
    let org = org(.required(.googleAuthenticator))
    let model = try await started(at: org)
    #expect(model.screen?.inputs.map(\.id) == ["identifier"])
    await answer(model, "identifier", Self.login)
    await answer(model, "credentials.passcode", Self.password.revealed)
    await answer(model, "authenticator", model.screen?.inputs.first?.choices.first?.id)
    let totp = try #require(model.screen?.setUp?.uri?.totp)
    model.values["credentials.passcode"] = totp.code(at: .now)
    model.submit()
    await model.end()
    guard case .authorized(let credential) = model.phase else {
      Issue.record("The phase is \(model.phase).")
      return
    }
    #expect(credential.username == Self.login)
    #expect(model.screen == nil && model.state == nil && !model.isAsking)
  }

  @Test("A reply that cannot be used shows its problems, and nothing is sent")
  func problems() async throws {
    let org = org(.passwordOnly)
    let model = try await started(at: org)
    let count = await org.requests.count
    model.submit()
    await next(model)
    #expect(model.screen?.inputs.first?.problem == "Enter an answer.")
    #expect(await org.requests.count == count)
    await cancel(model)
  }

  @Test("The second of two replies to a screen is not sent")
  func twice() async throws {
    let org = org(.passwordOnly)
    let model = try await started(at: org)
    model.values["identifier"] = Self.login
    model.submit()
    model.submit()
    model.choose("cancel")
    await next(model)
    #expect(model.screen?.inputs.first?.contentType == .password)
    #expect(await org.requests.count { $0.hasSuffix("identify") } == 1)
    await cancel(model)
  }

  @Test("A sign-in that is cancelled tells the server, and another one can be started at once")
  func cancelled() async throws {
    let org = org(.passwordOnly)
    let model = try await started(at: org)
    model.start(try configuration(of: org))
    await next(model)
    #expect(model.isAsking)
    await cancel(model)
    guard case .cancelled = model.phase else {
      Issue.record("The phase is \(model.phase).")
      return
    }
    #expect(await org.requests.count { $0.hasSuffix("cancel") } == 2)
  }

  @Test("A model that is released ends its sign-in, and the server is told")
  func released() async throws {
    let org = org(.passwordOnly)
    weak var released: SignInModel?
    var end: Task<Void, Never>?
    do {
      let model = SignInModel(client: org.client)
      model.start(try configuration(of: org))
      await next(model)
      released = model
      end = model.task
    }
    await end?.value
    #expect(released == nil)
    #expect(await org.requests.count { $0.hasSuffix("cancel") } == 1)
  }

  @Test("A password does not stay in the model after it is sent")
  func password() async throws {
    let org = org(.passwordOnly)
    let model = try await started(at: org)
    await answer(model, "identifier", Self.login)
    model.values["credentials.passcode"] = Self.password.revealed
    model.submit()
    #expect(model.values["credentials.passcode"] == nil)
    await model.end()
    #expect(model.values.isEmpty)
  }

  @Test("To quit ends the sign-in, also while news arrive")
  func quit() async throws {
    let org = org(.passwordOnly)
    let model = try await started(at: org)
    let quit = try #require(model.screen?.options.last)
    #expect(quit.role == .quit)
    model.choose(quit.id)
    #expect(!model.isAsking)
    await model.end()
    #expect(model.phase == .cancelled)
  }

  @Test("A saved sign-in continues in another model")
  func restored() async throws {
    let org = org(.passwordOnly)
    let configuration = try configuration(of: org)
    let first = SignInModel(client: org.client)
    first.start(configuration)
    await next(first)
    await answer(first, "identifier", Self.login)
    let snapshot = try #require(first.state).snapshot()
    let second = SignInModel(client: org.client, screens: Screens(words: .german))
    second.restore(try FlowState(snapshot: snapshot, for: configuration))
    await next(second)
    #expect(second.screen?.title == "Geben Sie Ihr Passwort ein")
    second.values["credentials.passcode"] = Self.password.revealed
    second.submit()
    await second.end()
    #expect(second.phase.isEnd)
    guard case .authorized = second.phase else {
      Issue.record("The phase is \(second.phase).")
      return
    }
  }
}

extension FlowPhase {
  fileprivate var isEnd: Bool {
    switch self {
    case .idle, .authenticating, .waiting: false
    default: true
    }
  }
}
