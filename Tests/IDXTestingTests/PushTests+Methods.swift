import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

// Which methods are offered, and what may be asked before a push.
extension PushTests {
  @Test("A push is sent again to the same authenticator with the same method")
  func resendIsFixed() async throws {
    let org = await org(.customApp)
    var client = try await OrgClient.signedIn(org)
    let id = try #require(client.current?["id"])
    await org.rejectPush(for: login)
    try await client.fill(.challengePoll)
    let handle = JSONValue.string(client.stateHandle)
    for (choice, key) in [
      (["id": id], "api.error.field_required"),
      (["id": id, "methodType": "totp"], "simulated.field.fixed"),
    ] as [(JSONValue, String)] {
      try await client.post(
        "/idp/idx/challenge", ["authenticator": choice, "stateHandle": handle])
      #expect(client.status == 400)
      #expect(client.messageKeys == [key])
    }
  }

  @Test(
    "Consent is asked for before each push, until the user gives it for all",
    arguments: [app, .customApp])
  func autoChallenge(enrollment: SimulatedUser.Enrollment) async throws {
    let org = await org(enrollment) { $0.asksBeforePush = true }
    for isAlways in [false, true] {
      var client = try await OrgClient.signedIn(org)
      #expect(client.remediations.first == data)
      let fields = client.form(data)?["value"]?[0]?["form"]?["value"]?.array ?? []
      #expect(fields.compactMap { $0["name"]?.string } == ["id", "methodType", "autoChallenge"])
      #expect(await org.pushes(for: login).isEmpty)
      try await client.fill(
        .authenticatorVerificationData,
        [
          "authenticator.methodType": "push",
          "authenticator.autoChallenge": isAlways ? true : false,
        ])
      #expect(client.remediations.first == "challenge-poll")
      await org.approvePush(for: login)
      try await client.fill(.challengePoll)
      #expect(client.isDone)
    }

    var client = try await OrgClient.signedIn(org)
    #expect(client.remediations.first == "challenge-poll")
    #expect(await org.pushes(for: login).count == 1)
    try await client.fill(.challengePoll, ["autoChallenge": false])
    #expect(client.remediations.first == "challenge-poll")
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    #expect(client.isDone)

    client = try await OrgClient.signedIn(org)
    #expect(client.remediations.first == data)
  }

  @Test("A chosen push waits for consent, and a chosen code does not")
  func consentAfterChoice() async throws {
    let policy = SignInPolicy.optional(.oktaVerify, .email).with { $0.asksBeforePush = true }
    var client = try await OrgClient.signedIn(makeOrg(policy, [Self.app, .email]))
    var other = client
    let form = Remediation.Name.selectAuthenticatorAuthenticate
    try await client.fill(
      form,
      [
        "authenticator": .authenticator(.oktaVerify), "authenticator.methodType": "push",
      ])
    #expect(client.remediations == [data, select])
    other = try await OrgClient.signedIn(makeOrg(policy, [Self.app, .email]))
    try await other.fill(
      form,
      [
        "authenticator": .authenticator(.oktaVerify), "authenticator.methodType": "totp",
      ])
    #expect(other.remediations == ["challenge-authenticator", select])
  }

  @Test("A waiting mail is not a push", arguments: [true, false])
  func mailIsNoPush(isApproved: Bool) async throws {
    let org = makeOrg(.required(.email), [.email])
    var ada = try #require(await org.user(login))
    ada.device.followsLinksAfter = 8
    await org.update(ada)
    var client = try await OrgClient.signedIn(org)
    try await client.fill(.authenticatorVerificationData)
    #expect(await org.pushes(for: login).isEmpty)
    if isApproved { await org.approvePush(for: login) } else { await org.rejectPush(for: login) }
    try await client.fill(.poll)
    #expect(!client.isDone && client.messageKeys.isEmpty)
    org.advance(by: 8)
    try await client.fill(.poll)
    #expect(client.isDone)
  }

  @Test("An authenticator from an administrator cannot be set up")
  func issuedOnly() async throws {
    let policy = SignInPolicy.optional("custom_app", "custom_otp", "tac", .email)
    let client = try await OrgClient.signedIn(makeOrg(policy))
    #expect(client.options(of: "select-authenticator-enroll") == ["Email"])
  }
}
