import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg

/// The classic API of the simulated org: factors.
struct ClassicFactorTests {
  private typealias D = DirectClient
  private let login = ClassicClient.login
  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "What does the engine weave?", answer: "Patterns")

  @Test("Every enrollment is one factor, or two if it has two methods")
  func list() async throws {
    let org = makeOrg(
      .optional(
        .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .yubiKey, .rsa,
        .symantecVIP, .duo),
      [
        .email, D.phone, .phone("+15550100177"), D.app, D.oktaVerify, Self.question, .device(.duo),
        .token(.yubiKey, secret: "touch"), .token(.rsa, secret: "JBSWY3DPEHPK3PXP"),
        .token(.symantecVIP, secret: "JBSWY3DPEHPK3PXP"),
      ])
    let client = try await ClassicClient.signedIn(org)
    client.expectStatus("MFA_REQUIRED", ["cancel"])
    expectEqual(
      client.kinds,
      [
        "email OKTA", "sms OKTA", "call OKTA", "sms OKTA", "call OKTA",
        "token:software:totp GOOGLE", "push OKTA", "token:software:totp OKTA", "question OKTA",
        "token:hardware YUBICO", "token RSA", "token SYMANTEC",
      ])
    let ids = Set(client.factors.compactMap { $0["id"]?.string })
    expectEqual(ids.count, client.factors.count)
    let profiles = client.factors.map { $0["profile"] }
    expectEqual(profiles[0], ["email": "a***a@shop.example"])
    expectEqual(profiles[1], ["phoneNumber": "+1 XXX-XXX-0142"])
    expectEqual(profiles[3], ["phoneNumber": "+1 XXX-XXX-0177"])
    expectEqual(profiles[6]?["name"], "Ada's phone")
    expectEqual(profiles[8]?["questionText"], "What does the engine weave?")
  }

  @Test("Of two phones, the chosen one gets the code; of two apps, each has its own codes")
  func twoOfOneKind() async throws {
    let org = makeOrg(.required(.phone), [D.phone, .phone("+15550100177")])
    var client = try await ClassicClient.signedIn(org)
    let choice = client.json
    try await client.verify("sms", at: 1)
    await expectEqual(org.mailbox.messages.map(\.recipient), ["+15550100177"])
    try await client.follow("prev")
    client.expectStatus("MFA_REQUIRED", ["cancel"])
    expectEqual(client.json, choice)
    try await client.verify("call", at: 0)
    let code = await org.mailbox.lastCode(to: D.number) ?? ""
    try await client.follow("next", ["passCode": .string(code)])
    client.expectStatus("SUCCESS")

    let apps = makeOrg(
      .required(.googleAuthenticator),
      [D.app, .googleAuthenticator(secret: "NBQXAZDFOJSXGZLB")])
    let appCode = try require(TOTPGenerator(base32: "NBQXAZDFOJSXGZLB")?.code(at: apps.now))
    for (index, isRight) in [(0, false), (1, true), (1, false)] {
      client = try await .signedIn(apps)
      try await client.verify("token:software:totp", at: index, ["passCode": .string(appCode)])
      if isRight { client.expectStatus("SUCCESS") } else { client.expectError("E0000068", 403) }
    }
    expectEqual(client.cause, IDXMessage.Draft.usedAppCode.text)
  }

  @Test("A rejected or unanswered push can be sent again", arguments: ["REJECTED", "TIMEOUT"])
  func pushAgain(result: String) async throws {
    let org = makeOrg(.required(.oktaVerify), [D.oktaVerify])
    var client = try await ClassicClient.signedIn(org)
    try await client.verify("push")
    let address = client.links["next"]?["href"]
    if result == "REJECTED" { await org.rejectPush(for: login) } else { org.advance(by: 60) }
    try await client.follow()
    for _ in 0..<2 {
      client.expectStatus("MFA_CHALLENGE", ["next verify", "prev", "cancel"])
      expectEqual(client.result, result)
      expectEqual(client.links["next"]?["href"], address)
      try await client.post(path: "")
    }
    await expectEmpty(org.pushes(for: login))
    try await client.follow()
    client.expectStatus("MFA_CHALLENGE", ["next poll", "prev", "cancel"])
    expectEqual(client.result, "WAITING")
    await org.approvePush(for: login)
    try await client.follow()
    client.expectStatus("SUCCESS")
  }

  @Test("A code of a token or key is accepted once, and a token server can ask for the next one")
  func nextCode() async throws {
    for (enrollment, type) in [
      (.token(.yubiKey, secret: "touch"), "token:hardware"),
      (.token(.rsa, secret: "JBSWY3DPEHPK3PXP"), "token"),
      (.token(.symantecVIP, secret: "JBSWY3DPEHPK3PXP"), "token"),
    ] as [(SimulatedUser.Enrollment, String)] {
      let org = makeOrg(.required(enrollment.authenticator), [enrollment])
      let code = await org.code(of: enrollment.authenticator, for: login) ?? ""
      for isNew in [true, false] {
        var client = try await ClassicClient.signedIn(org)
        try await client.verify(type, ["passCode": .string(code)])
        if isNew { client.expectStatus("SUCCESS") } else { client.expectError("E0000068", 403) }
      }
    }
    let org = makeOrg(
      .required(.rsa), [.token(.rsa, secret: "JBSWY3DPEHPK3PXP", wantsNextCode: true)])
    let choice = try await ClassicClient.signedIn(org)
    for isFirst in [true, false] {
      var client = choice
      let code = await org.code(of: .rsa, for: login) ?? ""
      try await client.verify("token", ["passCode": .string(code)])
      if isFirst { client.expectError("E0000113", 403) } else { client.expectStatus("SUCCESS") }
    }
  }
}
