import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

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

  @Test("The username can be asked for first, and the sign-in can continue")
  func nameFirst() async throws {
    let org = org(.init(asksNameFirst: true, signsIn: true))
    var client = try await OrgClient(org)
    try await client.submit("unlock-account")
    expectEqual(client.remediations, ["unlock-account"])
    try await client.submit("unlock-account", ["identifier": "ada@shop.example"])
    expectEqual(client.remediations, [select])
    try await client.choose("Email", in: select)
    try await client.answer(try await require(org.mailbox.lastCode(to: "ada@shop.example")))
    expectEqual(client.messageKeys, ["oie.selfservice.unlock_user.landing.to.app.success.message"])
    expectEqual(client.remediations, ["challenge-authenticator"])
    try await client.answer("Analytical-1843")
    expect(client.isDone)
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
