import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import SignInSupport
import Testing

/// A situation that a sample claims to handle.
struct Situation: Sendable, CustomTestStringConvertible {
  let name: String
  let users: [SimulatedUser]
  let policy: SignInPolicy
  /// What Ada chooses.
  var choices: [String] = []

  var testDescription: String { name }

  init(_ scenario: OrgScenario, choosing choices: String...) {
    (name, users, policy) = (scenario.name, scenario.users, scenario.policy)
    self.choices = choices
  }

  private init(_ name: String, _ policy: SignInPolicy, choosing choices: String...) {
    (self.name, users, self.policy) = (name, [.demo], policy)
    self.choices = choices
  }

  var org: SimulatedOrg { SimulatedOrg(users: users, policy: policy, seed: 3) }

  /// The org asks for the username first.
  static let usernameFirst = Situation(OrgScenario["password"])
  /// The org asks for the username and the password at once.
  static let together = Situation("together", SignInPolicy(start: .withPassword))
  static let push = Situation(OrgScenario["push"], choosing: "push", "notification")
  static let number = Situation(OrgScenario["push-number"], choosing: "push", "notification")
  static let email = Situation(OrgScenario["email"])
  static let several = Situation(OrgScenario["choose-factor"], choosing: "Email")
  static let enrollment = Situation(OrgScenario["enroll-google"], choosing: "Google")
  static let enrollmentTogether = Situation(
    "enrollment, together", SignInPolicy(start: .withPassword, required: [.googleAuthenticator]),
    choosing: "Google")
  static let expiring = Situation(OrgScenario["password-expiring"], choosing: "later", "skip")
  static let keepMeSignedIn = Situation(
    OrgScenario["keep-me-signed-in"], choosing: "Stay signed in", "yes")

  static let all = [
    usernameFirst, together, push, number, email, several, enrollment, enrollmentTogether, expiring,
    keepMeSignedIn,
  ]
}

@Suite("Samples of the documentation", .timeLimit(.minutes(10)))
struct SampleTests {
  private static let known: [Situation] = [
    .usernameFirst, .together, .push, .number, .email, .several, .expiring,
  ]

  @Test(
    "IDXFlow", arguments: [.usernameFirst, .together, .push, .number, .expiring] as [Situation])
  func overview(situation: Situation) async throws {
    let org = situation.org
    let outcome = try await SampleTime.run(org) {
      try await signInOfOverview(to: org.configuration, over: org)
    }
    expect(outcome.signIn != nil)
  }

  @Test("How a sign-in flows: from form to form", arguments: Situation.all)
  func stepByStep(situation: Situation) async throws {
    let org = situation.org
    let ada = Ada(org, choosing: situation.choices)
    let credentials = Locked<[Credential]>([])
    try await SampleTime.run(org) {
      try await signInStepByStep(
        to: org.configuration, with: org.client, show: { _, _ in },
        answers: { await ada.answers(to: $0) },
        keep: { credential in credentials.withLock { $0.append(credential) } })
    }
    expectEqual(credentials.withLock { $0.map(\.username) }, [TestSignIn.login])
  }

