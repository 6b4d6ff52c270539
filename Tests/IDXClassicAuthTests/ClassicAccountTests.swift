import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXOAuth
import Testing

/// Classic passwords, recovery and other account steps.
struct ClassicAccountTests {
  private static let reset = ScriptedServer.Response.state(
    "PASSWORD_RESET", links: ["next": .link("/credentials/reset_password", "resetPassword")])

  /// A recovery after an email with a link was sent.
  private func afterEmail(_ answers: ScriptedServer.Response...) async throws -> ClassicSignIn {
    let sent = ScriptedServer.Response.json([
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
      "recoveryType": "PASSWORD",
    ])
    var signIn = try await ClassicSignIn([sent] + answers)
    try await signIn.enterUsername()
    try await signIn.submit(.recover)
    try await signIn.choose(.option(0))
    return signIn
  }

  @Test(
    "A new password is asked for with the old one, by the form for the status",
    arguments: [
      ("PASSWORD_EXPIRED", Remediation.Name.reenrollAuthenticator),
      ("PASSWORD_WARN", .reenrollAuthenticatorWarning), ("PASSWORD_RESET", .resetAuthenticator),
    ])
  func newPassword(status: String, name: Remediation.Name) async throws {
    let policy: JSONValue = [
      "policy": ["expiration": ["passwordExpireDays": 3], "complexity": ["minLength": 12]]
    ]
    let links: JSONValue = [
      "next": .link("/credentials/next", "changePassword"), "skip": .link("/skip", "skip"),
    ]
    var signIn = try await ClassicSignIn.afterPassword(
      .state(status, links: links, embedded: policy),
      .error("E0000014", "Update of credentials failed"), .success)
    expectEqual(signIn.names, [name, .skip])
    expectEqual(signIn.response.currentAuthenticator?.passwordRules?.minimumLength, 12)
    expectEqual(signIn.response.currentAuthenticator?.passwordRules?.daysToExpiry, 3)
    var answers: Answers = ["credentials.passcode": "new"]
    if name != .resetAuthenticator { answers["credentials.oldPassword"] = "old" }
    try await signIn.submit(name, answers)
    expect(signIn.response.says("errors.E0000014"))
    try await signIn.submit(name, answers)
    expect(signIn.state.isSignedIn)
    let body = try await require(signIn.server.requests.last?.body)
    expectEqual(body["newPassword"], "new")
    expectEqual(body["oldPassword"], (name == .resetAuthenticator ? nil : "old"))
  }

  @Test("A password that is changed on a web page has no form", arguments: [true, false])
  func passwordElsewhere(isWarning: Bool) async throws {
    let page: JSONValue = [
      "name": "changePassword", "title": "Password service",
      "href": "https://passwords.example.com/", "hints": ["allow": ["GET"]],
    ]
    let signIn = try await ClassicSignIn.afterPassword(
      .state(
        isWarning ? "PASSWORD_WARN" : "PASSWORD_EXPIRED",
        links: ["next": page, "skip": .link("/skip", "skip")]))
    expectEqual(UnsupportedStep(try require(signIn.step))?.kind, .passwordElsewhere)
    expectEqual(signIn.response.messages.first?.text?.contains("Password service"), true)
    expectEqual(signIn.names.last, .skip)
  }

  @Test("A password is recovered with a code by SMS, the security question and a new password")
  func recovery() async throws {
    var signIn = try await ClassicSignIn.afterUsername(
      .state(
        "RECOVERY_CHALLENGE",
        links: ["next": .link("/recovery/factors/SMS/verify", "verify")],
        ["factorType": "SMS", "recoveryType": "PASSWORD"]),
      .state(
        "RECOVERY", links: ["next": .link("/recovery/answer", "answer")],
        embedded: ["user": ["recovery_question": ["question": "Your first pet?"]]]),
      Self.reset, .success)
    try await signIn.submit(.recover)
    try await signIn.choose(.option(1))
    try await signIn.enter("123456")
    expectEqual(signIn.response.currentAuthenticator?.enrolledQuestion?.text, "Your first pet?")
    try await signIn.submit(.challengeAuthenticator, ["credentials.answer": "Rex the dog"])
    try await signIn.submit(.resetAuthenticator, ["credentials.passcode": "new"])
    expect(signIn.state.isSignedIn)
    let requests = await signIn.server.requests
    expectEqual(
      requests.map { String($0.line.dropFirst("POST /api/v1/authn".count)) },
      [
        "/recovery/password", "/recovery/factors/SMS/verify", "/recovery/answer",
        "/credentials/reset_password",
      ])
    expectEqual(requests[0].body, ["username": "ada@shop.example", "factorType": "SMS"])
  }

