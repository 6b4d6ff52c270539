import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Recovering a password in the simulated org.
struct RecoveryTests {
  private static let newPassword = "Difference-1822"

  private func org(
    _ enrollments: [SimulatedUser.Enrollment] = [], status: SimulatedUser.Status = .active
  ) -> SimulatedOrg {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.recovery = .init()
    return makeOrg(policy, enrollments, status: status)
  }

  /// A client with a recovery token.
  private func recovering(_ org: SimulatedOrg) async throws -> OrgClient {
    let token = await org.recoveryToken(for: OrgClient.login)?.revealed
    return try await OrgClient(org, ["recovery_token": token])
  }

  @Test("A new password must not be an old one")
  func history() async throws {
    let org = org()
    for password in [Self.newPassword, "Analytical-1843", "Another-1900"] {
      var client = try await recovering(org)
      expectEqual(client.remediations, ["reset-authenticator"])
      try await client.answer(password)
      expectEqual(client.isDone, password != "Analytical-1843")
      guard !client.isDone else { continue }
      expectEqual(client.status, 400)
      expectEqual(
        client.messageKeys(at: "credentials.passcode"), ["password.passwordRequirementsNotMet"])
      expectEqual(client.remediations, ["reset-authenticator"])
    }
  }

  @Test("A token starts one recovery, and other tokens are refused")
  func token() async throws {
    let org = org()
    let token = try await require(org.recoveryToken(for: OrgClient.login)).revealed
    await expectEqual(org.recoveryToken(for: "bob@shop.example"), nil)
    var client = try await OrgClient(org)
    try await client.interact(["activation_token": token])
    expectEqual(client.error, "invalid_request")
    client = try await OrgClient(org, ["recovery_token": token])
    expectEqual(client.json["user"]?["value"]?["identifier"], "ada@shop.example")
    try await client.interact(["recovery_token": token])
    expectEqual(client.error, "invalid_request")
  }

  @Test("A recovery unlocks a locked account, but is not allowed for a suspended one")
  func status() async throws {
    let locked = org([.email], status: .locked)
    var client = try await OrgClient(locked)
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    try await client.submit("recover")
    try await client.fill(.authenticatorVerificationData)
    try await client.answer(await locked.mailbox.lastCode(to: OrgClient.login))
    try await client.answer(Self.newPassword)
    expect(client.isDone)
    await expectEqual(locked.user(OrgClient.login)?.status, .active)

    for refusing in [org([.email], status: .suspended), org()] {
      client = try await OrgClient(refusing)
      try await client.submit("identify", ["identifier": "ada@shop.example"])
      try await client.submit("recover")
      expectEqual(client.status, 403)
      expectEqual(client.messageKeys, ["oie.selfservice.reset.password.not.allowed"])
      expectEqual(client.remediations, ["challenge-authenticator"])
    }
  }

  @Test("Other sign-ins end only if the user wants that", arguments: [true, false])
  func sessions(revokes: Bool) async throws {
    let org = org()
    var other = try await OrgClient.signedIn(org)
    var client = try await recovering(org)
    try await client.submit(
      "reset-authenticator",
      ["credentials": ["passcode": .string(Self.newPassword), "revokeSessions": .bool(revokes)]])
    expect(client.isDone)
    try await other.redeem()
    expectEqual(other.status, (revokes ? 400 : 200))
  }
}

/// Unlocking an account in the simulated org.
struct UnlockTests {
  @Test(
    "If a user is unknown, suspended or without the authenticator, the response says so",
    arguments: [
      ("bob@shop.example", .locked, .email, 400, "idx.unknown.user"),
      ("ada@shop.example", .suspended, .email, 403, "oie.selfservice.user.unlock.not.allowed"),
      (
        "ada@shop.example", .locked, .phone("+15550100142"), 403,
        "oie.selfservice.user.unlock.not.allowed"
      ),
    ] as [(String, SimulatedUser.Status, SimulatedUser.Enrollment, Int, String)])
  func refusals(
    login: String, status: SimulatedUser.Status, enrollment: SimulatedUser.Enrollment, code: Int,
    key: String
  ) async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.unlock = .init()
    var client = try await OrgClient(makeOrg(policy, [enrollment], status: status))
    try await client.submit("unlock-account")
    try await client.fill(
      "select-authenticator-unlock-account",
      ["identifier": .text(login), "authenticator": .authenticator(.email)])
    expectEqual(client.status, code)
    expectEqual(client.messageKeys, [key])
    expectEqual(client.remediations, ["select-authenticator-unlock-account"])
  }
}
