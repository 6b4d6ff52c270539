import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// Built-in handlers.
struct BuiltInHandlersTests {
  @Test("An unknown step is answered through its form")
  func unknownStep() async throws {
    let document = Wire.document(
      of: ["name": "petName", "required": true],
      ["name": "ok", "type": "boolean", "required": true], name: "a-step-of-next-year")
    let transport = RequestLog(StubServer(document: document))
    let person = ScriptedFrontEnd([.answer("petName", "Turing"), .answer("ok", true)])
    try await expect(transport.run(.showing(on: person)).end != nil)
    try await person.finish()
    await expectEqual(transport.requests.last?.json, ["petName": "Turing", "ok": true])
  }

  @Test(
    "The alternatives are the other forms that a person can do; starting over is last"
  )
  func alternatives() async throws {
    let test = try TestSignIn(.optional(.email, .googleAuthenticator))
    let state = try await test.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.email)],
      from: test.afterPassword())
    let step = Step(state.response.remediations[0], state: state)
    expectEqual(
      step.alternatives.map(\.name), [.selectAuthenticatorEnroll, .skip, .resend, .cancel])

    let document = Wire.document(
      [
        Wire.form("challenge-authenticator"), Wire.form("challenge-poll"),
        Wire.form("redirect-idp", method: "GET"), Wire.form("launch", href: ""),
        Wire.form("recover-here"), Wire.form("launch-authenticator"),
      ], [("context", Wire.form("context")), ("cancel", Wire.form("cancel"))])
    let names = try Wire.step(document).alternatives.map(\.name)
    expectEqual(names, ["redirect-idp", "recover-here", .cancel])
  }

  @Test("An alternative with questions is opened, and one without is submitted")
  func instead() async throws {
    let step = try Wire.step(
      Wire.document([
        Wire.form("first", [["name": "a", "required": true]]),
        Wire.form("second", [["name": "b", "required": true]]),
        Wire.form("third", [["name": "stateHandle", "value": "h", "mutable": false]]),
      ]))
    let (choice, _) = try await Wire.decide(step, [.instead("a", "second")])
    guard case .choose(let form, _) = choice, form.name == "second" else {
      Issue.record("The decision is \(choice).")
      return
    }
    let (submission, _) = try await Wire.decide(step, [.instead("a", "third")])
    guard case .submit(let answers, let form?) = submission, form.name == "third" else {
      Issue.record("The decision is \(submission).")
      return
    }
    expectEqual(answers, [:])
  }

  @Test("If the server sends only an image of a QR code, the image is shown as it is")
  func imageOnly() async throws {
    let document = Wire.document(
      [Wire.form("enroll-authenticator", [["name": "passcode", "required": true]])],
      [
        Wire.current([
          "id": "aut1", "key": "google_otp", "displayName": "An app",
          "contextualData": ["qrcode": ["href": "data:image/png;base64,AAEC"]],
        ])
      ])
    let person = ScriptedFrontEnd([.answer("passcode", "123456")])
    _ = try await Handlers.showing(on: person).asking.decide(Wire.step(document))
    let app = try await require(person.apps.first)
    expectEqual(app.uri, nil)
    expectEqual(app.name, "An app")
    expectEqual(app.image?.bytes, [0, 1, 2])
    expectEqual(app.qrCodePNG(), [0, 1, 2])
    expectEqual(app.qrCodeModules, nil)
    expectEqual(app.keyInGroups, nil)
  }
}
