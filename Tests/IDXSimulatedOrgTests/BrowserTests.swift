import Expectations
import Foundation
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Browsers in the simulated org.
struct BrowserTests {
  private func org(
    required: [IDXAuthenticator.Key] = [], _ enrollments: [SimulatedUser.Enrollment] = [],
    status: SimulatedUser.Status = .active, with change: (inout AccountPolicy) -> Void = { _ in }
  ) -> SimulatedOrg {
    var policy = SignInPolicy(required: required)
    change(&policy.accounts)
    return makeOrg(policy, enrollments, status: status)
  }

  private static func providers(_ accounts: inout AccountPolicy) {
    accounts.identityProviders = [
      .init(type: "GOOGLE", name: "Google"), .init(type: "OIDC", name: "Company"),
    ]
  }

  @Test(
    "The browser returns with an interaction code and the state, or says that more steps are needed"
  )
  func finished() async throws {
    var client = try await OrgClient(self.org(with: Self.providers))
    let end = await client.org.visit(try client.page("redirect-idp"))
    expectEqual(end?.absoluteString.hasPrefix("com.example.demo:/callback?"), true)
    let query = try OrgClient.query(of: end)
    expectEqual(query["state"], "st-1")
    try await client.introspect()
    expect(client.isDone)
    let code = try require(query["interaction_code"])
    try await client.redeem(["interaction_code": code])
    expectEqual(client.status, 200)

    let org = self.org(required: [.email], [.email], with: Self.providers)
    client = try await OrgClient(org)
    let more = try OrgClient.query(of: await org.visit(try client.page("redirect-idp")))
    expectEqual(more["error"], "interaction_required")
    expectEqual(more["state"], "st-1")
    try await client.introspect()
    expectEqual(client.remediations, ["authenticator-verification-data"])
    expectEqual(client.json["user"]?["value"]?["identifier"], "ada@shop.example")
  }

  @Test(
    "A refusal by the person or of a suspended user returns as an error"
  )
  func refused() async throws {
    var client = try await OrgClient(org(with: Self.providers))
    let page = try client.page("redirect-idp")
    let query = try OrgClient.query(of: await client.org.visit(page, refusing: true))
    expectEqual(query["error"], "access_denied")
    expectEqual(query["error_description"]?.isEmpty, false)
    let step = client.json
    try await client.introspect()
    expectEqual(client.json, step)

    let suspended = try await OrgClient(org(status: .suspended, with: Self.providers))
    let other = try OrgClient.query(
      of: await suspended.org.visit(try suspended.page("redirect-idp")))
    expectEqual(other["error"], "access_denied")
  }

  @Test("An unknown page returns nothing")
  func unknownPages() async throws {
    var client = try await OrgClient(org(with: Self.providers))
    let page = try client.page("redirect-idp")
    await expectEqual(client.org.visit(try require(URL(string: "https://example.com/"))), nil)
    try await client.submit("cancel")
    await expectEqual(client.org.visit(page), nil)
    client.org.advance(by: 3 * 60 * 60)
    await expectEqual(client.org.visit(try client.page("redirect-idp")), nil)
  }

  @Test("Another user can use the browser, and no username is asked for")
  func another() async throws {
    let org = org(with: Self.providers)
    await org.update(SimulatedUser(login: "mary@shop.example", password: "Mechanism-1831"))
    var client = try await OrgClient(org)
    _ = await org.visit(try client.page("redirect-idp"), as: "mary@shop.example")
    try await client.introspect()
    expectEqual(client.json["user"]?["value"]?["identifier"], "mary@shop.example")

    client = try await OrgClient(org)
    let end = await org.visit(try client.page("redirect-idp"), as: "bob@shop.example")
    try expectEqual(OrgClient.query(of: end)["error"], "interaction_required")
    try await client.introspect()
    expectEqual(client.remediations.first, "identify")
  }

  @Test("The link of an email returns its code to the app, or approves the poll")
  func link() async throws {
    let org = org(required: [.email], [.email])
    var client = try await OrgClient(org)
    try await client.signIn()
    try await client.submit(
      "authenticator-verification-data", ["authenticator": client.fixedAuthenticator])
    let mail = try await require(org.mailbox.messages.last)
    let query = try OrgClient.query(of: await org.openLink(in: mail))
    expectEqual(query["state"], "st-1")
    try await client.answer(try require(query["otp"]))
    expect(client.isDone)
    await expectEqual(org.openLink(in: mail), nil)
  }
}
