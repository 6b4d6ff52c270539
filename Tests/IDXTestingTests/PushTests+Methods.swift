import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

// Which methods are offered, and what may be asked before a push.
extension PushTests {
  @Test("What is sent again is the same authenticator and method")
  func resendIsFixed() async throws {
    let org = await org(.customApp)
    var visitor = try await Visitor.signedIn(org)
    let id = try #require(visitor.current?["id"])
    await org.rejectPush(for: login)
    try await visitor.fill(.challengePoll)
    let handle = JSONValue.string(visitor.stateHandle)
    for (choice, key) in [
      (["id": id], "api.error.field_required"),
      (["id": id, "methodType": "totp"], "simulated.field.fixed"),
    ] as [(JSONValue, String)] {
      try await visitor.post(
        "/idp/idx/challenge", ["authenticator": choice, "stateHandle": handle])
      #expect(visitor.status == 400)
      #expect(visitor.messageKeys == [key])
    }
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

  @Test("A mail whose link will be followed is no push", arguments: [true, false])
  func mailIsNoPush(isApproved: Bool) async throws {
    let org = makeOrg(.required(.email), [.email])
    var ada = try #require(await org.user(login))
    ada.device.followsLinksAfter = 8
    await org.update(ada)
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(.authenticatorVerificationData)
    #expect(await org.pushes(for: login).isEmpty)
    if isApproved { await org.approvePush(for: login) } else { await org.rejectPush(for: login) }
    try await visitor.fill(.poll)
    #expect(!visitor.isDone && visitor.messageKeys.isEmpty)
    org.advance(by: 8)
    try await visitor.fill(.poll)
    #expect(visitor.isDone)
  }

  @Test("What only an administrator gives is not offered to be set up")
  func issuedOnly() async throws {
    let policy = SignInPolicy.optional("custom_app", "custom_otp", "tac", .email)
    let visitor = try await Visitor.signedIn(makeOrg(policy))
    #expect(visitor.options(of: "select-authenticator-enroll") == ["Email"])
  }
}
