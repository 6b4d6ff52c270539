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
    status: SimulatedUser.Status = .active
  ) -> SimulatedOrg {
    var policy = SignInPolicy(required: required)
    policy.accounts.identityProviders = [
      .init(type: "GOOGLE", name: "Google"), .init(type: "OIDC", name: "Company"),
    ]
    return makeOrg(policy, enrollments, status: status)
  }

  /// What the browser returns with from an identity provider.
  private func returned(
    _ client: OrgClient, as login: String? = nil, refusing: Bool = false
  ) async throws -> [String: String] {
    let page = try client.page("redirect-idp")
    return try OrgClient.query(of: await client.org.visit(page, as: login, refusing: refusing))
  }

  @Test(
    "The browser returns with an interaction code and the state, or says that more steps are needed"
  )
  func finished() async throws {
    var client = try await OrgClient(org())
    let end = await client.org.visit(try client.page("redirect-idp"))
    expectEqual(end?.absoluteString.hasPrefix("com.example.demo:/callback?"), true)
    let query = try OrgClient.query(of: end)
    expectEqual(query["state"], "st-1")
    try await client.introspect()
    expect(client.isDone)
    try await client.redeem(["interaction_code": try require(query["interaction_code"])])
    expectEqual(client.status, 200)

    client = try await OrgClient(org(required: [.email], [.email]))
    let more = try await returned(client)
    expectEqual(more["error"], "interaction_required")
    expectEqual(more["state"], "st-1")
    try await client.introspect()
    expectEqual(client.remediations, ["authenticator-verification-data"])
    expectEqual(client.json["user"]?["value"]?["identifier"], "ada@shop.example")
  }

  @Test("A refusal by the person or of a suspended user returns as an error")
  func refused() async throws {
    var client = try await OrgClient(org())
    let query = try await returned(client, refusing: true)
    expectEqual(query["error"], "access_denied")
    expectEqual(query["error_description"]?.isEmpty, false)
    let step = client.json
    try await client.introspect()
    expectEqual(client.json, step)
    client = try await OrgClient(org(status: .suspended))
    try await expectEqual(returned(client)["error"], "access_denied")
  }

  @Test("An unknown page returns nothing")
  func unknownPages() async throws {
    var client = try await OrgClient(org())
    let page = try client.page("redirect-idp")
    await expectEqual(client.org.visit(try require(URL(string: "https://example.com/"))), nil)
    try await client.submit("cancel")
    await expectEqual(client.org.visit(page), nil)
    client.org.advance(by: 3 * 60 * 60)
    await expectEqual(client.org.visit(try client.page("redirect-idp")), nil)
  }

  @Test("Another user can use the browser, and no username is asked for")
  func another() async throws {
    let org = org()
    await org.update(SimulatedUser(login: "mary@shop.example", password: "Mechanism-1831"))
    var client = try await OrgClient(org)
    _ = try await returned(client, as: "mary@shop.example")
    try await client.introspect()
    expectEqual(client.json["user"]?["value"]?["identifier"], "mary@shop.example")

    client = try await OrgClient(org)
    let unknown = try await returned(client, as: "bob@shop.example")
    expectEqual(unknown["error"], "interaction_required")
    try await client.introspect()
    expectEqual(client.remediations.first, "identify")
  }

  @Test("The link of an email returns its code to the app, until the sign-in has ended")
  func link() async throws {
    var client = try await OrgClient.signedIn(makeOrg(.required(.email), [.email]))
    try await client.fill(.authenticatorVerificationData)
    let mail = try await require(client.org.mailbox.messages.last)
    let query = try OrgClient.query(of: await client.org.openLink(in: mail))
    expectEqual(query["state"], "st-1")
    try await client.answer(query["otp"])
    expect(client.isDone)
    await expectEqual(client.org.openLink(in: mail), nil)
  }
}