  @Test("A recovery token continues a recovery")
  func recoveryToken() async throws {
    var options = StartOptions()
    options.recoveryToken = "tok-2"
    let signIn = try await ClassicSignIn([Self.reset], options)
    expectEqual(signIn.names.first, .resetAuthenticator)
    await expectEqual(signIn.server.requests.last?.body, ["recoveryToken": "tok-2"])
  }

  @Test(
    "The link of a recovery email can be pasted in many forms",
    arguments: [
      "https://org.example/signin/reset-password/tok-1?x=1",
      " https://org.example/signin/reset-password/tok-1 \n", "tok-1",
      "https://org.example/signin/reset-password/tok-1/",
      "https://org.example/signin/reset-password/tok-1#top",
      "https://org.example/signin/reset-password/tok-1?fromURI=/a/b#top",
      "https://org.example/reset?a=b&recoveryToken=tok-1",
      "<https://org.example/signin/reset-password/tok-1>.",
      "https://org.example/signin/reset-password/tok-1.", "https://org.example/r?token=tok-1",
    ])
  func pastedLink(text: String) async throws {
    var signIn = try await afterEmail(Self.reset)
    expectEqual(signIn.response.currentAuthenticator?.key, .email)
    try await signIn.enter(.text(text))
    await expectEqual(signIn.server.requests.last?.body, ["recoveryToken": "tok-1"])
    expectEqual(signIn.names.first, .resetAuthenticator)
  }

  @Test("An invalid link is asked for again")
  func invalidLink() async throws {
    var signIn = try await afterEmail(
      .error("E0000011", "Invalid token provided", status: 401), Self.reset)
    try await signIn.enter("tok-9")
    expect(!signIn.state.isAtEnd && signIn.state.isRefusal)
    expect(signIn.response.messages.contains { $0.text == "Invalid token provided" })
    try await signIn.enter("tok-1")
    await expect(signIn.server.isUsedUp)
  }

  @Test("An activation token starts at its transaction, which asks for username and password")
  func activationToken() async throws {
    var options = StartOptions()
    options.activationToken = "act-1"
    options.loginHint = "ada@shop.example"
    var signIn = try await ClassicSignIn(
      [.state("UNAUTHENTICATED", links: ["next": .link("/auth", "authenticate")]), .success],
      options)
    await expectEqual(signIn.server.requests.last?.body, ["token": "act-1"])
    let field = try require(signIn.response[.identify]?["identifier"])
    expectEqual(field.value, "ada@shop.example")
    try await signIn.submit(.identify)
    try await signIn.enter("pw")
    expect(signIn.state.isSignedIn)
    let request = try await require(signIn.server.requests.last)
    expect(request.line == "POST /api/v1/authn/auth" && request.body["stateToken"] == "st-1")
  }

  @Test("Consent names the scopes and sends them with the expiry time")
  func consent() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .state(
        "CONSENT_REQUIRED", links: ["next": .link("/consent", "consent")],
        embedded: ["scopes": [["name": "email", "displayName": "View your email address"]]]),
      .success)
    expectEqual(signIn.response.messages.first?.text?.contains("View your email address"), true)
    try await signIn.submit(.consent)
    expect(signIn.state.isSignedIn)
    await expectEqual(
      signIn.server.requests.last?.body["consent"],
      [
        "scopes": ["email"], "expiresAt": "2027-01-15T08:05:00.000Z",
      ])
  }

  @Test("The code of a device is typed and sent")
  func deviceCode() async throws {
    var signIn = try await ClassicSignIn.afterPassword(
      .state("DEVICE_ACTIVATE", links: ["next": .link("/device/activate", "deviceActivate")]),
      .success)
    try await signIn.submit(.userCode, ["userCode": "ABCD-EFGH"])
    let request = try await require(signIn.server.requests.last)
    expectEqual(request.line, "POST /api/v1/authn/device/activate")
    expectEqual(request.body["userCode"], "ABCD-EFGH")
  }
}
