import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import Testing

// Setting up, passwords, recovery.
extension ClassicAuthClientTests {
  @Test("Google Authenticator is set up: the key is shown, its first code is sent")
  func enrolment() async throws {
    let links: JSONValue = ["skip": .link("/skip", "skip"), "cancel": Self.cancel]
    let google = JSONValue.factor("token:software:totp", "GOOGLE")
    let activation: JSONValue = [
      "activation": [
        "sharedSecret": "JBSWY3DPEHPK3PXP", "timeStep": 30, "keyLength": 6,
        "_links": ["qrcode": ["href": "https://org.example/qr/1", "type": "image/png"]],
      ]
    ]
    let (client, server, state) = try await pass([
      .state("MFA_ENROLL", links: links, embedded: ["factors": [google, .factor("sms")]]),
      .state(
        "MFA_ENROLL_ACTIVATE",
        links: [
          "next": .link("/factors/f1/lifecycle/activate", "activate"), "prev": Self.prev,
          "cancel": Self.cancel,
        ],
        embedded: [
          "factor": .factor("token:software:totp", "GOOGLE", id: "f1", embedded: activation)
        ]),
      Self.success,
    ])
    #expect(
      state.response.remediations.map(\.name) == [.selectAuthenticatorEnroll, .skip])
    let next = try await client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.googleAuthenticator)],
      from: state)
    #expect(
      next.response.currentAuthenticator?.oneTimePassword?.sharedSecret == "JBSWY3DPEHPK3PXP")
    #expect(try await client.proceed(.enrollAuthenticator, code("123456"), from: next).isSignedIn)
    let requests = await server.requests
    #expect(requests[1].body["factorType"] == "token:software:totp")
    #expect(requests[1].body["provider"] == "GOOGLE")
    #expect(requests[2].line.hasSuffix("/factors/f1/lifecycle/activate"))
  }

  @Test("A phone is set up with its number, which is asked for before anything is sent")
  func phoneEnrolment() async throws {
    let (client, server, state) = try await pass([
      .state("MFA_ENROLL", embedded: ["factors": [.factor("sms")]]), Self.success,
    ])
    let asked = try await client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.phone)], from: state)
    #expect(await server.requests.count == 1)
    _ = try await client.proceed(
      .authenticatorEnrollmentData, ["authenticator.phoneNumber": "+15551234567"], from: asked)
    let body = try #require(await server.requests.last?.body)
    #expect(body["profile"]?["phoneNumber"] == "+15551234567" && body["factorType"] == "sms")
  }

  @Test("A question is chosen from the server's list")
  func questionEnrolment() async throws {
    var question = JSONValue.factor("question").object ?? JSONValue.Object()
    question["_links"] = ["enroll": .link("/factors"), "questions": .link("/questions")]
    let (client, server, state) = try await pass([
      .state("MFA_ENROLL", embedded: ["factors": [.object(question)]]),
      .json([["question": "first_pet", "questionText": "Your first pet?"]]), Self.success,
    ])
    let asked = try await client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.securityQuestion)],
      from: state)
    let field = asked.response[.enrollAuthenticator]?["credentials.questionKey"]
    #expect(field?.options.map(\.label) == ["Your first pet?"])
    _ = try await client.proceed(
      .enrollAuthenticator,
      ["credentials.questionKey": "first_pet", "credentials.answer": "Rex the dog"], from: asked)
    let requests = await server.requests
    #expect(requests[1].line == "GET /api/v1/authn/questions")
    #expect(requests[2].body["profile"] == ["question": "first_pet", "answer": "Rex the dog"])
  }

  @Test("An app that is scanned brings its image, which is fetched once")
  func pushEnrolment() async throws {
    let activation: JSONValue = [
      "activation": [
        "factorResult": "WAITING", "_links": ["qrcode": ["href": "https://org.example/qr/1"]],
      ]
    ]
    let waiting = AuthnServer.Answer.state(
      "MFA_ENROLL_ACTIVATE", links: ["next": .link("/factors/f1/lifecycle/activate/poll", "poll")],
      embedded: ["factor": .factor("push", id: "f1", embedded: activation)])
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2]
    let (client, server, state) = try await pass([
      .state("MFA_ENROLL", embedded: ["factors": [.factor("push")]]), waiting,
      AuthnServer.Answer(body: png), waiting, Self.success,
    ])
    var next = try await client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.oktaVerify)], from: state)
    #expect(next.response.currentAuthenticator?.qrCode?.bytes == png)
    next = try await client.poll(next)
    #expect(next.response.currentAuthenticator?.qrCode?.bytes == png)
    #expect(try await client.poll(next).isSignedIn)
    #expect(await server.lines.count { $0 == "GET /qr/1" } == 1)
  }

  @Test(
    "A new password is asked for with the old one, by the name of its step",
    arguments: [
      ("PASSWORD_EXPIRED", Remediation.Name.reenrollAuthenticator),
      ("PASSWORD_WARN", .reenrollAuthenticatorWarning), ("PASSWORD_RESET", .resetAuthenticator),
    ])
  func newPassword(status: String, name: Remediation.Name) async throws {
    let policy: JSONValue = [
      "policy": ["expiration": ["passwordExpireDays": 3], "complexity": ["minLength": 12]]
    ]
    let (client, server, state) = try await pass([
      .state(
        status,
        links: [
          "next": .link("/credentials/next", "changePassword"), "skip": .link("/skip", "skip"),
        ], embedded: policy),
      .error("E0000014", "Update of credentials failed"), Self.success,
    ])
    #expect(state.response.remediations.map(\.name) == [name, .skip])
    #expect(state.response.currentAuthenticator?.passwordRules?.minimumLength == 12)
    #expect(state.response.currentAuthenticator?.passwordRules?.daysToExpiry == 3)
    var answers: Answers = ["credentials.passcode": "new"]
    if name != .resetAuthenticator { answers["credentials.oldPassword"] = "old" }
    let refused = try await client.proceed(name, answers, from: state)
    #expect(refused.response.says("errors.E0000014"))
    #expect(try await client.proceed(name, answers, from: refused).isSignedIn)
    let body = try #require(await server.requests.last?.body)
    #expect(body["newPassword"] == "new")
    #expect(body["oldPassword"] == (name == .resetAuthenticator ? nil : "old"))
  }

  @Test("A password is recovered by SMS, the question and a new password")
  func recovery() async throws {
    let (client, server, state) = try await begin([
      .state(
        "RECOVERY_CHALLENGE",
        links: ["next": .link("/recovery/factors/SMS/verify", "verify"), "cancel": Self.cancel],
        ["factorType": "SMS", "recoveryType": "PASSWORD"]),
      .state(
        "RECOVERY", links: ["next": .link("/recovery/answer", "answer")],
        embedded: ["user": ["recovery_question": ["question": "Your first pet?"]]]),
      .state(
        "PASSWORD_RESET", links: ["next": .link("/credentials/reset_password", "resetPassword")]),
      Self.success,
    ])
    var next = try await client.proceed(.recover, from: state)
    next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: next)
    next = try await client.proceed(.challengeAuthenticator, code("123456"), from: next)
    #expect(next.response.currentAuthenticator?.enrolledQuestion?.text == "Your first pet?")
    next = try await client.proceed(
      .challengeAuthenticator, ["credentials.answer": "Rex the dog"], from: next)
    next = try await client.proceed(.resetAuthenticator, code("new"), from: next)
    #expect(next.isSignedIn)
    let requests = await server.requests
    #expect(
      requests.map { String($0.line.dropFirst("POST /api/v1/authn".count)) } == [
        "/recovery/password", "/recovery/factors/SMS/verify", "/recovery/answer",
        "/credentials/reset_password",
      ])
    #expect(requests[0].body == ["username": "ada@shop.example", "factorType": "SMS"])
  }

  @Test("The link of a mail goes on with a recovery, pasted or given at the start")
  func recoveryByMail() async throws {
    let mail = AuthnServer.Answer.json([
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
      "recoveryType": "PASSWORD",
    ])
    let reset = AuthnServer.Answer.state(
      "PASSWORD_RESET", links: ["next": .link("/credentials/reset_password", "resetPassword")])
    let (client, server, state) = try await begin([mail, reset, reset])
    var next = try await client.proceed(.recover, from: state)
    next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(0)], from: next)
    #expect(next.response.currentAuthenticator?.key == .email)
    next = try await client.proceed(
      .challengeAuthenticator, code("https://org.example/signin/reset-password/tok-1?x=1"),
      from: next)
    #expect(next.response.remediations.first?.name == .resetAuthenticator)
    #expect(await server.requests.last?.body == ["recoveryToken": "tok-1"])
    var options = StartOptions()
    options.recoveryToken = "tok-2"
    let begun = try await client.start(try configuration(), options)
    #expect(begun.response.remediations.first?.name == .resetAuthenticator)
    #expect(await server.requests.last?.body == ["recoveryToken": "tok-2"])
  }

  @Test("Who is locked out is told so and can unlock the account, which signs nobody in")
  func unlock() async throws {
    let (client, _, state) = try await pass([
      .json([
        "status": "LOCKED_OUT", "_links": ["next": .link("/recovery/unlock", "unlock")],
      ]),
      .json(["status": "SUCCESS", "recoveryType": "UNLOCK"]),
    ])
    #expect(state.response.says("errors.E0000069"))
    let asked = try await client.proceed(.unlockAccount, from: state)
    let done = try await client.proceed(
      .selectAuthenticatorUnlockAccount,
      ["identifier": "ada@shop.example", "authenticator": .option(0)], from: asked)
    #expect(done.isAtEnd && done.response.messages.allSatisfy { !$0.isError })
    #expect(!done.response.messages.isEmpty)
  }
}
