import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Pushes in the simulated org.
struct PushTests {
  static let app = SimulatedUser.Enrollment.oktaVerify(secret: "NBQXAZDFOJSXGZLB")
  let login = OrgClient.login
  let select = "select-authenticator-authenticate"
  let data = "authenticator-verification-data"

  /// A client whose user has chosen the push, and not the code.
  func push(_ org: SimulatedOrg) async throws -> OrgClient {
    var client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations, [data, select])
    try await client.fill(
      .authenticatorVerificationData, ["authenticator.methodType": "push"])
    expectEqual(client.remediations, ["challenge-poll", select])
    return client
  }

  func org(
    _ enrollment: SimulatedUser.Enrollment = app,
    reactions: [SimulatedUser.Device.PushReaction] = [],
    _ change: (inout SignInPolicy.FactorRules) -> Void = { _ in }
  ) async throws -> SimulatedOrg {
    let org = makeOrg(.required(enrollment.authenticator).with(change), [enrollment])
    try await changeAda(org) { $0.device.pushReactions = reactions }
    return org
  }

  @Test("A push that waits can be sent again, and only the new one counts")
  func resent() async throws {
    let org = try await self.org { $0.matchesNumbers = true }
    var client = try await push(org)
    let first = try await require(org.pushes(for: login).first?.number)
    let value = client.current?["resend"]?["value"]?[0]?["value"]
    expectEqual(value?.object?.members.map(\.name), ["methodType", "id"])
    let id = value?["id"] ?? .null
    try await client.submit("resend", ["authenticator": ["id": id, "methodType": "push"]])
    expectEqual(client.remediations, ["challenge-poll", select])
    await expectEqual(org.pushes(for: login).count, 1)
    let second = try await require(org.pushes(for: login).first?.number)
    expectEqual(client.current?["contextualData"]?["correctAnswer"]?.string, second)
    expect(second != first)
    let old = client
    try await client.submit("resend", ["authenticator": ["id": "x", "methodType": "push"]])
    expectContains(client.messageKeys, "simulated.field.fixed")
    client = old
    await org.approvePush(for: login, choosing: second)
    try await client.fill(.challengePoll)
    expect(client.isDone)
  }

  @Test("An unanswered push times out after exactly one minute, and a later reaction is ignored")
  func timeOut() async throws {
    let org = try await self.org()
    var client = try await push(org)
    org.advance(by: 59)
    try await client.fill(.challengePoll)
    expectEqual(client.remediations, ["challenge-poll", select])
    org.advance(by: 1)
    await expectEmpty(org.pushes(for: login))
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    expectEqual(client.messageKeys, ["api.authn.poll.error.push_timeout"])
    expectEqual(client.remediations, ["resend", select])

    let late = try await self.org(reactions: [.approve(after: 61)])
    client = try await push(late)
    late.advance(by: 100)
    try await client.fill(.challengePoll)
    expectEqual(client.messageKeys, ["api.authn.poll.error.push_timeout"])
  }

  @Test("The number that is shown must be chosen, and each push has a new one")
  func number() async throws {
    let org = try await org { $0.matchesNumbers = true }
    var client = try await push(org)
    let first = try require(client.correctAnswer)
    expectEqual(first.count, 2)
    try expectEqual(client.read().currentAuthenticator?.numberChallenge, first)
    await expectEqual(org.pushes(for: login).map(\.number), [first])
    await org.approvePush(for: login, choosing: first == "10" ? "11" : "10")
    try await client.fill(.challengePoll)
    expectEqual(client.status, 200)
    expectEqual(client.messageKeys, ["api.authn.poll.error.push_rejected"])
    expectEqual(client.remediations, ["resend", select])
    expectEqual(client.correctAnswer, nil)
    await expectEmpty(org.pushes(for: login))

    try await client.fill(.resend)
    expectEqual(client.remediations, ["challenge-poll", select])
    expectEmpty(client.messageKeys)
    let second = try require(client.correctAnswer)
    expect(second != first)
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    expectEqual(client.remediations, ["resend", select])

    try await client.fill(.resend)
    await org.approvePush(for: login, choosing: client.correctAnswer)
    try await client.fill(.challengePoll)
    expect(client.isDone)
  }

  @Test(
    "A push takes no code and has its own address for polls",
    arguments: ["/idp/idx/challenge/answer", "/idp/idx/challenge/poll", "/idp/idx/challenge/send"])
  func notOffered(path: String) async throws {
    let org = try await org()
    var client = try await push(org)
    await org.approvePush(for: login, choosing: "42")
    let body: JSONValue = ["stateHandle": .string(client.stateHandle)]
    try await client.post(path, body)
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["simulated.request.notOffered"])
    try await client.introspect()
    try await client.fill(.challengePoll)
    expect(client.isDone, "Where no number is wanted, any will do")
  }

  @Test("A phone without a push does nothing, and a waiting email is no push")
  func noPush() async throws {
    let org = try await org()
    await org.approvePush(for: login)
    await org.rejectPush(for: "nobody@shop.example")
    await expectEmpty(org.pushes(for: login))
    let client = try await push(org)
    await expectEqual(org.pushes(for: "ADA@shop.example").count, 1)
    expect(!client.isDone)

    for isApproved in [true, false] {
      let org = makeOrg(.required(.email), [.email])
      try await changeAda(org) { $0.device.followsLinksAfter = 8 }
      var client = try await OrgClient.signedIn(org)
      try await client.fill(.authenticatorVerificationData)
      await expectEmpty(org.pushes(for: login))
      if isApproved { await org.approvePush(for: login) } else { await org.rejectPush(for: login) }
      try await client.fill(.poll)
      expect(!client.isDone && client.messageKeys.isEmpty)
      org.advance(by: 8)
      try await client.fill(.poll)
      expect(client.isDone)
    }
  }
}

