import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXOAuth
import Testing

/// Classic errors and unexpected responses.
struct ClassicErrorTests {
  private static let question = JSONValue.factor(
    "question", id: "f1", profile: ["questionText": "Your pet?"])
  private static let sms = JSONValue.factor("sms", id: "f2")

  @Test("An unknown status ends with a message, and the response is kept")
  func unknownStatus() async throws {
    let signIn = try await ClassicSignIn.afterPassword(
      .state(
        "MFA_TELEPATHY", links: ["cancel": .link("/cancel", "cancel")],
        embedded: ["thought": "blue"]))
    expect(signIn.state.isAtEnd)
    expectEqual(signIn.response.messages.first?.text?.contains("MFA_TELEPATHY"), true)
    expectEqual(signIn.response.original?["_embedded"]?["thought"], "blue")
    expectEqual(signIn.response.actions.map(\.name), [.cancel])
  }

  @Test(
    "A status without the data for it ends with an error message",
    arguments: [
      ["status": "MFA_REQUIRED"], ["status": "MFA_CHALLENGE"], ["status": "MFA_ENROLL"],
      ["status": "MFA_ENROLL_ACTIVATE"], ["status": "FACTOR_REQUIRED"],
      ["status": "MFA_REQUIRED", "_embedded": ["factors": [["factorType": "push", "id": "1"]]]],
      ["status": "MFA_CHALLENGE", "_embedded": ["factor": ["factorType": "sms", "id": "1"]]],
      ["status": "PASSWORD_EXPIRED"], ["status": "CONSENT_REQUIRED"], ["status": "DEVICE_ACTIVATE"],
      ["status": "RECOVERY"],
    ] as [JSONValue])
  func missingData(json: JSONValue) async throws {
    let signIn = try await ClassicSignIn.afterPassword(.json(json))
    expect(signIn.state.isAtEnd && signIn.names.isEmpty)
    expect(signIn.response.messages.contains { $0.isError && $0.text?.isEmpty == false })
  }

  @Test(
    "A response with wrong types leads to a state or a FlowError",
    arguments: [
      ["status": "MFA_CHALLENGE"], ["status": "MFA_REQUIRED", "_embedded": ["factors": [1, []]]],
      ["status": "MFA_ENROLL", "_embedded": ["factors": [["factorType": "sms"]]]],
      ["status": "MFA_ENROLL_ACTIVATE", "_embedded": ["factor": ["factorType": 7]]],
      ["status": "PASSWORD_EXPIRED", "_links": ["next": ["href": 5]]], ["status": ""],
      ["status": "RECOVERY", "_embedded": ["user": ["recovery_question": []]]],
      ["status": "SUCCESS", "sessionToken": 5], ["status": "LOCKED_OUT", "_links": []],
      ["status": "MFA_REQUIRED", "_embedded": ["factors": [["factorType": "push"]]]],
    ] as [JSONValue])
  func wrongTypes(json: JSONValue) async throws {
    let signIn = try await ClassicSignIn.afterPassword(.json(json))
    expectEqual(signIn.response.original, json)
    for form in signIn.response.allForms {
      let answers = form.form.inputs().isEmpty ? Answers() : ["authenticator": .option(0)]
      do {
        _ = try await signIn.client.proceed(Submission(form, answers), from: signIn.state)
      } catch { expect(error is FlowError) }
    }
  }

  private static func page(
    _ text: String, status: Int = 200, location: String? = nil
  ) -> ScriptedServer.Response {
    var headers = ["Content-Type": "text/html"]
    headers["Location"] = location
    return ScriptedServer.Response(status: status, headers: headers, body: Array(text.utf8))
  }

  @Test(
    "A page in place of the code says what the app asks for, and is no Wi-Fi page",
    arguments: [
      (
        page("<html><title>Extra Verification Required</title></html>"),
        FlowError.Code.browserNeeded
      ),
      (page("", status: 302, location: "/login/step-up/redirect?stateToken=00a"), .browserNeeded),
      (page("<html>'redirect_uri' must be registered</html>", status: 400), .refused),
      (page("<html>Ungültiger Wert für client_id</html>", status: 400), .refused),
      // A firewall that quotes the request.
      (
        page(
          "<script>var client_id = 1</script><p>/v1/authorize?redirect_uri=a&amp;client_id=b</p>",
          status: 400), .unexpectedResponse
      ),
    ])
  func pageInPlaceOfCode(response: ScriptedServer.Response, code: FlowError.Code) async throws {
    let signIn = try await ClassicSignIn.afterPassword(.success, response)
    let error = try await requireError(FlowError.self) {
      try await signIn.client.redeem(signIn.state)
    }
    expectEqual(error.code, code)
    expect(!error.message.contains("session-1"))
    expect(code == .unexpectedResponse || !error.message.contains("Wi-Fi"))
    if code == .refused {
      let setup = SetupProblem(error, of: try ClassicSignIn.configuration)
      expect(setup.map { [.wrongRedirectURI, .wrongClientID].contains($0.kind) } == true)
    }
  }

  @Test("What the app asks for beyond the session token is said, with the server's code and words")
  func moreSteps() async throws {
    for code in ["interaction_required", "login_required", "consent_required"] {
      let signIn = try await ClassicSignIn.afterPassword(.success)
      let state = signIn.state.redirectState.revealed
      await signIn.server.add(
        .redirect("error=\(code)&error_description=Another+factor.&state=\(state)"))
      let error = try await requireError(FlowError.self) {
        try await signIn.client.redeem(signIn.state)
      }
      expectEqual(error.code, .refused)
      expectEqual((error.underlying as? OAuthError)?.code.rawValue, code)
      expectContains(error.message, "(\(code): Another factor.)")
    }
  }

