import Expectations
import IDX
import IDXBase
import IDXFlow
import Testing

@testable import IDXSimulatedOrg

/// The classic API of the simulated org: passwords and recovery.
struct ClassicRecoveryTests {
  private typealias D = DirectClient
  private let login = ClassicClient.login
  private let old: JSONValue = "Analytical-1843"
  private let new: JSONValue = "Difference-1822"
  private static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "Which engine came first?", answer: "Difference")

  private func policy(_ change: (inout AccountPolicy) -> Void) -> SignInPolicy {
    var policy = SignInPolicy.passwordOnly
    change(&policy.accounts)
    return policy
  }

  private func recover(
    _ client: inout ClassicClient, _ what: String, by type: String, _ login: String? = nil
  ) async throws {
    let body: JSONValue = [
      "username": .string(login ?? self.login), "factorType": .string(type),
    ]
    try await client.post(ClassicClient.base + "/recovery/" + what, body)
  }

  private func redeem(_ token: String, _ client: inout ClassicClient) async throws {
    try await client.post(
      ClassicClient.base + "/recovery/token", ["recoveryToken": .string(token)])
  }

  @Test(
    "A forgotten password is replaced with the token of an email, valid once, and the answer to the question"
  )
  func mail() async throws {
    let org = makeOrg(
      policy { $0.recovery = .init(asksSecurityQuestion: true) }, [.email, Self.question])
    var client = ClassicClient(org)
    try await recover(&client, "password", by: "EMAIL")
    expectEqual(
      client.json,
      [
        "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
        "recoveryType": "PASSWORD",
      ])
    let message = try await require(org.mailbox.messages.last)
    expectEqual(message.recipient, login)
    expectContains(message.text, message.code)
    try await redeem(message.code, &client)
    client.expectStatus("RECOVERY", ["next answer", "cancel"])
    let user = client.json["_embedded"]?["user"]
    expectEqual(user?["recovery_question"]?["question"], "Which engine came first?")
    let open = client
    for used in [message.code, "wrong"] {
      try await redeem(used, &client)
      client.expectError("E0000011", 401)
    }
    client = open
    try await client.follow("next", ["answer": "Analytical"])
    client.expectError("E0000068", 403)
    client = open
    try await client.follow("next", ["answer": "difference"])
    client.expectStatus("PASSWORD_RESET", ["next resetPassword", "cancel"])
    expectEqual(client.json["_embedded"]?["user"]?["recovery_question"], nil)
    try await client.follow("next", ["newPassword": new])
    client.expectStatus("SUCCESS", [])
  }

  @Test(
    "The token of an email is valid for an hour, and that of an administrator's link works like it")
  func tokens() async throws {
    let org = makeOrg(policy { $0.recovery = .init() }, [.email])
    var client = ClassicClient(org)
    for (wait, isGood) in [(3599.0, true), (3600, false)] {
      try await recover(&client, "password", by: "EMAIL")
      let token = try await require(org.mailbox.messages.last?.code)
      org.advance(by: wait)
      try await redeem(token, &client)
      if isGood {
        client.expectStatus("PASSWORD_RESET")
      } else {
        client.expectError("E0000011", 401)
        var other = try await OrgClient(org)
        try await other.interact(["recovery_token": token])
        expectEqual(other.json["error"], "invalid_request")
      }
    }

    let linked = makeOrg(policy { $0.recovery = .init(signsIn: false) }, [.email])
    let token = try await require(linked.recoveryToken(for: login)).revealed
    client = ClassicClient(linked)
    try await redeem(token, &client)
    client.expectStatus("PASSWORD_RESET")
    try await client.follow("next", ["newPassword": new])
    client.expectStatus("SUCCESS", [])
    expectEqual(client.json["recoveryType"], "PASSWORD")
    expectEqual(client.sessionToken, nil)
    let activation = try await require(linked.activationToken(for: login)).revealed
    try await redeem(activation, &client)
    client.expectError("E0000011", 401)
  }

  @Test("Unlocking an account does not sign in", arguments: ["SMS", "EMAIL"])
  func unlock(type: String) async throws {
    let org = makeOrg(
      policy {
        $0.unlock = .init(by: [.phone, .email])
        $0.showsLockouts = true
      }, [D.phone, .email], status: .locked)
    var client = ClassicClient(org)
    try await client.password()
    client.expectStatus("LOCKED_OUT", ["next unlock"])
    try await recover(&client, "unlock", by: type)
    client.expectStatus("RECOVERY_CHALLENGE")
    expectEqual(client.json["recoveryType"], "UNLOCK")
    let code = try await require(org.mailbox.messages.last?.code)
    await expectEqual(org.user(login)?.status, .locked)
    if type == "SMS" {
      try await client.follow("next", ["passCode": .string(code)])
    } else {
      try await redeem(code, &client)
    }
    client.expectStatus("SUCCESS", [])
    expectEqual(client.json["recoveryType"], "UNLOCK")
    expectEqual(client.sessionToken, nil)
    expectEqual(client.json["_embedded"]?["user"]?["profile"]?["login"]?.string, login)
    try await client.password()
    client.expectStatus("SUCCESS")
  }

  @Test(
    "A recovery that is not allowed, or of an unknown user, is refused",
    arguments: [
      ("password", "SMS", "E0000034"), ("password", "PIGEON", "E0000034"),
      ("password", "sms", "E0000034"), ("unlock", "EMAIL", "E0000034"),
      ("password", "PUSH", "E0000034"), ("nobody", "EMAIL", "E0000095"),
    ])
  func refused(what: String, type: String, code: String) async throws {
    let org = makeOrg(policy { $0.recovery = .init() }, [D.phone, .email])
    var client = ClassicClient(org)
    let name = what == "nobody" ? "nobody@shop.example" : nil
    try await recover(&client, what == "nobody" ? "password" : what, by: type, name)
    client.expectError(code, 403)
    await expectEmpty(org.mailbox.messages)
    for body in [["username": "ada"], ["factorType": "SMS"], [:]] as [JSONValue] {
      try await client.post(ClassicClient.base + "/recovery/password", body)
      client.expectError("E0000001", 400)
    }
  }

  @Test("A suspended user cannot recover a password, and wrong codes lock the account")
  func guarded() async throws {
    let rules = policy { $0.recovery = .init(by: [.phone]) }
    var client = ClassicClient(makeOrg(rules, [D.phone], status: .suspended))
    try await recover(&client, "password", by: "SMS")
    client.expectError("E0000034", 403)
    let org = makeOrg(rules, [D.phone])
    client = ClassicClient(org)
    try await recover(&client, "password", by: "SMS")
    let open = client
    for attempt in 1...5 {
      client = open
      try await client.follow("next", ["passCode": "wrong"])
      client.expectError(attempt == 5 ? "E0000069" : "E0000068", 403)
    }
    await expectEqual(org.user(login)?.status, .locked)
    try await client.post(path: "")
    client.expectError("E0000011", 401)
  }

  @Test("A password of another site cannot be changed")
  func elsewhere() async throws {
    let org = makeOrg(policy { $0.passwordSite = .init() }, status: .passwordExpired)
    var client = try await ClassicClient.signedIn(org)
    client.expectStatus("PASSWORD_EXPIRED")
    try await client.follow("next", ["oldPassword": old, "newPassword": new])
    client.expectError("E0000014", 403)
  }
}
