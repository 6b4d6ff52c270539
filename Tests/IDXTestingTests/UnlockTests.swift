import IDXBase
import IDX
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

  @Test("User name and authenticator are chosen at once; a message ends it, and the account works")
  func unlock() async throws {
    let org = org(.init(by: [.email, .phone]))
    var visitor = try await Visitor(org)
    #expect(visitor.remediations == ["identify", "unlock-account"])
    try await visitor.submit("unlock-account")
    #expect(visitor.remediations == [select])
    try await visitor.submit(
      select, ["identifier": "ada@shop.example", "authenticator": email(visitor)])
    #expect(visitor.remediations == ["challenge-authenticator"])
    try await visitor.answer("000000")
    #expect(visitor.status == 401)
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "ada@shop.example")))
    #expect(visitor.status == 200)
    #expect(visitor.messageKeys == ["oie.selfservice.unlock_user.success.message"])
    #expect(visitor.json["messages"]?["value"]?[0]?["class"] == "INFO")
    #expect(visitor.remediations == [])
    try await visitor.submit("cancel")
    try await visitor.signIn()
    #expect(visitor.isDone)
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

  @Test("The link of the mail unlocks too, at the next poll")
  func link() async throws {
    let org = org(.init())
    var visitor = try await Visitor(org)
    try await visitor.submit("unlock-account")
    try await visitor.submit(
      select, ["identifier": "ada@shop.example", "authenticator": email(visitor)])
    await org.followLink(in: try #require(await org.mailbox.messages.last))
    try await visitor.submit("poll")
    #expect(visitor.messageKeys == ["oie.selfservice.unlock_user.success.message"])
    #expect(await org.user("ada@shop.example")?.status == .active)
  }

  @Test("Wrong codes are too many at some time")
  func attempts() async throws {
    let org = org(.init())
    var visitor = try await Visitor(org)
    try await visitor.submit("unlock-account")
    try await visitor.submit(
      select, ["identifier": "ada@shop.example", "authenticator": email(visitor)])
    for _ in 1...5 { try await visitor.answer("000000") }
    #expect(visitor.status == 429)
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "ada@shop.example")))
    #expect(visitor.status == 429)
    #expect(await org.user("ada@shop.example")?.status == .locked)
  }
}
