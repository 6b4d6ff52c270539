import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Steps that a person cannot do here", .timeLimit(.minutes(10)))
struct UnsupportedStepTests {
  private static let captcha = Wire.form(
    "identify",
    [
      ["name": "identifier", "required": true],
      ["name": "captchaToken", "required": true, "visible": false, "hint": "captcha"],
    ])
  private static let search = Wire.form("device-challenge-poll", [], [("refresh", 2000)])
  private static let other = Wire.form("other", [["name": "way", "required": true]])
  private static let page = Wire.form(
    "redirect-idp", href: "https://idp.example/in", method: "GET")
  private static let user = Wire.form("identify", [["name": "identifier", "required": true]])

  /// Runs a person against a server that sends these documents.
  private func run(
    _ documents: JSONValue..., replies: ScriptedReply..., limits: FlowLimits = FlowLimits(),
    passkeys: (any PasskeyProvider)? = nil,
    with change: (inout Handlers, ScriptedFrontEnd) -> Void = { _, _ in }
  ) async throws -> (
    outcome: Outcome, person: ScriptedFrontEnd, transport: RequestLog
  ) {
    let transport = RequestLog(StubServer(documents))
    let person = ScriptedFrontEnd(replies, passkeys: passkeys)
    var handlers = Handlers.showing(Screens(canUsePasskeys: passkeys != nil), on: person)
    change(&handlers, person)
    let outcome = try await transport.run(
      handlers, limits: limits,
      sleep: { _ in
        await person.untilIdle()
        try Task.checkCancellation()
      })
    try await person.finish()
    return (outcome, person, transport)
  }

  @Test("If one other form is left, it is opened; of several, the person chooses one")
  func otherForms() async throws {
    let (_, person, transport) = try await run(
      Wire.document([Self.captcha, Self.other]), replies: .answer("way", "a"))
    let messages = await person.screens.first?.messages.map(\.text)
    expectEqual(messages, ["This form has a captcha, which cannot be shown here."])
    await expectEqual(transport.requests.last?.json, ["way": "a"])

    let third = Wire.form("third", [["name": "x", "required": true]])
    let (_, _, next) = try await run(
      Wire.document([Self.captcha, Self.other, third]),
      replies: .instead("identify", "third"), .answer("x", "b"))
    await expectEqual(next.requests.last?.json, ["x": "b"])
  }

  @Test(
    "If only a web page is left, it is not opened without asking; without one, the error says what the step needs"
  )
  func noOtherForm() async throws {
    let (outcome, person, _) = try await run(
      Wire.document([Self.captcha, Self.page]), replies: .cancel("identify"))
    expect(outcome.isCancelled)
    await expectEqual(person.unsupportedSteps.map(\.kind), [.captcha])
    let error = try await requireError(FlowError.self) {
      try await run(Wire.document([Self.captcha]))
    }
    expectEqual(error.code, .noHandler)
    expectContains(error.message, "captcha")
  }

  @Test(
    "A search for an app on this device is cancelled at once",
    arguments: ["cancel-polling", "cancel-polling-transaction"])
  func search(name: String) async throws {
    let end = Wire.form(name, href: Wire.origin + "/idp/idx/authenticators/poll/cancel")
    let document = Wire.document(
      [Self.search],
      [
        ("authenticatorChallenge", ["type": "object", "value": ["cancel": end]]),
        ("cancel", Wire.form("cancel")),
      ])
    let (_, _, transport) = try await run(
      document, Wire.document([Self.other]), replies: .answer("way", "a"))
    await expectEqual(transport.steps.suffix(2), ["cancel", "other"])
    await expectEqual(transport.requests.dropLast().last?.url.path.contains("poll/cancel"), true)
  }

  @Test("A search that cannot be cancelled is polled until it ends or reaches the limit")
  func endlessSearch() async throws {
    var limits = FlowLimits()
    limits.polling = .seconds(5)
    let document = Wire.document([Self.search], [("cancel", Wire.form("cancel"))])
    let (_, person, transport) = try await run(
      document, document, Wire.document([Self.other]),
      replies: .elsewhere("device-challenge-poll") {}, .answer("way", "a"))
    await expectEqual(transport.count(of: "device-challenge-poll"), 2)
    await expectEqual(person.unsupportedSteps.count, 1)
    let (outcome, _, _) = try await run(
      document, document, document, document,
      replies: .elsewhere("device-challenge-poll") {}, .cancel("device-challenge-poll"),
      limits: limits)
    expect(outcome.isCancelled)
  }

  @Test("A goal is reached after searches that come first")
  func goalAfterSearch() async throws {
    let test = try TestSignIn(
      SignInPolicy.passwordOnly.accounts {
        $0.beforeIdentify = [.deviceChallenge(.loopback), .appleSignOn]
        $0.registration = .init(verifiesMail: true)
      })
    let (outcome, _) = try await test.run([.cancel("userProfile.firstName")], goal: .register)
    expect(outcome.isCancelled)
  }

  @Test("A passkey is an alternative to the username only if there is a provider")
  func passkey() async throws {
    let document = Wire.usernameOrPasskey("launch-passkeys-authenticator")
    let (_, without, _) = try await run(document, replies: .cancel("identifier"))
    await expectEqual(without.questions.last?.step?.alternatives.isEmpty, true)
    let (_, person, transport) = try await run(
      document, replies: .instead("identifier", .launchPasskeysAuthenticator),
      passkeys: StubPasskeys.withUser)
    await expectEmpty(person.unsupportedSteps)
    await expect(transport.requests.last?.json?["credentials"]?["signatureData"]?.string != nil)
  }

  @Test(
    "A form with a custom handler is left to it; if it declines, the other forms are asked for"
  )
  func customHandler() async throws {
    let (_, _, transport) = try await run(
      Wire.document([Self.user, Wire.form("launch-authenticator")]),
      replies: .instead("identifier", .launchAuthenticator)
    ) { handlers, _ in
      handlers.on(.launchAuthenticator) { step in
        .submit(["identifier": "mine"], to: step.response[.identify])
      }
    }
    await expectEqual(transport.requests.last?.json, ["identifier": "mine"])

    let (_, person, declined) = try await run(
      Wire.document([Self.user, Wire.form("mine", [["name": "x", "required": true]])]),
      replies: .instead("identifier", "mine"), .answer("identifier", "ada")
    ) { handlers, _ in
      let frontEnd = handlers.frontEnd
      handlers = Handlers()
      handlers.frontEnd = frontEnd
      handlers.on(.identify) { try await $0.builtInDecision() }
      handlers.on("mine") { _ in .decline }
    }
    await expectEqual(person.asked, ["identifier", "identifier"])
    await expectEqual(declined.requests.last?.json, ["identifier": "ada"])
  }
}
