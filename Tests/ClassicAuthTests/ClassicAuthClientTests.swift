import ClassicAuth
import Foundation
import IDX
import IDXFlow
import OAuth
import Testing

@Suite("A sign-in by the classic API, request by request")
struct ClassicAuthClientTests {
  static let cancel: JSON = .link("/cancel", "cancel")
  static let prev: JSON = .link("/previous", "prev")
  static let user: JSON = ["user": ["id": "00u1", "profile": ["login": "ada@shop.example"]]]
  static let success = AuthnServer.Answer.json([
    "status": "SUCCESS", "sessionToken": "session-1", "expiresAt": "2027-01-15T08:05:00.000Z",
    "_embedded": user,
  ])

  private func configuration() throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: JSON.origin + "/oauth2/default", clientID: "0oa1",
      redirectURI: "com.example.app:/callback", scopes: ["profile"])
  }

  /// A sign-in before its password, and the server that it will be sent to.
  private func begin(
    _ answers: [AuthnServer.Answer], yielding yield: ClassicAuthClient.Yield = .tokens
  ) async throws -> (ClassicAuthClient, AuthnServer, FlowState) {
    let server = AuthnServer(answers)
    let client = ClassicAuthClient(transport: server, yielding: yield)
    let state = try await client.start(try configuration())
    return (
      client, server,
      try await client.proceed(.identify, ["identifier": "ada@shop.example"], from: state)
    )
  }

  /// The same after its password.
  private func pass(
    _ answers: [AuthnServer.Answer], yielding yield: ClassicAuthClient.Yield = .tokens
  ) async throws -> (ClassicAuthClient, AuthnServer, FlowState) {
    let (client, server, state) = try await begin(answers, yielding: yield)
    return (
      client, server, try await client.proceed(.challengeAuthenticator, code("pw"), from: state)
    )
  }

  private func code(_ text: String) -> Answers { ["credentials.passcode": .text(text)] }

  private func required(_ factors: JSON...) -> AuthnServer.Answer {
    .state(
      "MFA_REQUIRED", links: ["cancel": Self.cancel],
      embedded: ["user": Self.user["user"] ?? .null, "factors": .array(factors)])
  }

  private func challenge(
    _ factor: JSON, next: String, result: String = "CHALLENGE"
  ) -> AuthnServer.Answer {
    .state(
      "MFA_CHALLENGE",
      links: [
        "next": .link("/factors/f1/verify", next), "prev": Self.prev, "cancel": Self.cancel,
        "resend": [.link("/factors/f1/verify/resend", "sms")],
      ], embedded: ["factor": factor], ["factorResult": .string(result)])
  }

  @Test("The name and the password are asked one after the other and sent together")
  func password() async throws {
    let (_, server, state) = try await pass([Self.success])
    #expect(state.isSignedIn && state.sessionToken == "session-1")
    let request = try #require(await server.requests.last)
    #expect(request.line == "POST /api/v1/authn")
    #expect(request.body["username"] == "ada@shop.example" && request.body["password"] == "pw")
    #expect(request.body["options"]?["warnBeforePasswordExpired"] == true)
  }

  @Test("A wrong password is asked for again, with what the server says")
  func wrongPassword() async throws {
    let (client, server, state) = try await pass([
      .error("E0000004", "Authentication failed", status: 401), Self.success,
    ])
    #expect(state.response.says(.authenticationFailed) && state.status == 401)
    #expect(state.response.remediations.first?.name == .challengeAuthenticator)
    #expect(try await client.proceed(.challengeAuthenticator, code("pw2"), from: state).isSignedIn)
    #expect(await server.isUsedUp)
  }

  @Test("A code of an app is typed at once, and sent to the factor's link")
  func appCode() async throws {
    let (client, server, state) = try await pass([
      required(.factor("token:software:totp", "GOOGLE", id: "f1"), .factor("sms", id: "f2")),
      .error("E0000068", "Invalid Passcode/Answer"), Self.success,
    ])
    let choice = try #require(state.response[.selectAuthenticatorAuthenticate])
    #expect(
      choice["authenticator"]?.options.map(\.label) == ["Google Authenticator", "Phone, by SMS"])
    var next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.googleAuthenticator)],
      from: state)
    #expect(await server.requests.count == 1)
    next = try await client.proceed(.challengeAuthenticator, code("000000"), from: next)
    #expect(next.response.says(.passcodeInvalid))
    #expect(next.response.currentAuthenticator?.key == .googleAuthenticator)
    next = try await client.proceed(.challengeAuthenticator, code("123456"), from: next)
    #expect(next.isSignedIn)
    let request = try #require(await server.requests.last)
    #expect(request.line == "POST /api/v1/authn/factors/f1/verify")
    #expect(request.body["passCode"] == "123456" && request.body["stateToken"] == "st-1")
  }

  @Test("The only factor begins by itself where something is to be sent, and can be gone back from")
  func onlyFactor() async throws {
    let sms = JSON.factor("sms", id: "f1", profile: ["phoneNumber": "+1 XXX-XXX-1337"])
    let (client, server, state) = try await pass([
      required(sms), challenge(sms, next: "verify"), challenge(sms, next: "verify"), required(sms),
    ])
    #expect(state.response.remediations.map(\.name) == [.challengeAuthenticator])
    #expect(state.response.currentAuthenticator?.phoneNumber == "+1 XXX-XXX-1337")
    #expect(state.response.actions.map(\.name) == [.previous, .cancel])
    let again = try await client.proceed(.resend, from: state)
    let back = try await client.proceed(.previous, from: again)
    #expect(back.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    #expect(
      await server.lines == [
        "POST /api/v1/authn", "POST /api/v1/authn/factors/f1/verify",
        "POST /api/v1/authn/factors/f1/verify/resend", "POST /api/v1/authn/previous",
      ])
  }

  @Test("A push shows the number to pick, is polled, and can be sent again once it was rejected")
  func push() async throws {
    let push = JSON.factor("push", id: "f1", profile: ["name": "Ada's phone"])
    let numbered = JSON.factor(
      "push", id: "f1", profile: ["name": "Ada's phone"],
      embedded: ["challenge": ["correctAnswer": 42]])
    let (client, server, state) = try await pass([
      required(push), challenge(numbered, next: "poll", result: "WAITING"),
      challenge(push, next: "verify", result: "REJECTED"),
      challenge(push, next: "poll", result: "WAITING"), Self.success,
    ])
    #expect(state.response.currentAuthenticator?.numberChallenge == "42")
    #expect(state.response.currentAuthenticator?.nickname == "Ada's phone")
    #expect(state.response[.challengePoll]?.refresh == .seconds(4))
    var next = try await client.poll(state)
    #expect(next.response.says("api.authn.poll.error.push_rejected"))
    next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)], from: next)
    #expect(try await client.poll(next).isSignedIn)
    #expect(await server.lines.suffix(4).allSatisfy { $0.hasSuffix("/factors/f1/verify") })
  }

  @Test("Several factors of one kind are told apart")
  func severalOfAKind() async throws {
    let (client, server, state) = try await pass([
      required(
        .factor("sms", id: "f1", profile: ["phoneNumber": "+1 XXX-XXX-1111"]),
        .factor("sms", id: "f2", profile: ["phoneNumber": "+1 XXX-XXX-2222"]),
        .factor("token:software:totp", "GOOGLE", id: "f3"),
        .factor("token:software:totp", "GOOGLE", id: "f4")),
      challenge(.factor("sms", id: "f2"), next: "verify"),
    ])
    let options = state.response[.selectAuthenticatorAuthenticate]?["authenticator"]?.options ?? []
    #expect(
      options.map(\.label) == [
        "Phone, by SMS", "Phone, by SMS", "Google Authenticator, number 1",
        "Google Authenticator, number 2",
      ])
    #expect(options.map { $0.authenticator?.phoneNumber?.suffix(4) } == ["1111", "2222", nil, nil])
    _ = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(await server.lines.last == "POST /api/v1/authn/factors/f2/verify")
  }

  @Test("A passkey is told what to sign, and its answer goes where the server says")
  func passkey() async throws {
    let key = JSON.factor("webauthn", "FIDO", id: "f1", profile: ["credentialId": "Y3JlZA"])
    let asked = JSON.factor(
      "webauthn", "FIDO", id: "f1", profile: ["credentialId": "Y3JlZA"],
      embedded: ["challenge": ["challenge": "Y2g", "userVerification": "preferred"]])
    let (client, server, state) = try await pass([
      required(key), challenge(asked, next: "verify"), Self.success,
    ])
    let data = state.response.currentAuthenticator?.webAuthnChallenge
    #expect(data?["challenge"] == "Y2g" && data?["allowCredentials"]?[0]?["id"] == "Y3JlZA")
    let answers: Answers = [
      "credentials.authenticatorData": "YQ", "credentials.clientData": "Yg",
      "credentials.signatureData": "Yw",
    ]
    #expect(try await client.proceed(.challengeAuthenticator, answers, from: state).isSignedIn)
    let body = try #require(await server.requests.last?.body)
    #expect(body["signatureData"] == "Yw" && body["clientData"] == "Yg")
  }
}