  @Test("An expired transaction and a locked account end; a rate limit and an HTML page are thrown")
  func errors() async throws {
    let choice = try await ClassicSignIn.afterPassword(
      .mfaRequired(Self.question, Self.sms),
      .error("E0000011", "Invalid token provided", status: 401),
      .error("E0000069", "User is locked"))
    var expired = choice
    try await expired.choose(.option(1))
    expect(expired.state.isAtEnd && expired.response.says(.sessionExpired))
    var locked = choice
    try await locked.choose(.option(1))
    expect(locked.state.isAtEnd && locked.response.messages.first?.text == "User is locked")
    await choice.server.add(
      .error("E0000047", "Too many", status: 429),
      ScriptedServer.Response(status: 200, headers: [:], body: Array("<html>".utf8)))
    for code in [FlowError.Code.rateLimited, .unexpectedResponse] {
      let error = try await requireError(FlowError.self) {
        var copy = choice
        try await copy.choose(.option(1))
      }
      expectEqual(error.code, code)
    }
  }

  @Test("If a reply is lost, the server is asked for the current state, and nothing is sent twice")
  func lostResponse() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(Self.question, Self.sms), .lost, .mfaChallenge(Self.sms))
    try await signIn.choose(.option(1))
    expectEqual(signIn.names.first, .challengeAuthenticator)
    let request = try await require(signIn.server.requests.last)
    expect(request.line == "POST /api/v1/authn" && request.body == ["stateToken": "st-1"])
  }

  @Test(
    "If the transaction is in another state, the server is asked for it, and its reason is shown",
    arguments: [true, false])
  func otherState(hasTransaction: Bool) async throws {
    let refusal = ScriptedServer.Response.error(
      "E0000079", "This operation is not allowed.", status: 403)
    guard hasTransaction else {
      let signIn = try await ClassicSignIn.afterPassword(refusal)
      expect(signIn.state.isRefusal && signIn.response.says("errors.E0000079"))
      return
    }
    let required = ScriptedServer.Response.mfaRequired(Self.question, Self.sms)
    var signIn = try await ClassicSignIn.afterPassword(required, refusal, required)
    try await signIn.choose(.option(1))
    expectEqual(signIn.response.messages.map(\.text), ["This operation is not allowed."])
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    await expectEqual(signIn.server.requests.last?.body, ["stateToken": "st-1"])
    try await signIn.choose(.authenticator(.securityQuestion))
    expectEqual(signIn.response[.challengeAuthenticator]?["credentials.answer"]?.isSecret, true)
  }

  @Test("A refusal without text has a message with text")
  func emptySummary() async throws {
    let signIn = try await ClassicSignIn.afterPassword(
      .json(
        ["errorCode": "E0000004", "errorSummary": "", "errorCauses": [["errorSummary": ""]]],
        status: 401))
    expect(signIn.response.messages.allSatisfy { $0.text?.isEmpty == false })
  }

  @Test("A link to another host is refused, and nothing is sent")
  func otherHost() async throws {
    var factor = Self.sms.object ?? JSONValue.Object()
    factor["_links"] = ["verify": ["href": "https://evil.example/api/v1/authn/factors/f2/verify"]]
    let signIn = try await ClassicSignIn.afterPassword(
      .mfaRequired(.object(factor), Self.question))
    let error = try await requireError(FlowError.self) {
      var copy = signIn
      try await copy.choose(.option(0))
    }
    expectEqual(error.code, .hrefRefused)
    await expectEqual(signIn.server.requests.count, 1)
  }

  @Test("More factors than a response can describe are an error that says the limit")
  func manyFactors() async throws {
    let factors = (0..<7_000).map { JSONValue.factor("sms", id: "f\($0)") }
    let error = try await requireError(FlowError.self) {
      _ = try await ClassicSignIn.afterPassword(
        .state("MFA_REQUIRED", embedded: ["factors": .array(factors)]))
    }
    expect(error.code == .unexpectedResponse && error.message.contains("at most 20000 are read"))
  }

  @Test("No description of a state, a form, a client or an error contains a secret")
  func descriptions() async throws {
    let activation: JSONValue = [
      "activation": [
        "sharedSecret": "JBSWY3DPEHPK3PXP", "_links": ["qrcode": ["href": "https://org.example/q"]],
      ]
    ]
    let google = JSONValue.factor("token:software:totp", "GOOGLE", id: "f1", embedded: activation)
    var signIn = try await ClassicSignIn([
      .mfaEnroll(.factor("token:software:totp", "GOOGLE")), .mfaEnrollActivate(google),
      .error("E0000068", "The code 123456 for st-1-long-enough is wrong"), .success,
    ])
    let secrets = ["Corr3ct-Horse", "st-1", "JBSWY3DPEHPK3PXP", "123456", "session-1"]
    func check(_ value: Any) {
      let text = printedTexts(of: value)
      for secret in secrets { expect(!text.contains(secret), "\(secret)") }
    }
    try await signIn.enterUsername()
    let steps: [(Remediation.Name, Answers)] = [
      (.challengeAuthenticator, ["credentials.passcode": "Corr3ct-Horse"]),
      (.selectAuthenticatorEnroll, ["authenticator": .option(0)]),
      (.enrollAuthenticator, ["credentials.passcode": "123456"]),
      (.enrollAuthenticator, ["credentials.passcode": "123456"]),
    ]
    for (name, answers) in steps {
      let form = try require(signIn.response[name])
      check(Submission(form, answers))
      try await signIn.submit(name, answers)
      check(signIn.state)
      check(FlowPhase(signIn.state))
      check(signIn.response.allForms)
    }
    expect(signIn.state.isSignedIn)
    check(signIn.client)
    let end = signIn
    check(try await requireError(FlowError.self) { try await end.client.redeem(end.state) })
  }
}
