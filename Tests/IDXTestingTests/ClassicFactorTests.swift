import IDXBase
import IDX
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

@Suite("The classic API in the simulated org: factors")
struct ClassicFactorTests {
  private typealias D = DirectVisitor
  private let login = ClassicVisitor.login
  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "What does the engine weave?", answer: "Patterns")

  @Test("Every enrolment is a factor, or two where it is used in two ways")
  func list() async throws {
    let org = makeOrg(
      .optional(
        .email, .phone, .googleAuthenticator, .oktaVerify, .securityQuestion, .yubiKey, .rsa,
        .symantecVIP, .duo),
      [
        .email, D.phone, .phone("+15550100177"), D.app, D.oktaVerify, Self.question, .duo,
        .yubiKey(secret: "touch"), .rsa(secret: "JBSWY3DPEHPK3PXP"),
        .symantecVIP(secret: "JBSWY3DPEHPK3PXP"),
      ])
    let visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("MFA_REQUIRED", ["cancel"])
    #expect(
      visitor.kinds == [
        "email OKTA", "sms OKTA", "call OKTA", "sms OKTA", "call OKTA",
        "token:software:totp GOOGLE", "push OKTA", "token:software:totp OKTA", "question OKTA",
        "token:hardware YUBICO", "token RSA", "token SYMANTEC",
      ])
    let ids = Set(visitor.factors.compactMap { $0["id"]?.string })
    #expect(ids.count == visitor.factors.count)
    let profiles = visitor.factors.map { $0["profile"] }
    #expect(profiles[0] == ["email": "a***a@shop.example"])
    #expect(profiles[1] == ["phoneNumber": "+1 XXX-XXX-0142"])
    #expect(profiles[3] == ["phoneNumber": "+1 XXX-XXX-0177"])
    #expect(profiles[6]?["name"] == "Ada's phone")
    #expect(profiles[8]?["questionText"] == "What does the engine weave?")
  }

  @Test(
    "A code that was sent, which can be sent again",
    arguments: [("sms", "sms", "sms"), ("call", "voice", "tel"), ("email", "email", "otp")])
  func sentCode(type: String, method: String, told: String) async throws {
    let org = makeOrg(.optional(.phone, .email), [D.phone, .email])
    var visitor = try await ClassicVisitor.signedIn(org)
    #expect(await org.mailbox.messages.isEmpty)
    let id = visitor.factors.first { $0["factorType"]?.string == type }?["id"]
    try await visitor.verify(type)
    visitor.expect("MFA_CHALLENGE", ["next verify", "resend \(type)", "prev", "cancel"])
    #expect(visitor.result == "CHALLENGE")
    #expect(visitor.factor?["id"] == id)
    #expect(visitor.factor?["factorType"]?.string == type)
    let first = try #require(await org.mailbox.messages.last)
    #expect(first.method.rawValue == method)
    let challenge = visitor
    try await visitor.follow("resend")
    #expect(visitor.json == challenge.json)
    let second = try #require(await org.mailbox.messages.last)
    #expect(second.code != first.code)
    for code in [first.code, "horse"] {
      visitor = challenge
      try await visitor.follow("next", ["passCode": .string(code)])
      visitor.expectError("E0000068", 403, naming: "That is not the code.")
    }
    visitor = challenge
    try await visitor.follow("next", ["passCode": .string(second.code)])
    try await visitor.expectTokens(["mfa", "pwd", told].sorted())
  }

  @Test("Of two phones it is the one that was chosen")
  func twoPhones() async throws {
    let org = makeOrg(.required(.phone), [D.phone, .phone("+15550100177")])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor.json
    try await visitor.verify("sms", at: 1)
    #expect(await org.mailbox.messages.map(\.recipient) == ["+15550100177"])
    try await visitor.follow("prev")
    visitor.expect("MFA_REQUIRED", ["cancel"])
    #expect(visitor.json == choice)
    try await visitor.verify("call", at: 0)
    let code = await org.mailbox.lastCode(to: D.number) ?? ""
    try await visitor.follow("next", ["passCode": .string(code)])
    visitor.expect("SUCCESS")
  }

  @Test("Of two apps each has codes of its own")
  func twoApps() async throws {
    let org = makeOrg(
      .required(.googleAuthenticator),
      [D.app, .googleAuthenticator(secret: "NBQXAZDFOJSXGZLB")])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor
    let code = try #require(TOTPGenerator(base32: "NBQXAZDFOJSXGZLB")?.code(at: org.now))
    try await visitor.verify("token:software:totp", at: 0, ["passCode": .string(code)])
    visitor.expectError("E0000068", 403)
    visitor = choice
    try await visitor.verify("token:software:totp", at: 1, ["passCode": .string(code)])
    visitor.expect("SUCCESS")
    visitor = try await .signedIn(org)
    try await visitor.verify("token:software:totp", at: 1, ["passCode": .string(code)])
    visitor.expectError("E0000068", 403)
    #expect(visitor.cause == IDXMessage.Draft.usedAppCode.text)
  }

  @Test("A push that is approved")
  func push() async throws {
    let org = makeOrg(.required(.oktaVerify), [D.oktaVerify])
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.verify("push")
    for _ in 0..<2 {
      visitor.expect("MFA_CHALLENGE", ["next poll", "prev", "cancel"])
      #expect(visitor.result == "WAITING")
      #expect(visitor.factor?["_embedded"] == nil)
      try await visitor.follow()
    }
    #expect(await org.pushes(for: login).count == 1)
    await org.approvePush(for: login)
    try await visitor.follow()
    try await visitor.expectTokens(["mfa", "pwd", "swk"])
  }

  @Test("A push that came to nothing is sent again", arguments: ["REJECTED", "TIMEOUT"])
  func pushAgain(result: String) async throws {
    let org = makeOrg(.required(.oktaVerify), [D.oktaVerify])
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.verify("push")
    let address = visitor.links["next"]?["href"]
    if result == "REJECTED" { await org.rejectPush(for: login) } else { org.advance(by: 60) }
    try await visitor.follow()
    for _ in 0..<2 {
      visitor.expect("MFA_CHALLENGE", ["next verify", "prev", "cancel"])
      #expect(visitor.result == result)
      #expect(visitor.links["next"]?["href"] == address)
      try await visitor.post(path: "")
    }
    #expect(await org.pushes(for: login).isEmpty)
    try await visitor.follow()
    visitor.expect("MFA_CHALLENGE", ["next poll", "prev", "cancel"])
    #expect(visitor.result == "WAITING")
    await org.approvePush(for: login)
    try await visitor.follow()
    visitor.expect("SUCCESS")
  }

  @Test("The number to pick is a whole number")
  func number() async throws {
    let org = makeOrg(.required(.oktaVerify).with { $0.matchesNumbers = true }, [D.oktaVerify])
    var visitor = try await ClassicVisitor.signedIn(org)
    try await visitor.verify("push")
    let number = visitor.factor?["_embedded"]?["challenge"]?["correctAnswer"]?.integer
    #expect(await org.pushes(for: login).last?.number == number.map { String($0) })
    await org.approvePush(for: login, choosing: "7")
    try await visitor.follow()
    #expect(visitor.result == "REJECTED")
    #expect(visitor.factor?["_embedded"] == nil)
    try await visitor.follow()
    await org.approvePush(for: login, choosing: await org.pushes(for: login).last?.number)
    try await visitor.follow()
    visitor.expect("SUCCESS")
  }

  @Test("A code of Okta Verify in place of a push")
  func oktaVerifyCode() async throws {
    let org = makeOrg(.required(.oktaVerify), [D.oktaVerify])
    var visitor = try await ClassicVisitor.signedIn(org)
    let code = await org.code(of: .oktaVerify, for: login) ?? ""
    try await visitor.verify("token:software:totp", ["passCode": .string(code)])
    try await visitor.expectTokens(["mfa", "otp", "pwd"])
  }

  @Test("The answer to a question")
  func question() async throws {
    let org = makeOrg(.required(.securityQuestion), [Self.question])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor
    try await visitor.verify("question", ["answer": "Cloth"])
    visitor.expectError("E0000068", 403, naming: "That is not the answer.")
    visitor = choice
    try await visitor.verify("question", ["answer": " patterns"])
    try await visitor.expectTokens(["kba", "mfa", "pwd"])
  }

  @Test(
    "Codes of tokens and keys",
    arguments: [
      (.yubiKey(secret: "touch"), "token:hardware"), (.rsa(secret: "JBSWY3DPEHPK3PXP"), "token"),
      (.symantecVIP(secret: "JBSWY3DPEHPK3PXP"), "token"),
    ] as [(SimulatedUser.Enrollment, String)])
  func tokens(enrollment: SimulatedUser.Enrollment, type: String) async throws {
    let org = makeOrg(.required(enrollment.authenticator), [enrollment])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor
    let code = await org.code(of: enrollment.authenticator, for: login) ?? ""
    try await visitor.verify(type, ["passCode": .string(code)])
    visitor.expect("SUCCESS")
    visitor = choice
    visitor = try await .signedIn(org)
    try await visitor.verify(type, ["passCode": .string(code)])
    visitor.expectError("E0000068", 403)
  }

  @Test("A token whose server wants the next code too")
  func nextCode() async throws {
    let org = makeOrg(
      .required(.rsa), [.rsa(secret: "JBSWY3DPEHPK3PXP", wantsNextCode: true)])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor
    var code = await org.code(of: .rsa, for: login) ?? ""
    try await visitor.verify("token", ["passCode": .string(code)])
    visitor.expectError("E0000113", 403)
    visitor = choice
    code = await org.code(of: .rsa, for: login) ?? ""
    try await visitor.verify("token", ["passCode": .string(code)])
    visitor.expect("SUCCESS")
  }

  @Test("A passkey's signature, of the one that was chosen")
  func passkey() async throws {
    let keys = ["one", "two"].map { SoftwareAuthenticator.Credential(login: login, madeOf: $0) }
    let org = makeOrg(
      .required(.webAuthn), keys.map { SimulatedUser.Enrollment.passkey($0, name: "Key") })
    var visitor = try await ClassicVisitor.signedIn(org)
    #expect(visitor.kinds == ["webauthn FIDO", "webauthn FIDO"])
    try await visitor.verify("webauthn", at: 1)
    visitor.expect("MFA_CHALLENGE", ["next verify", "prev", "cancel"])
    #expect(
      visitor.factor?["profile"]?["credentialId"]?.string == Base64URL.encode(keys[1].id))
    let asked = visitor.factor?["_embedded"]?["challenge"]
    #expect(asked?["userVerification"] == "preferred")
    #expect(asked?["extensions"] != nil)
    let challenge = try #require(asked?["challenge"]?.string)
    let open = visitor
    for (key, isRight) in zip(keys, [false, true]) {
      visitor = open
      let answer = PasskeyAnswer(credential: key, challenge: challenge)
      try await visitor.follow("next", answer.assertion)
      if isRight {
        try await visitor.expectTokens(["hwk", "mfa", "pwd"])
      } else {
        visitor.expectError("E0000068", 403, naming: "passkey")
      }
    }
  }

  @Test("Every required factor is asked for, one after the other")
  func several() async throws {
    let org = makeOrg(.required(.email, .securityQuestion), [.email, Self.question])
    var visitor = try await ClassicVisitor.signedIn(org)
    #expect(visitor.kinds == ["email OKTA", "question OKTA"])
    try await visitor.verify("question", ["answer": "patterns"])
    visitor.expect("MFA_REQUIRED", ["cancel"])
    #expect(visitor.kinds == ["email OKTA"])
  }
}