// The methods that are offered, and the consent before a push.
extension PushTests {
  @Test("A push is sent again to the same authenticator with the same method")
  func resendIsFixed() async throws {
    let org = try await org(.device(.customApp))
    var client = try await OrgClient.signedIn(org)
    let id = try require(client.current?["id"])
    await org.rejectPush(for: login)
    try await client.fill(.challengePoll)
    expectEqual(client.messageKeys, ["api.authn.poll.error.push_rejected"])
    let handle = JSONValue.string(client.stateHandle)
    for (choice, key) in [
      (["id": id], "api.error.field_required"),
      (["id": id, "methodType": "totp"], "simulated.field.fixed"),
    ] as [(JSONValue, String)] {
      try await client.post(
        "/idp/idx/challenge", ["authenticator": choice, "stateHandle": handle])
      expectEqual(client.status, 400)
      expectEqual(client.messageKeys, [key])
    }
  }

  @Test(
    "Consent is asked for before each push, until the user gives it for all",
    arguments: [app, .device(.customApp)])
  func autoChallenge(enrollment: SimulatedUser.Enrollment) async throws {
    let org = try await org(enrollment) { $0.asksBeforePush = true }
    for isAlways in [false, true] {
      var client = try await OrgClient.signedIn(org)
      expectEqual(client.remediations.first, data)
      let fields = client.form(data)?["value"]?[0]?["form"]?["value"]?.array ?? []
      expectEqual(fields.compactMap { $0["name"]?.string }, ["id", "methodType", "autoChallenge"])
      await expectEmpty(org.pushes(for: login))
      try await client.fill(
        .authenticatorVerificationData,
        [
          "authenticator.methodType": "push",
          "authenticator.autoChallenge": .value(.bool(isAlways)),
        ])
      expectEqual(client.remediations.first, "challenge-poll")
      await org.approvePush(for: login)
      try await client.fill(.challengePoll)
      expect(client.isDone)
    }

    var client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations.first, "challenge-poll")
    await expectEqual(org.pushes(for: login).count, 1)
    try await client.fill(.challengePoll, ["autoChallenge": false])
    expectEqual(client.remediations.first, "challenge-poll")
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    expect(client.isDone)

    client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations.first, data)
  }

  @Test("A chosen push waits for consent, and a chosen code does not")
  func consentAfterChoice() async throws {
    let policy = SignInPolicy.optional(.oktaVerify, .email).with { $0.asksBeforePush = true }
    for (method, next) in [("push", data), ("totp", "challenge-authenticator")] {
      var client = try await OrgClient.signedIn(makeOrg(policy, [Self.app, .email]))
      try await client.fill(
        .selectAuthenticatorAuthenticate,
        ["authenticator": .authenticator(.oktaVerify), "authenticator.methodType": .text(method)])
      expectEqual(client.remediations, [next, select])
    }
  }

  @Test("An authenticator from an administrator cannot be set up")
  func issuedOnly() async throws {
    let policy = SignInPolicy.optional("custom_app", "custom_otp", "tac", .email)
    let client = try await OrgClient.signedIn(makeOrg(policy))
    expectEqual(client.options(of: "select-authenticator-enroll"), ["Email"])
  }
}