  @Test("How a sign-in flows: two handlers")
  func twoHandlers() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    try await expect(signInWithTwoHandlers(to: org.configuration, with: org.client).signIn != nil)
  }

  @Test("Coming from Okta's SDKs: known answers", arguments: SignInProtocol.all, known)
  func knownAnswers(signInProtocol: SignInProtocol, situation: Situation) async throws {
    let org = situation.org
    let client: any FlowClient =
      switch signInProtocol {
      case .direct: DirectAuthClient(transport: org, tokens: org.tokenClient)
      case .classic: ClassicAuthClient(transport: org, tokens: org.tokenClient)
      default: org.client
      }
    let outcome = try await SampleTime.run(org) {
      try await signInWithKnownAnswers(
        TestSignIn.login, TestSignIn.password, code: { Secret(await Ada(org).code) },
        to: org.configuration, with: client)
    }
    // DirectAuth offers a push also to those who have no phone.
    let hasEmailOnly = signInProtocol == .direct && situation.name == Situation.email.name
    expectEqual(outcome.signIn == nil, hasEmailOnly)
    expectEqual(
      outcome.end?.response.allMessages.contains(where: \.isError), hasEmailOnly ? true : nil)
  }

  @Test("Coming from Okta's SDKs: own views", arguments: Situation.all)
  func ownViews(situation: Situation) async throws {
    let org = situation.org
    let ada = Ada(org, choosing: situation.choices)
    let outcome = try await SampleTime.run(org) {
      try await FlowCoordinator(client: org.client, handlers: handlers(with: AdaViews(ada: ada)))
        .run(org.configuration)
    }
    expect(outcome.signIn != nil)
    switch situation.name {
    case Situation.number.name: expect(ada.seen.contains { $0.contains("on your phone") })
    case Situation.enrollment.name: expectContains(ada.seen, "Google Authenticator")
    default: break
    }
  }

  @Test(
    "Coming from Okta's SDKs: own views end the sign-in",
    arguments: [
      Situation(OrgScenario["push-rejected"], choosing: "push"),
      Situation(OrgScenario["push-timeout"], choosing: "push"),
    ])
  func ownViewsEnd(situation: Situation) async throws {
    let org = situation.org
    let views = AdaViews(ada: Ada(org, choosing: situation.choices))
    let outcome = try await SampleTime.run(org) {
      try await FlowCoordinator(client: org.client, handlers: handlers(with: views))
        .run(org.configuration)
    }
    expect(outcome.end?.response.allMessages.contains(where: \.isError) == true)
  }

  @Test("Coming from Okta's SDKs: own views end with an error at a password that must be replaced")
  func ownViewsExpired() async throws {
    let org = SimulatedOrg(OrgScenario["password-expired"])
    let error = try await requireError(FlowError.self) {
      try await FlowCoordinator(
        client: org.client, handlers: handlers(with: AdaViews(ada: Ada(org)))
      )
      .run(org.configuration)
    }
    expectEqual(error.code, .noHandler)
    expectEqual(error.remediation, .reenrollAuthenticator)
  }

  @Test("Coming from Okta's SDKs: a loop of its own", arguments: Situation.all)
  func loop(situation: Situation) async throws {
    let org = situation.org
    let chat = ChatFrontEnd(chat: Chat(ada: Ada(org, choosing: situation.choices)))
    let outcome = try await SampleTime.run(org) {
      try await signInWithLoop(to: org.configuration, with: org.client, on: chat)
    }
    expect(outcome?.signIn != nil)
  }

  @Test("Handlers and screens: a chat", arguments: Situation.all)
  func chat(situation: Situation) async throws {
    let org = situation.org
    let ada = Ada(org, choosing: situation.choices)
    let outcome = try await SampleTime.run(org) {
      try await signIn(to: org.configuration, with: org.client, in: Chat(ada: ada))
    }
    expect(outcome.signIn != nil)
    if situation.name == Situation.enrollment.name {
      expect(ada.seen.contains { $0.hasPrefix("Google Authenticator: ") && $0.count > 30 })
      expect(ada.seen.contains { $0.hasPrefix("an image") })
    }
  }

  @Test("Handlers and screens: any form", arguments: Situation.all)
  func anyForm(situation: Situation) async throws {
    let org = situation.org
    let ada = Ada(org, choosing: situation.choices)
    var rows = Handlers()
    rows.fallback = AnyForm { await ada.answer(to: $0) }
    let outcome = try await SampleTime.run(org) { [rows] in
      try await FlowCoordinator(client: org.client, handlers: rows).run(org.configuration)
    }
    expect(outcome.signIn != nil)
  }

  @Test(
    "Enroll Google Authenticator", arguments: [.enrollment, .enrollmentTogether] as [Situation])
  func enrollment(situation: Situation) async throws {
    let org = situation.org
    let ada = Ada(org)
    let codes = Locked<[String]>(["000000"])
    let rows = handlers { question in
      ada.see(question)
      let right = await ada.code
      return codes.withLock { $0.popLast() } ?? right
    }
    let outcome = try await FlowCoordinator(client: org.client, handlers: rows).run(
      org.configuration)
    expect(outcome.signIn != nil)
    expectEqual(ada.seen.count, 2)
  }

  @Test("Enroll Google Authenticator: skipped")
  func skippedEnrollment() async throws {
    let org = SimulatedOrg(.demo)
    let rows = handlers { _ in "" }
    let outcome = try await FlowCoordinator(client: org.client, handlers: rows).run(
      org.configuration)
    expect(outcome.signIn != nil)
    await expectEqual(org.user(TestSignIn.login)?.enrollments, [])
  }

  @Test(
    "README: a handler in place of a question",
    arguments: [.enrollment, .enrollmentTogether] as [Situation])
  func readme(situation: Situation) async throws {
    let org = situation.org
    let person = ScriptedFrontEnd([.login, .password, .totp("credentials.passcode")])
    let coordinator = FlowCoordinator(
      client: org.client, handlers: handlersOfReadme(asking: person))
    try await expect(coordinator.run(org.configuration).signIn != nil)
    try await person.finish()
  }
}

