import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Recovering a password in the simulated org.
struct RecoveryTests {
  private static let newPassword = "Difference-1822"

  private func policy(
    _ recovery: AccountPolicy.Recovery = .init(), start: SignInPolicy.Start = .identityFirst,
    required: [IDXAuthenticator.Key] = []
  ) -> SignInPolicy {
    var policy = SignInPolicy(start: start, required: required)
    policy.accounts.recovery = recovery
    return policy
  }

  private func mailCode(_ org: SimulatedOrg) async throws -> String {
    try await require(org.mailbox.lastCode(to: "ada@shop.example"))
  }

  @Test("A new password must follow the rules, and must not be an old one")
  func history() async throws {
    for password in ["short1A", "no-capital-1843", "Analytical-1843", "Ada-Engine-1843"] {
      let org = makeOrg(policy())
      var client = try await OrgClient(org)
      let token = await org.recoveryToken(for: "ada@shop.example")?.revealed
      try await client.begin(["recovery_token": token])
      expectEqual(client.remediations, ["reset-authenticator"])
      try await client.answer(password)
      expectEqual(client.status, 400)
      expectEqual(
        client.messageKeys(at: "credentials.passcode"), ["password.passwordRequirementsNotMet"])
      expectEqual(client.remediations, ["reset-authenticator"])
    }
    let org = makeOrg(policy())
    for password in [Self.newPassword, "Analytical-1843", "Another-1900"] {
      var client = try await OrgClient(org)
      let token = await org.recoveryToken(for: "ada@shop.example")?.revealed
      try await client.begin(["recovery_token": token])
      try await client.answer(password)
      expectEqual(client.isDone, (password != "Analytical-1843"))
    }
  }

  @Test("A token starts one recovery, and other tokens are refused")
  func token() async throws {
    let org = makeOrg(policy())
    let issued = await org.recoveryToken(for: "ada@shop.example")
    let token = try require(issued).revealed
    await expectEqual(org.recoveryToken(for: "bob@shop.example"), nil)
    var client = try await OrgClient(org)
    try await client.interact(["activation_token": token])
    expectEqual(OAuthError(parsing: client.response.body)?.code, "invalid_request")
    try await client.begin(["recovery_token": token])
    expectEqual(client.json["user"]?["value"]?["identifier"], "ada@shop.example")
    try await client.interact(["recovery_token": token])
    expectEqual(OAuthError(parsing: client.response.body)?.code, "invalid_request")
  }

  @Test("A recovery unlocks a locked account, but is not allowed for a suspended one")
  func status() async throws {
    let locked = makeOrg(policy(), [.email], status: .locked)
    var client = try await OrgClient(locked)
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    try await client.submit("recover")
    try await client.submit(
      "authenticator-verification-data",
      ["authenticator": client.fixedAuthenticator])
    try await client.answer(try await mailCode(locked))
    try await client.answer(Self.newPassword)
    expect(client.isDone)
    await expectEqual(locked.user("ada@shop.example")?.status, .active)

    for org in [makeOrg(policy(), [.email], status: .suspended), makeOrg(policy(), [])] {
      client = try await OrgClient(org)
      try await client.submit("identify", ["identifier": "ada@shop.example"])
      try await client.submit("recover")
      expectEqual(client.status, 403)
      expectEqual(client.messageKeys, ["oie.selfservice.reset.password.not.allowed"])
      expectEqual(client.remediations, ["challenge-authenticator"])
    }
  }

  @Test("Other sign-ins end only if the user wants that", arguments: [true, false])
  func sessions(revokes: Bool) async throws {
    let org = makeOrg(policy())
    var other = try await OrgClient(org)
    try await other.signIn()
    var client = try await OrgClient(org)
    let token = await org.recoveryToken(for: "ada@shop.example")?.revealed
    try await client.begin(["recovery_token": token])
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
  private func org(
    _ unlock: AccountPolicy.Unlock, _ enrollments: [SimulatedUser.Enrollment] = [.email],
    status: SimulatedUser.Status = .locked
  ) -> SimulatedOrg {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.unlock = unlock
    return makeOrg(policy, enrollments, status: status)
  }

  private let select = "select-authenticator-unlock-account"

  private func email(_ client: OrgClient) throws -> JSONValue {
    let options =
      client.form(select)?["value"]?.array?
      .first { $0["name"] == "authenticator" }?["options"]?.array ?? []
    let option = try require(options.first { $0["label"] == "Email" })
    let fields = option["value"]?["form"]?["value"]?.array ?? []
    return fields.reduce([:]) { $0.adding($1["name"]?.string ?? "", $1["value"] ?? .null) }
  }

  @Test(
    "If a user is unknown or does not have the authenticator, the response says so",
    arguments: [
      ("bob@shop.example", SimulatedUser.Status.locked, 400, "idx.unknown.user"),
      ("ada@shop.example", .suspended, 403, "oie.selfservice.user.unlock.not.allowed"),
    ])
  func refusals(login: String, status: SimulatedUser.Status, code: Int, key: String) async throws {
    var client = try await OrgClient(org(.init(), status: status))
    try await client.submit("unlock-account")
    try await client.submit(
      select, ["identifier": .string(login), "authenticator": email(client)])
    expectEqual(client.status, code)
    expectEqual(client.messageKeys, [key])
    expectEqual(client.remediations, [select])

    client = try await OrgClient(org(.init(), [.phone("+15550100142")]))
    try await client.submit("unlock-account")
    try await client.submit(
      select, ["identifier": "ada@shop.example", "authenticator": email(client)])
    expectEqual(client.messageKeys, ["oie.selfservice.user.unlock.not.allowed"])
  }
}
