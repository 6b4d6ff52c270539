import IDX
import IDXFlow
import IDXTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Pushes in the simulated org")
struct PushTests {
  private static let app = SimulatedUser.Enrollment.oktaVerify(secret: "NBQXAZDFOJSXGZLB")
  private let login = Visitor.login
  private let select = "select-authenticator-authenticate"
  private let data = "authenticator-verification-data"

  /// A visitor before the choice between push and code.
  private func visit(_ org: SimulatedOrg) async throws -> Visitor {
    let visitor = try await Visitor.signedIn(org)
    #expect(visitor.remediations == [data, select])
    return visitor
  }

  private func push(_ org: SimulatedOrg) async throws -> Visitor {
    var visitor = try await visit(org)
    try await visitor.fill(
      .authenticatorVerificationData, ["authenticator.methodType": "push"])
    #expect(visitor.remediations == ["challenge-poll", select])
    return visitor
  }

  private func org(
    _ enrollment: SimulatedUser.Enrollment = app,
    replies: [SimulatedUser.Device.PushReply] = [],
    _ change: (inout SignInPolicy.FactorRules) -> Void = { _ in }
  ) async -> SimulatedOrg {
    let org = makeOrg(.required(enrollment.authenticator).with(change), [enrollment])
    var ada = await org.user(login)
    ada?.device.pushReplies = replies
    if let ada { await org.update(ada) }
    return org
  }

  @Test("A push is polled without change until it is approved")
  func approved() async throws {
    let org = await org()
    var visitor = try await push(org)
    let form = try #require(visitor.form("challenge-poll"))
    #expect(form["href"]?.string?.hasSuffix("/idp/idx/authenticators/poll") == true)
    #expect(form["refresh"] == 4000)
    #expect(form["relatesTo"]?[0] == "$.currentAuthenticator")
    #expect(visitor.current?["contextualData"] == nil)
    let step = visitor.json
    try await visitor.fill(.challengePoll)
    #expect(visitor.status == 200)
    #expect(visitor.json == step)
    #expect(await org.pushes(for: login).map(\.authenticator) == [.oktaVerify])
    await org.approvePush(for: login)
    #expect(await org.pushes(for: login).isEmpty)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("Methods are listed with FastPass, and offered without")
  func methods() async throws {
    let visitor = try await visit(await org())
    let methods = visitor.current?["methods"]?.array?.compactMap { $0["type"]?.string }
    #expect(methods == ["push", "totp", "signed_nonce"])
    let option = try #require(visitor.choices(of: select).first)
    #expect(option["relatesTo"] == "$.authenticators.value[0]")
    let fields = option["value"]?["form"]?["value"]?.array ?? []
    #expect(fields.compactMap { $0["name"]?.string } == ["id", "methodType"])
    #expect(
      fields[1]["options"]?.array?.compactMap { $0["label"]?.string }
        == ["Get a push notification", "Enter a code"])
    var other = visitor
    let id = try #require(visitor.current?["id"])
    try await other.submit(data, ["authenticator": ["id": id, "methodType": "signed_nonce"]])
    #expect(other.status == 400)
    #expect(other.messageKeys == ["simulated.field.notAnOption"])
  }

  @Test("A push that is rejected can be sent again")
  func rejected() async throws {
    let org = await org()
    var visitor = try await push(org)
    await org.rejectPush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.status == 200)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_rejected"])
    #expect(visitor.remediations == ["resend", select])
    #expect(visitor.form("challenge-poll") == nil)
    #expect(await org.pushes(for: login).isEmpty)
    try await visitor.fill(.resend)
    #expect(visitor.remediations == ["challenge-poll", select])
    #expect(visitor.messageKeys.isEmpty)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("What is sent again is the same authenticator and method")
  func resendIsFixed() async throws {
    let org = await org(.customApp)
    var visitor = try await Visitor.signedIn(org)
    let id = try #require(visitor.current?["id"])
    await org.rejectPush(for: login)
    try await visitor.fill(.challengePoll)
    let handle = JSON.string(visitor.stateHandle)
    for (choice, key) in [
      (["id": id], "api.error.field_required"),
      (["id": id, "methodType": "totp"], "simulated.field.fixed"),
    ] as [(JSON, String)] {
      try await visitor.post(
        "/idp/idx/challenge", ["authenticator": choice, "stateHandle": handle])
      #expect(visitor.status == 400)
      #expect(visitor.messageKeys == [key])
    }
  }

  @Test("A push that nobody answers times out after a minute, and not before")
  func timeOut() async throws {
    let org = await org()
    var visitor = try await push(org)
    await org.advance(by: 59)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["challenge-poll", select])
    await org.advance(by: 1)
    #expect(await org.pushes(for: login).isEmpty)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_timeout"])
    #expect(visitor.remediations == ["resend", select])
    try await visitor.fill(.resend)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("The number that the sign-in shows has to be picked, and each push has a new one")
  func number() async throws {
    let org = await org { $0.matchesNumbers = true }
    var visitor = try await push(org)
    let first = try #require(visitor.correctAnswer)
    #expect(first.count == 2)
    #expect(try visitor.read().currentAuthenticator?.numberChallenge == first)
    #expect(await org.pushes(for: login).map(\.number) == [first])
    await org.approvePush(for: login, choosing: first == "10" ? "11" : "10")
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_rejected"])
    #expect(visitor.correctAnswer == nil)

    try await visitor.fill(.resend)
    let second = try #require(visitor.correctAnswer)
    #expect(second != first)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["resend", select])

    try await visitor.fill(.resend)
    await org.approvePush(for: login, choosing: visitor.correctAnswer)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("The phone does by itself what it was told, at the org's time")
  func automaticReplies() async throws {
    let org = await org(replies: [.reject(after: 5), .ignore, .approve(after: 7.5)]) {
      $0.matchesNumbers = true
    }
    var visitor = try await push(org)
    await org.advance(by: 4)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["challenge-poll", select])
    await org.advance(by: 4)
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_rejected"])
    try await visitor.fill(.resend)
    await org.advance(by: 60)
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_timeout"])
    try await visitor.fill(.resend)
    await org.advance(by: 7)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["challenge-poll", select])
    await org.advance(by: 1)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("A reply that comes too late is none")
  func lateReply() async throws {
    let org = await org(replies: [.approve(after: 61)])
    var visitor = try await push(org)
    await org.advance(by: 100)
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_timeout"])
  }

