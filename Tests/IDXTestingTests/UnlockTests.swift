import IDX
import IDXBase
import IDXTesting
import Testing

@Suite("Unlocking an account in the simulated org")
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

  private func email(_ visitor: Visitor) throws -> JSONValue {
    let options =
      visitor.form(select)?["value"]?.array?
      .first { $0["name"] == "authenticator" }?["options"]?.array ?? []
    let option = try #require(options.first { $0["label"] == "Email" })
    let fields = option["value"]?["form"]?["value"]?.array ?? []
    return fields.reduce([:]) { $0.adding($1["name"]?.string ?? "", $1["value"] ?? .null) }
  }

  @Test("The user name may come first, and the sign-in may go on")
  func nameFirst() async throws {
    let org = org(.init(asksNameFirst: true, signsIn: true))
    var visitor = try await Visitor(org)
    try await visitor.submit("unlock-account")
    #expect(visitor.remediations == ["unlock-account"])
    try await visitor.submit("unlock-account", ["identifier": "ada@shop.example"])
    #expect(visitor.remediations == [select])
    try await visitor.choose("Email", in: select)
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "ada@shop.example")))
    #expect(
      visitor.messageKeys == ["oie.selfservice.unlock_user.landing.to.app.success.message"])
    #expect(visitor.remediations == ["challenge-authenticator"])
    try await visitor.answer("Analytical-1843")
    #expect(visitor.isDone)
  }

  @Test(
    "Who is unknown, or has no such authenticator, is told so",
    arguments: [
      ("bob@shop.example", SimulatedUser.Status.locked, 400, "idx.unknown.user"),
      ("ada@shop.example", .suspended, 403, "oie.selfservice.user.unlock.not.allowed"),
    ])
  func refusals(login: String, status: SimulatedUser.Status, code: Int, key: String) async throws {
    var visitor = try await Visitor(org(.init(), status: status))
    try await visitor.submit("unlock-account")
    try await visitor.submit(
      select, ["identifier": .string(login), "authenticator": email(visitor)])
    #expect(visitor.status == code)
    #expect(visitor.messageKeys == [key])
    #expect(visitor.remediations == [select])

    visitor = try await Visitor(org(.init(), [.phone("+15550100142")]))
    try await visitor.submit("unlock-account")
    try await visitor.submit(
      select, ["identifier": "ada@shop.example", "authenticator": email(visitor)])
    #expect(visitor.messageKeys == ["oie.selfservice.user.unlock.not.allowed"])
  }
}
