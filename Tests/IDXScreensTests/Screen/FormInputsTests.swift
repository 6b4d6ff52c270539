import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXScreens
import IDXSimulatedOrg
import Testing

@Suite("Inputs of a form")
@MainActor
struct FormInputsTests {
  /// A server that does not say which fields are secret.
  private struct Unmarked: Transport {
    let org: SimulatedOrg

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      var response = try await org.send(request)
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(text.replacing(/"secret": ?true/, with: #""secret":false"#).utf8)
      return response
    }
  }

  private func next(_ model: SignInModel, after screen: Screen?, _ input: String, _ text: String)
    async throws -> Screen
  {
    let screen = try #require(screen)
    model[input] = text
    model.submit(screen)
    return try #require(await model.next(after: screen))
  }

  @Test("A password is hidden, also if the server does not mark it; a code is not")
  func passwords() async throws {
    let org = SimulatedOrg(users: [.demo], policy: .required(.email))
    let model = SignInModel(client: IDXClient(transport: Unmarked(org: org)))
    model.start(try org.configuration)
    let identify = await model.next()
    expectEqual(identify?.inputs.map(\.kind), [.text])
    let password = try await next(model, after: identify, "identifier", SimulatedUser.demo.login)
    expectEqual(password.inputs.map(\.kind), [.secret])
    expectEqual(password.inputs.map(\.contentType), [.password])
    let passcode = SimulatedUser.demo.password.revealed
    let choice = try await next(model, after: password, "credentials.passcode", passcode)
    model.choose(try #require(choice.options.first?.id), on: choice)
    let code = try #require(await model.next(after: choice))
    expectEqual(code.inputs.map(\.kind), [.text])
    model.cancel()
    await model.end()

    let together = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: .withPassword))
    let other = SignInModel(client: IDXClient(transport: Unmarked(org: together)))
    other.start(try together.configuration)
    let both = await other.next()
    expectEqual(both?.inputs.map(\.kind), [.text, .secret])
    other.cancel()
    await other.end()
  }
}
