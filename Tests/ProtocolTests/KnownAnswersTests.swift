import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Answers that a program knows.
struct KnownAnswersTests {
  private static let answers: Answers = [
    "identifier": .text(SimulatedUser.demo.login),
    "credentials.passcode": .text(SimulatedUser.demo.password.revealed),
  ]

  private func run(
    _ handlers: Handlers, _ signInProtocol: SignInProtocol, _ org: SimulatedOrg
  ) async throws -> Outcome {
    let coordinator = FlowCoordinator(
      client: await signInProtocol.client(of: org), handlers: handlers,
      sleep: { org.advance(by: $0 / .seconds(1)) })
    return try await coordinator.run(org.configuration)
  }

  private func app(of org: SimulatedOrg) -> AuthenticatorChoice {
    .googleAuthenticator { _ in
      Secret(await org.authenticatorCode(for: SimulatedUser.demo.login) ?? "")
    }
  }

  @Test(
    "A password, and a push of Okta Verify, alone or among other authenticators",
    arguments: SignInProtocol.all, ["password", "push", "choose-factor"])
  func push(signInProtocol: SignInProtocol, scenario: String) async throws {
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    try await expect(
      run(handlers, signInProtocol, SimulatedOrg(OrgScenario[scenario])).signIn != nil)
  }

  @Test("A password and a code, chosen among many authenticators", arguments: SignInProtocol.all)
  func code(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(OrgScenario["choose-factor"])
    let handlers = Handlers.answering(
      Self.answers, choosing: [AuthenticatorChoice(.customApp), app(of: org)])
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
  }

  @Test(
    "A code is sent by text or by call, as chosen", arguments: SignInProtocol.all,
    ["sms", "voice"])
  func phone(signInProtocol: SignInProtocol, method: String) async throws {
    let org = SimulatedOrg(OrgScenario["phone"])
    let phone = AuthenticatorChoice.phone(IDXAuthenticator.Method(rawValue: method)) { _ in
      Secret(await org.mailbox.messages.last?.code ?? "")
    }
    let handlers = Handlers.answering(Self.answers, choosing: [phone])
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
    await expectEqual(org.mailbox.messages.last?.method.rawValue, method)
  }

  @Test("A security question is answered", arguments: [SignInProtocol.idx, .classic])
  func securityQuestion(signInProtocol: SignInProtocol) async throws {
    let handlers = Handlers.answering(
      Self.answers, choosing: [.securityQuestion { _ in "algebraic patterns" }])
    let org = SimulatedOrg(OrgScenario["security-question"])
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
  }

  @Test(
    "A refusal of the password or a push ends the sign-in with the server's message, after one try",
    arguments: SignInProtocol.all)
  func refused(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    var answers = Self.answers
    answers["credentials.passcode"] = "wrong"
    let state = try await require(run(.answering(answers), signInProtocol, org).end)
    expect(state.response.allMessages.contains { $0.isError && $0.text?.isEmpty == false })
    let tries = await org.requests.filter {
      $0.hasSuffix("/challenge/answer") || $0.hasSuffix("/token") || $0.hasSuffix("/authn")
    }
    expectEqual(tries.count, 1)
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    let rejected = SimulatedOrg(OrgScenario["push-rejected"])
    try await expect(require(run(handlers, signInProtocol, rejected).end).isRefusal)
  }

  @Test("What can be set up is skipped, also if it is known how to use it")
  func skipped() async throws {
    for policy in [SignInPolicy.demo, .optional(.oktaVerify), .optional(.googleAuthenticator)] {
      let org = SimulatedOrg(users: [.demo], policy: policy)
      let handlers = Handlers.answering(
        Self.answers, choosing: [.oktaVerify(.push), app(of: org)])
      try await expect(run(handlers, .idx, org).signIn != nil)
      try await expectEmpty(require(org.user(SimulatedUser.demo.login)).enrollments)
    }
  }

  @Test("What is named for it is set up, with its code", arguments: [SignInProtocol.idx, .classic])
  func enrollment(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(OrgScenario["enroll-google"])
    let handlers = Handlers.answering(Self.answers, settingUp: [app(of: org)])
    try await expect(run(handlers, signInProtocol, org).signIn != nil)
    try await expectEqual(require(org.user(SimulatedUser.demo.login)).enrollments.count, 1)
  }

