import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXScreens
import IDXSimulatedOrg
import Testing

@Suite("Screens that an app changes")
@MainActor
struct ScreenHandlerTests {
  /// The built-in screen with another title.
  private struct Titled: ScreenHandler {
    let title: String

    func plan(_ step: Step, _ context: ScreenContext) throws -> ScreenPlan {
      guard case .show(var screen) = try context.builtInPlan(for: step) else {
        return .decide(.decline)
      }
      screen.title = title
      return .show(screen)
    }
  }

  @Test("A handler can start from the built-in screen, for one authenticator or for all")
  func titles() async throws {
    let org = SimulatedOrg(users: [.demo], policy: .required(.email))
    var screens = Screens()
    screens.register(Titled(title: "Welcome"), for: .identify)
    screens.register(Titled(title: "Your password"), for: .challengeAuthenticator, .password)
    screens.register(Titled(title: "Anything else"), for: .enrollAuthenticator, .phone)
    let model = SignInModel(client: IDXClient(transport: org), screens: screens)
    model.start(try org.configuration)
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
