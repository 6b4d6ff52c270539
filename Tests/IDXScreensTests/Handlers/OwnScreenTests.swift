import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

@Suite("Screens that an app changes")
@MainActor
struct OwnScreenTests {
  /// The built-in screen with another title.
  private struct Titled: StepHandler {
    let title: String

    func decide(_ step: Step) async throws -> Decision {
      guard case .ask(var screen, _) = try await step.builtInDecision() else { return .decline }
      screen.title = title
      return .ask(screen)
    }
  }

  @Test("A handler can start from the built-in screen, for one authenticator or for all")
  func titles() async throws {
    let org = SimulatedOrg(users: [.demo], policy: .required(.email))
    var handlers = Handlers.showing()
    handlers.register(Titled(title: "Welcome"), for: .identify)
    handlers.register(Titled(title: "Your password"), for: .challengeAuthenticator, .password)
    handlers.register(Titled(title: "Anything else"), for: .enrollAuthenticator, .phone)
    let model = SignInModel(client: IDXClient(transport: org), handlers: handlers)
    model.start(org.configuration)
    let identify = try await require(model.next())
    expect(identify.title == "Welcome" && identify.inputs.map(\.id) == ["identifier"])
    model["identifier"] = SimulatedUser.demo.login
    model.submit(identify)
    let password = try await require(model.next(after: identify))
    expect(password.title == "Your password" && password.inputs.map(\.kind) == [.secret])
    model["credentials.passcode"] = SimulatedUser.demo.password.revealed
    model.submit(password)
    let choice = try await require(model.next(after: password))
    expectEqual(choice.title, Words.english["select-authenticator-enroll.title"])
    model.cancel()
    await model.end()
  }
}