@Suite("Samples that wait", .timeLimit(.minutes(10)))
struct WaitingSampleTests {
  @Test("Polling: handlers", arguments: [.push, .number, .email, .together] as [Situation])
  func handlers(situation: Situation) async throws {
    let org = situation.org
    let ada = Ada(org)
    let rows = pollingHandlers(show: { ada.see($0) }, askForCode: { await ada.code })
    let outcome = try await SampleTime.run(org) {
      try await FlowCoordinator(client: org.client, handlers: rows).run(org.configuration)
    }
    expect(outcome.signIn != nil)
    expectEqual(ada.seen.isEmpty, situation.name != Situation.number.name)
  }

  @Test("Polling: a link that is opened while the code is asked for")
  func link() async throws {
    let org = SimulatedOrg(OrgScenario["magic-link"])
    let rows = pollingHandlers(
      show: { _ in },
      askForCode: {
        try await SampleTime.untilCanceled()
        return ""
      })
    let outcome = try await SampleTime.$sleep.withValue({ try await SampleTime.pass($0, of: org) })
    {
      try await FlowCoordinator(client: org.client, handlers: rows).run(org.configuration)
    }
    expect(outcome.signIn != nil)
  }

  @Test("Polling: a push, step by step")
  func push() async throws {
    let test = try TestSignIn(OrgScenario["push-number"])
    let start = try await test.client.proceed(
      .authenticatorVerificationData, ["authenticator.methodType": "push"],
      from: test.afterPassword())
    let ada = Ada(test.org)
    let state = try await SampleTime.run(test.org) {
      try await waitForPush(from: start, with: test.client) { ada.see($0) }
    }
    expect(state.isSignedIn)
    expectEqual(ada.seen.count, 1)
  }

  @Test("Polling: an email, step by step, with the code or the link", arguments: [true, false])
  func email(isTyped: Bool) async throws {
    let test = try TestSignIn(isTyped ? OrgScenario["email"] : OrgScenario["magic-link"])
    let start = try await test.client.proceed(
      .authenticatorVerificationData, from: test.afterPassword())
    let org = test.org
    let (asked, asks) = AsyncStream<Void>.makeStream()
    var questions = asked.makeAsyncIterator()
    let state = try await SampleTime.$sleep.withValue({ time in
      try await SampleTime.pass(time, of: org)
      await Task.yield()
    }) {
      try await answerEmail(from: start, with: test.client) {
        asks.yield()
        if !isTyped { try await SampleTime.untilCanceled() }
        return await Ada(org).code
      }
    }
    await questions.next()
    expect(state.isSignedIn)
  }

  @Test("DirectAuth in an app")
  func directAuth() async throws {
    let clock = Locked<SimulatedOrg?>(nil)
    let (org, model) = await SampleTime.$sleep.withValue({ time in
      guard let org = clock.withLock({ $0 }) else { throw SampleTime.UnexpectedWait() }
      try await SampleTime.pass(time, of: org)
    }) { await startDirectAuth() }
    clock.withLock { $0 = org }
    let phase = try await Self.play(model, by: SimulatedPerson(of: org))
    guard case .signedIn = phase else {
      Issue.record("\(phase)")
      return
    }
  }

  @MainActor private static func play(
    _ model: SignInModel, by person: SimulatedPerson
  ) async throws -> FlowPhase {
    var last: Screen?
    while let screen = await model.next(after: last) {
      if let reply = try await person.reply(to: screen) { model.reply(reply, to: screen) }
      last = screen
    }
    return model.phase
  }

  @Test("IDXBrowserAuth: a code on another device")
  func deviceCode() async throws {
    let org = SimulatedOrg(.demo)
    let code = Locked("")
    let state = try await SampleTime.$sleep.withValue({ time in
      try await SampleTime.pass(time, of: org)
      await expect(org.enter(userCode: code.withLock { $0 }))
    }) {
      try await signInWithDeviceCode(to: org.configuration, over: org) { shown in
        code.withLock { $0 = shown.text }
      }
    }
    expect(state.isSignedIn)
  }

  @Test("IDXSimulatedOrg: a simulated person with a model")
  func simulatedPerson() async throws {
    // The code is entered before the second poll.
    let phase = try await SampleTime.$sleep.withValue({ _ in try await SampleTime.untilCanceled() })
    {
      try await signIn()
    }
    guard case .signedIn = phase else {
      Issue.record("\(phase)")
      return
    }
  }

  @Test("IDXTesting: a scripted person")
  func scriptedPerson() async throws {
    try await expect(signInAsScriptedPerson().signIn != nil)
  }

  @Test("Passkeys: a handler")
  func passkey() async throws {
    let org = SimulatedOrg(OrgScenario["passkey"])
    let known = Handlers.answering(
      ["identifier": .text(TestSignIn.login), "credentials.passcode": .text(TestSignIn.password)])
    let rows = passkeyHandlers(SoftwareAuthenticator.demo, over: known)
    try await expect(
      FlowCoordinator(client: org.client, handlers: rows).run(org.configuration).signIn != nil)
  }
}
