import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
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
    let screen = try require(screen)
    model[input] = text
    model.submit(screen)
    return try await require(model.next(after: screen))
  }

  @Test("The keyboard fits what is typed")
  func keyboards() {
    var input = Screen.Input(id: "a", kind: .text, label: "A", isRequired: true)
    expectEqual(input.keyboard, .text)
    for (type, keyboard) in [
      (Screen.Input.ContentType.username, Screen.Input.Keyboard.email), (.email, .email),
      (.telephone, .telephone), (.oneTimeCode, .text), (.givenName, .text),
    ] {
      input.contentType = type
      expectEqual(input.keyboard, keyboard)
    }
  }

  @Test("A message about a wrong password names its input, until another message follows")
  func wrongPassword() async throws {
    for start in SignInPolicy.Start.allCases {
      let org = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: start))
      let model = SignInModel(client: org.client)
      model.start(org.configuration)
      var screen = try await require(model.next(after: nil))
      expectEqual(screen.messageInputID, nil)
      model["identifier"] = "ada@example.com"
      if start == .identityFirst {
        screen = try await next(model, after: screen, "identifier", "ada@example.com")
      }
      screen = try await next(model, after: screen, "credentials.passcode", "wrong")
      expectEqual(screen.messages.map(\.kind), [.error])
      expectEqual(screen.messageInputID, "credentials.passcode")
      var changed = screen
      changed.inputs = []
      expectEqual(changed.messageInputID, nil)
      let refused = screen.refused(.cancel, because: InvalidReply(message: "This page was old."))
      expectEqual(refused.messageInputID, nil)
      model.cancel()
      await model.end()
    }
  }

  @Test("A yes or no is two buttons, with words of its own")
  func consent() async throws {
    for (step, words) in [
      (AccountPolicy.InterstitialStep.consent(scopes: ["email"]), ["Allow", "Do not allow"]),
      (.keepMeSignedIn, ["Yes, stay signed in", "No"]),
    ] {
      var policy = SignInPolicy(start: .withPassword)
      policy.accounts.afterFactors = [step]
      let org = SimulatedOrg(users: [.demo], policy: policy)
      let model = SignInModel(client: org.client)
      model.start(org.configuration)
      let first = try await require(model.next(after: nil))
      expectEqual(first.action.label, "Sign in")
      model["identifier"] = "ada@example.com"
      let screen = try await next(model, after: first, "credentials.passcode", "Analytical-1843")
      let consent = try require(screen.consent)
      expectEqual([consent.allow, consent.deny], words)
      model.reply(.submit([consent.inputID: "true"]), to: screen)
      await model.end()
      guard case .signedIn = model.phase else {
        Issue.record("The sign-in ended with \(model.phase).")
        return
      }
    }
  }

  @Test(
    "A password is hidden, also if the server does not mark it; a code is not",
    .promise("typed-secret"))
  func passwords() async throws {
    let org = SimulatedOrg(users: [.demo], policy: .required(.email))
    let model = SignInModel(client: IDXClient(transport: Unmarked(org: org)))
    model.start(org.configuration)
    let identify = await model.next()
    expectEqual(identify?.inputs.map(\.kind), [.text])
    let password = try await next(model, after: identify, "identifier", SimulatedUser.demo.login)
    expectEqual(password.inputs.map(\.kind), [.secret])
    expectEqual(password.inputs.map(\.contentType), [.password])
    let passcode = SimulatedUser.demo.password.revealed
    let choice = try await next(model, after: password, "credentials.passcode", passcode)
    model.choose(try require(choice.options.first?.id), on: choice)
    let code = try await require(model.next(after: choice))
    expectEqual(code.inputs.map(\.kind), [.text])
    model.cancel()
    await model.end()

    let together = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: .withPassword))
    let other = SignInModel(client: IDXClient(transport: Unmarked(org: together)))
    other.start(together.configuration)
    let both = await other.next()
    expectEqual(both?.inputs.map(\.kind), [.text, .secret])
    other.cancel()
    await other.end()
  }
}