  @Test("Without a method, the first one that is offered is chosen", arguments: SignInProtocol.all)
  func anyMethod(signInProtocol: SignInProtocol) async throws {
    let push = Handlers.answering(Self.answers, choosing: [AuthenticatorChoice(.oktaVerify)])
    try await expect(run(push, signInProtocol, SimulatedOrg(OrgScenario["push"])).signIn != nil)
    let org = SimulatedOrg(OrgScenario["phone"])
    let phone = AuthenticatorChoice(.phone) { _ in
      Secret(await org.mailbox.messages.last?.code ?? "")
    }
    try await expect(
      run(.answering(Self.answers, choosing: [phone]), signInProtocol, org).signIn != nil)
  }

  @Test("An error lists what is not known of a form")
  func missing() async throws {
    let org = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: .withPassword))
    let error = try await requireError(FlowError.self) {
      try await run(.answering(["identifier": "ada@example.com"]), .idx, org)
    }
    expectEqual(error.code, .invalidAnswers)
    expectContains(error.message, "credentials.passcode")
  }

  /// A list of Okta Verify and, if there is one more key, the password.
  private static func list(
    _ keys: [JSONValue], after forms: [JSONValue] = [], _ more: [(String, JSONValue)] = []
  ) -> JSONValue {
    let options = [("Okta Verify", "aut1"), ("Password", "aut2")].enumerated().map {
      index, option -> JSONValue in
      let id: JSONValue = ["name": "id", "value": .string(option.1), "mutable": false]
      return [
        "label": .string(option.0), "relatesTo": .string("$.authenticators.value[\(index)]"),
        "value": ["form": ["value": [id]]],
      ]
    }
    let list = Wire.form(
      "select-authenticator-authenticate", [["name": "authenticator", "options": .array(options)]])
    let all = keys.map { ["key": $0, "id": $0, "type": "app"] as JSONValue }
    let authenticators: JSONValue = ["type": "array", "value": .array(all)]
    return Wire.document(forms + [list], [("authenticators", authenticators)] + more)
  }

  @Test("After an approved push, the same list with another authenticator is no circle")
  func pushThenPassword() async throws {
    let wait = Wire.document(
      [Wire.form("challenge-poll", [], [("refresh", 1000)])],
      [Wire.current(["key": "okta_verify", "id": "aut1", "type": "app"])])
    let password = Wire.document(
      [
        Wire.form(
          "challenge-authenticator",
          [
            [
              "name": "credentials",
              "form": ["value": [["name": "passcode", "required": true, "secret": true]]],
            ]
          ])
      ], [Wire.current(["key": "okta_password", "id": "aut2", "type": "password"])])
    let transport = RequestLog(
      StubServer([
        Self.list(["okta_verify", "okta_password"]), wait, Self.list(["custom", "okta_password"]),
        password,
      ]))
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    try await expect(transport.run(handlers, sleep: { _ in }).end != nil)
    await expectEqual(
      transport.steps.suffix(4),
      [
        "select-authenticator-authenticate", "challenge-poll",
        "select-authenticator-authenticate", "challenge-authenticator",
      ])
  }

  @Test(
    "Answers that lead back end the sign-in at once, and the error says so, or that the server gives no reason"
  )
  func circle() async throws {
    let list = Self.list(
      ["okta_verify"], after: [Wire.form("a-new-step", [["name": "code", "required": true]])])
    let asksAgain = Self.list(["okta_verify"])
    for (document, code) in [(list, FlowError.Code.limitReached), (asksAgain, .refused)] {
      let transport = RequestLog(StubServer(document: document) { _ in .json(document) })
      let error = try await requireError(FlowError.self) {
        try await transport.run(.answering(Self.answers, choosing: [.oktaVerify(.push)]))
      }
      expectEqual(error.code, code)
      expectEqual(error.message.contains("circle"), code == .limitReached)
      await expectEqual(transport.steps.count, 3)
    }
  }

  @Test(
    "Nothing is opened that nobody asked for, also if the first form cannot be answered",
    arguments: ["identify-recovery", "unlock-account", "select-enroll-profile", "enroll-profile"])
  func notOpened(name: String) async throws {
    let document = Wire.document([
      Wire.form("a-new-step", [["name": "captchaToken", "required": true, "visible": false]]),
      Wire.form(name, [["name": "identifier", "required": true]]),
    ])
    let transport = RequestLog(StubServer(document: document))
    let error = try await requireError(FlowError.self) {
      try await transport.run(.answering(Self.answers))
    }
    expectEqual(error.code, .noHandler)
    await expectEqual(transport.steps, ["interact", "introspect"])
  }

  @Test(
    "The password is not sent in a hidden field, nor beside the username for another authenticator")
  func passwordElsewhere() async throws {
    let identifier = ["name": "identifier", "required": true] as JSONValue
    func credentials(_ more: [(String, JSONValue)]) -> JSONValue {
      let passcode = JSONValue.object(
        JSONValue.Object(
          ([("name", "passcode")] + more).map { JSONValue.Object.Member($0.0, $0.1) }))
      return ["name": "credentials", "form": ["value": .array([passcode])]]
    }
    let phone = Wire.document(
      [
        Wire.form(
          "identify", [identifier, credentials([])], [("relatesTo", "$.currentAuthenticator")])
      ],
      [Wire.current(["key": "phone_number", "id": "aut1", "type": "phone"])])
    let hidden = Wire.document([
      Wire.form("identify", [identifier, credentials([("visible", false), ("required", false)])])
    ])
    for document in [phone, hidden] {
      let transport = RequestLog(StubServer(document: document))
      _ = try? await transport.run(.answering(Self.answers))
      for request in await transport.requests {
        expect(!String(decoding: request.body, as: UTF8.self).contains("Analytical"))
      }
    }
  }

  @Test("No email is sent before another authenticator is chosen")
  func unwantedEmail() async throws {
    let data = Wire.form(
      "authenticator-verification-data",
      [
        [
          "name": "authenticator",
          "form": ["value": [["name": "methodType", "value": "email", "mutable": false]]],
        ]
      ])
    let document = Self.list(
      ["okta_verify", "okta_password"], after: [data],
      [Wire.current(["key": "okta_email", "id": "aut3", "type": "email"])])
    let transport = RequestLog(StubServer(document: document))
    _ = try await transport.run(.answering(Self.answers, choosing: [.oktaVerify(.push)]))
    await expectEqual(transport.steps.last, "select-authenticator-authenticate")
  }

  @Test(
    "Steps that need nobody are passed: a search for Okta Verify, a warning, a push that is asked about",
    arguments: ["device-challenge", "password-expiring", "push-auto"])
  func passed(scenario: String) async throws {
    let handlers = Handlers.answering(Self.answers, choosing: [.oktaVerify(.push)])
    try await expect(run(handlers, .idx, SimulatedOrg(OrgScenario[scenario])).signIn != nil)
  }

  @Test(
    "The known password is never sent as the code of another authenticator or replaced, and nothing opens by itself"
  )
  func onlyThePassword() async throws {
    let org = SimulatedOrg(OrgScenario["google"])
    let error = try await requireError(FlowError.self) {
      try await run(.answering(Self.answers), .idx, org)
    }
    expectEqual(error.code, .noHandler)
    expectEqual(error.remediation, .challengeAuthenticator)
    let registering = SimulatedOrg(OrgScenario["register"])
    let unknown = try await requireError(FlowError.self) {
      try await run(.answering([:]), .idx, registering)
    }
    expectEqual(unknown.remediation, .identify)
    let expired = SimulatedOrg(OrgScenario["password-expired"])
    let reset = try await requireError(FlowError.self) {
      try await run(.answering(Self.answers), .idx, expired)
    }
    expectEqual(reset.code, .noHandler)
    expectEqual(reset.remediation, .reenrollAuthenticator)
  }

  @Test("Fields of a profile are answered by their paths")
  func profile() async throws {
    var answers = Self.answers
    answers["userProfile.department"] = "Engines"
    answers["userProfile.nickName"] = "Ada"
    let org = SimulatedOrg(OrgScenario["progressive-profile"])
    try await expect(run(.answering(answers), .idx, org).signIn != nil)
  }

  @Test(
    "The same answer chooses an authenticator and its method in every protocol",
    arguments: SignInProtocol.all)
  func portableAnswer(signInProtocol: SignInProtocol) async throws {
    let org = SimulatedOrg(OrgScenario["choose-factor"])
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