// MARK: - Setting up, passwords, recovery

extension ClassicAuthClientTests {
  @Test("Google Authenticator is set up: the key is shown, its first code is sent")
  func enrolment() async throws {
    let links: JSON = ["skip": .link("/skip", "skip"), "cancel": Self.cancel]
    let google = JSON.factor("token:software:totp", "GOOGLE")
    let activation: JSON = [
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
    var question = JSON.factor("question").object ?? JSON.Object()
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
    let activation: JSON = [
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
    let policy: JSON = [
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

// MARK: - Ends and errors

extension ClassicAuthClientTests {
  @Test("A status that nobody knows ends with a message, and its data is kept")
  func unknownStatus() async throws {
    let (_, _, state) = try await pass([
      .state("MFA_TELEPATHY", links: ["cancel": Self.cancel], embedded: ["thought": "blue"])
    ])
    #expect(state.isAtEnd)
    #expect(state.response.messages.first?.text?.contains("MFA_TELEPATHY") == true)
    #expect(state.response.original?["_embedded"]?["thought"] == "blue")
    #expect(state.response.actions.map(\.name) == [.cancel])
  }

  @Test("The session token is traded by a redirect that is read, with PKCE and the state")
  func trade() async throws {
    let (client, server, state) = try await pass([Self.success])
    let redirect = "com.example.app:/callback?code=c-1&state=\(state.redirectState.revealed)"
    await server.add([
      AuthnServer.Answer(status: 302, headers: ["Location": redirect], body: []),
      .json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600]),
    ])
    let credential = try await client.redeem(state)
    #expect(credential.tokens.accessToken == "at-1" && credential.username == "ada@shop.example")
    #expect(
      await server.lines.suffix(2) == [
        "GET /oauth2/default/v1/authorize", "POST /oauth2/default/v1/token",
      ])
  }

  @Test("A redirect that belongs to another sign-in, or refuses, gives no tokens")
  func refusedTrade() async throws {
    let (client, server, state) = try await pass([Self.success])
    func answer(_ query: String) -> AuthnServer.Answer {
      AuthnServer.Answer(
        status: 302, headers: ["Location": "com.example.app:/callback?\(query)"], body: [])
    }
    let own = state.redirectState.revealed
    await server.add([
      answer("code=c-1&state=other"),
      answer("error=login_required&error_description=session-1+is+used&state=\(own)"),
      .json([:], status: 200),
    ])
    let mismatch = await #expect(throws: FlowError.self) { try await client.redeem(state) }
    #expect(mismatch?.code == .redirectMismatch)
    let refused = await #expect(throws: FlowError.self) { try await client.redeem(state) }
    #expect(refused?.code == .refused)
    await #expect(throws: FlowError.self) { try await client.redeem(state) }
  }

  @Test("Where the session token is wanted, the sign-in ends with it and is not traded")
  func sessionToken() async throws {
    let (client, server, state) = try await pass([Self.success], yielding: .sessionToken)
    #expect(state.isAtEnd && !state.isSignedIn && state.sessionToken == "session-1")
    await #expect(throws: FlowError.self) { try await client.redeem(state) }
    #expect(await server.requests.count == 1)
    #expect(!String(reflecting: state).contains("session-1") && !"\(state)".contains("session-1"))
  }

  @Test("A lost answer is looked up and not sent twice")
  func lostAnswer() async throws {
    let google = JSON.factor("token:software:totp", "GOOGLE", id: "f1")
    let sms = JSON.factor("sms", id: "f2")
    let (client, server, state) = try await pass([
      required(google, sms), .lost, challenge(sms, next: "verify"),
    ])
    let next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(next.response.remediations.first?.name == .challengeAuthenticator)
    #expect(await server.requests.last?.line == "POST /api/v1/authn")
    #expect(await server.requests.last?.body == ["stateToken": "st-1"])
  }

  @Test("An expired sign-in ends; a rate limit and a page that is none are errors")
  func errors() async throws {
    let (client, server, state) = try await pass([
      required(.factor("question", id: "f1"), .factor("sms", id: "f2")),
      .error("E0000011", "Invalid token provided", status: 401),
    ])
    let ended = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(ended.isAtEnd && ended.response.says(.sessionExpired))
    await server.add([
      .error("E0000047", "Too many", status: 429),
      AuthnServer.Answer(status: 200, headers: [:], body: Array("<html>".utf8)),
    ])
    for code in [FlowError.Code.rateLimited, .unexpectedResponse] {
      let error = await #expect(throws: FlowError.self) {
        try await client.proceed(
          .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
      }
      #expect(error?.code == code)
    }
  }

  @Test("A link to another host is refused, and nothing is sent")
  func foreignLink() async throws {
    var factor = JSON.factor("sms", id: "f2").object ?? JSON.Object()
    factor["_links"] = ["verify": ["href": "https://evil.example/api/v1/authn/factors/f2/verify"]]
    let (client, server, state) = try await pass([
      required(.object(factor), .factor("question", id: "f1"))
    ])
    let error = await #expect(throws: FlowError.self) {
      try await client.proceed(
        .selectAuthenticatorAuthenticate, ["authenticator": .option(0)], from: state)
    }
    #expect(error?.code == .hrefRefused)
    #expect(await server.requests.count == 1)
  }

  @Test("A state of another protocol is refused")
  func otherProtocol() async throws {
    let (_, server, state) = try await pass([required(.factor("sms", id: "f1")), Self.success])
    let idx = IDXClient(transport: server)
    let error = await #expect(throws: FlowError.self) { try await idx.refresh(state) }
    #expect(error?.code == .unreadableState)
  }
}

extension AuthnServer {
  func add(_ more: [Answer]) { answers += more }
}