  @Test(
    "Consent is asked for before each push, until the user gives it for all",
    arguments: [app, .customApp])
  func autoChallenge(enrollment: SimulatedUser.Enrollment) async throws {
    let org = await org(enrollment) { $0.asksBeforePush = true }
    for isAlways in [false, true] {
      var visitor = try await Visitor.signedIn(org)
      #expect(visitor.remediations.first == data)
      let fields = visitor.form(data)?["value"]?[0]?["form"]?["value"]?.array ?? []
      #expect(fields.compactMap { $0["name"]?.string } == ["id", "methodType", "autoChallenge"])
      #expect(await org.pushes(for: login).isEmpty)
      try await visitor.fill(
        .authenticatorVerificationData,
        [
          "authenticator.methodType": "push",
          "authenticator.autoChallenge": isAlways ? true : false,
        ])
      #expect(visitor.remediations.first == "challenge-poll")
      await org.approvePush(for: login)
      try await visitor.fill(.challengePoll)
      #expect(visitor.isDone)
    }

    var visitor = try await Visitor.signedIn(org)
    #expect(visitor.remediations.first == "challenge-poll")
    #expect(await org.pushes(for: login).count == 1)
    try await visitor.fill(.challengePoll, ["autoChallenge": false])
    #expect(visitor.remediations.first == "challenge-poll")
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)

    visitor = try await Visitor.signedIn(org)
    #expect(visitor.remediations.first == data)
  }

  @Test("A chosen push waits for consent, and a chosen code does not")
  func consentAfterChoice() async throws {
    let policy = SignInPolicy.optional(.oktaVerify, .email).with { $0.asksBeforePush = true }
    var visitor = try await Visitor.signedIn(makeOrg(policy, [Self.app, .email]))
    var other = visitor
    let form = Remediation.Name.selectAuthenticatorAuthenticate
    try await visitor.fill(
      form,
      [
        "authenticator": .authenticator(.oktaVerify), "authenticator.methodType": "push",
      ])
    #expect(visitor.remediations == [data, select])
    other = try await Visitor.signedIn(makeOrg(policy, [Self.app, .email]))
    try await other.fill(
      form,
      [
        "authenticator": .authenticator(.oktaVerify), "authenticator.methodType": "totp",
      ])
    #expect(other.remediations == ["challenge-authenticator", select])
  }

  @Test("The app's code does instead of a push, once")
  func code() async throws {
    let org = await org()
    var visitor = try await visit(org)
    try await visitor.fill(
      .authenticatorVerificationData, ["authenticator.methodType": "totp"])
    #expect(visitor.remediations == ["challenge-authenticator", select])
    try await visitor.type("000000", at: "credentials.totp")
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys(at: "credentials.totp") == ["api.authn.error.PASSCODE_INVALID"])
    let code = try #require(await org.code(of: .oktaVerify, for: login))
    try await visitor.type(code, at: "credentials.totp")
    #expect(visitor.isDone)

    visitor = try await visit(org)
    try await visitor.fill(
      .authenticatorVerificationData, ["authenticator.methodType": "totp"])
    try await visitor.type(code, at: "credentials.totp")
    #expect(visitor.status == 401)
    let next = try #require(await org.code(of: .oktaVerify, for: login))
    #expect(next != code)
    try await visitor.type(next, at: "credentials.totp")
    #expect(visitor.isDone)
  }

  @Test("An app of the org's own is pushed at once, rejects, and is pushed again")
  func customApp() async throws {
    let org = await org(.customApp)
    var visitor = try await Visitor.signedIn(org)
    #expect(visitor.remediations == ["challenge-poll"])
    #expect(visitor.current?["key"] == "custom_app")
    await org.rejectPush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["resend"])
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_rejected"])
    try await visitor.fill(.resend)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("What only an administrator gives is not offered to be set up")
  func issuedOnly() async throws {
    let policy = SignInPolicy.optional("custom_app", "custom_otp", "tac", .email)
    let visitor = try await Visitor.signedIn(makeOrg(policy))
    #expect(visitor.options(of: "select-authenticator-enroll") == ["Email"])
  }

  @Test(
    "A push takes no code and is polled at its own address",
    arguments: ["/idp/idx/challenge/answer", "/idp/idx/challenge/poll", "/idp/idx/challenge/send"])
  func notOffered(path: String) async throws {
    let org = await org()
    var visitor = try await push(org)
    await org.approvePush(for: login, choosing: "42")
    let body: JSON = ["stateHandle": .string(visitor.stateHandle)]
    try await visitor.post(path, body)
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == ["simulated.request.notOffered"])
    try await visitor.introspect()
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone, "Where no number is wanted, any will do")
  }

  @Test("A phone without a push does nothing")
  func noPush() async throws {
    let org = await org()
    await org.approvePush(for: login)
    await org.rejectPush(for: "nobody@shop.example")
    #expect(await org.pushes(for: login).isEmpty)
    let visitor = try await push(org)
    #expect(await org.pushes(for: "ADA@shop.example").count == 1)
    #expect(!visitor.isDone)
  }
}
