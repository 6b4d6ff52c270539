import IDX
import IDXBase
import IDXFlow
import Testing

@testable import IDXTesting

@Suite("The classic API in the simulated org: passwords and recovery")
struct ClassicRecoveryTests {
  private typealias D = DirectVisitor
  private let login = ClassicVisitor.login
  private let old: JSONValue = "Analytical-1843"
  private let new: JSONValue = "Difference-1822"
  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "Which engine came first?", answer: "Difference")

  private func policy(
    _ change: (inout AccountPolicy) -> Void, _ policy: SignInPolicy = .passwordOnly
  ) -> SignInPolicy {
    var policy = policy
    change(&policy.accounts)
    return policy
  }

  private func recover(
    _ visitor: inout ClassicVisitor, _ what: String, by type: String, _ login: String? = nil
  ) async throws {
    let body: JSONValue = [
      "username": .string(login ?? self.login), "factorType": .string(type),
    ]
    try await visitor.post(ClassicVisitor.base + "/recovery/" + what, body)
  }

  @Test("An expired password is replaced after the factors")
  func expired() async throws {
    let org = makeOrg(.required(.email), [.email], status: .passwordExpired)
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("MFA_REQUIRED")
    try await visitor.verify("email")
    let code = await org.mailbox.lastCode(to: login) ?? ""
    try await visitor.follow("next", ["passCode": .string(code)])
    visitor.expect("PASSWORD_EXPIRED", ["next changePassword", "cancel"])
    #expect(visitor.json["_embedded"]?["policy"]?["complexity"]?["minLength"] == 8)
    let open = visitor
    let refused: [(JSONValue, String)] = [
      (["oldPassword": "wrong", "newPassword": new], "E0000014"),
      (["oldPassword": old, "newPassword": "short"], "E0000014"),
      (["oldPassword": old, "newPassword": old], "E0000014"),
      (["newPassword": new], "E0000001"), (["oldPassword": old], "E0000001"),
    ]
    for (body, code) in refused {
      visitor = open
      try await visitor.follow("next", body)
      visitor.expectError(code, code == "E0000001" ? 400 : 403)
      #expect(visitor.cause != nil)
    }
    visitor = open
    try await visitor.follow("next", ["oldPassword": old, "newPassword": new])
    try await visitor.expectTokens(["mfa", "otp", "pwd"])
    try await visitor.password()
    visitor.expectError("E0000004", 401)
  }

  @Test("A password that expires soon may be replaced, where the client asks for the warning")
  func warning() async throws {
    let org = makeOrg()
    var ada = try #require(await org.user(login))
    ada.daysToPasswordExpiry = 4
    await org.update(ada)
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("SUCCESS")
    visitor = try await .signedIn(org, ["warnBeforePasswordExpired": true])
    visitor.expect("PASSWORD_WARN", ["next changePassword", "skip", "cancel"])
    let policy = visitor.json["_embedded"]?["policy"]
    #expect(policy?["expiration"]?["passwordExpireDays"] == 4)
    for name in ["minLength", "minLowerCase", "minUpperCase", "minNumber", "minSymbol"] {
      #expect(policy?["complexity"]?[name]?.integer != nil)
    }
    #expect(policy?["complexity"]?["excludeUsername"] == true)
    try await visitor.follow("skip")
    visitor.expect("SUCCESS")
    visitor = try await .signedIn(org, ["warnBeforePasswordExpired": true])
    try await visitor.follow("next", ["oldPassword": old, "newPassword": new])
    visitor.expect("SUCCESS")
    #expect(await org.user(login)?.daysToPasswordExpiry == nil)
  }

  @Test("A forgotten password, by the token of a mail, good once, and then the question")
  func mail() async throws {
    let org = makeOrg(
      policy { $0.recovery = .init(asksQuestion: true) }, [.email, Self.question])
    var visitor = ClassicVisitor(org)
    try await recover(&visitor, "password", by: "EMAIL")
    #expect(
      visitor.json == [
        "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
        "recoveryType": "PASSWORD",
      ])
    let message = try #require(await org.mailbox.messages.last)
    #expect(message.recipient == login)
    #expect(message.text.contains(message.code))
    let address = ClassicVisitor.base + "/recovery/token"
    try await visitor.post(address, ["recoveryToken": .string(message.code)])
    visitor.expect("RECOVERY", ["next answer", "cancel"])
    let user = visitor.json["_embedded"]?["user"]
    #expect(user?["recovery_question"]?["question"] == "Which engine came first?")
    let open = visitor
    for used in [message.code, "wrong"] {
      try await visitor.post(address, ["recoveryToken": .string(used)])
      visitor.expectError("E0000011", 401)
    }
    visitor = open
    try await visitor.follow("next", ["answer": "Analytical"])
    visitor.expectError("E0000068", 403)
    visitor = open
    try await visitor.follow("next", ["answer": "difference"])
    visitor.expect("PASSWORD_RESET", ["next resetPassword", "cancel"])
    #expect(visitor.json["_embedded"]?["user"]?["recovery_question"] == nil)
    try await visitor.follow("next", ["newPassword": new])
    visitor.expect("SUCCESS", [])
  }

  @Test("The token of a mail is good for an hour")
  func lateMail() async throws {
    let org = makeOrg(policy { $0.recovery = .init() }, [.email])
    var visitor = ClassicVisitor(org)
    for (wait, isGood) in [(3599.0, true), (3600, false)] {
      try await recover(&visitor, "password", by: "EMAIL")
      let token = try #require(await org.mailbox.messages.last?.code)
      org.advance(by: wait)
      try await visitor.post(
        ClassicVisitor.base + "/recovery/token", ["recoveryToken": .string(token)])
      if isGood {
        visitor.expect("PASSWORD_RESET")
      } else {
        visitor.expectError("E0000011", 401)
        var other = try await Visitor(org)
        try await other.interact(["recovery_token": token])
        #expect(other.json["error"] == "invalid_request")
      }
    }
  }

  @Test("An administrator's link does as a mail's does")
  func link() async throws {
    let org = makeOrg(policy { $0.recovery = .init(signsIn: false) }, [.email])
    let token = try #require(await org.recoveryToken(for: login)).revealed
    var visitor = ClassicVisitor(org)
    try await visitor.post(
      ClassicVisitor.base + "/recovery/token", ["recoveryToken": .string(token)])
    visitor.expect("PASSWORD_RESET")
    try await visitor.follow("next", ["newPassword": new])
    visitor.expect("SUCCESS", [])
    #expect(visitor.json["recoveryType"] == "PASSWORD")
    #expect(visitor.sessionToken == nil)
    let activation = try #require(await org.activationToken(for: login)).revealed
    try await visitor.post(
      ClassicVisitor.base + "/recovery/token", ["recoveryToken": .string(activation)])
    visitor.expectError("E0000011", 401)
  }

  @Test("A locked account is unlocked, which signs nobody in", arguments: ["SMS", "EMAIL"])
  func unlock(type: String) async throws {
    let org = makeOrg(
      policy {
        $0.unlock = .init(by: [.phone, .email])
        $0.showsLockouts = true
      }, [D.phone, .email], status: .locked)
    var visitor = ClassicVisitor(org)
    try await visitor.password()
    visitor.expect("LOCKED_OUT", ["next unlock"])
    try await recover(&visitor, "unlock", by: type)
    visitor.expect("RECOVERY_CHALLENGE")
    #expect(visitor.json["recoveryType"] == "UNLOCK")
    let code = try #require(await org.mailbox.messages.last?.code)
    #expect(await org.user(login)?.status == .locked)
    if type == "SMS" {
      try await visitor.follow("next", ["passCode": .string(code)])
    } else {
      try await visitor.post(
        ClassicVisitor.base + "/recovery/token", ["recoveryToken": .string(code)])
    }
    visitor.expect("SUCCESS", [])
    #expect(visitor.json["recoveryType"] == "UNLOCK")
    #expect(visitor.sessionToken == nil)
    #expect(visitor.json["_embedded"]?["user"]?["profile"]?["login"]?.string == login)
    try await visitor.password()
    visitor.expect("SUCCESS")
  }

  @Test(
    "What is not allowed is refused, and who is unknown is told so",
    arguments: [
      ("password", "SMS", "E0000034"), ("password", "PIGEON", "E0000034"),
      ("password", "sms", "E0000034"), ("unlock", "EMAIL", "E0000034"),
      ("password", "PUSH", "E0000034"), ("nobody", "EMAIL", "E0000095"),
    ])
  func refused(what: String, type: String, code: String) async throws {
    let org = makeOrg(policy { $0.recovery = .init() }, [D.phone, .email])
    var visitor = ClassicVisitor(org)
    let name = what == "nobody" ? "nobody@shop.example" : nil
    try await recover(&visitor, what == "nobody" ? "password" : what, by: type, name)
    visitor.expectError(code, 403)
    #expect(await org.mailbox.messages.isEmpty)
    for body in [["username": "ada"], ["factorType": "SMS"], [:]] as [JSONValue] {
      try await visitor.post(ClassicVisitor.base + "/recovery/password", body)
      visitor.expectError("E0000001", 400)
    }
  }

  @Test("A recovery is refused to who is suspended, and wrong codes lock the account")
  func guarded() async throws {
    let rules = policy { $0.recovery = .init(by: [.phone]) }
    var visitor = ClassicVisitor(makeOrg(rules, [D.phone], status: .suspended))
    try await recover(&visitor, "password", by: "SMS")
    visitor.expectError("E0000034", 403)
    let org = makeOrg(rules, [D.phone])
    visitor = ClassicVisitor(org)
    try await recover(&visitor, "password", by: "SMS")
    let open = visitor
    for attempt in 1...5 {
      visitor = open
      try await visitor.follow("next", ["passCode": "wrong"])
      visitor.expectError(attempt == 5 ? "E0000069" : "E0000068", 403)
    }
    #expect(await org.user(login)?.status == .locked)
    try await visitor.post(path: "")
    visitor.expectError("E0000011", 401)
  }

  @Test("A password that is kept elsewhere is not changed here")
  func elsewhere() async throws {
    let org = makeOrg(policy { $0.passwordSite = .init() }, status: .passwordExpired)
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("PASSWORD_EXPIRED")
    try await visitor.follow("next", ["oldPassword": old, "newPassword": new])
    visitor.expectError("E0000014", 403)
  }
}
