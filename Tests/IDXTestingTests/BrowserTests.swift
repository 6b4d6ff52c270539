import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Browsers in the simulated org")
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

  @Test("The browser comes back with a code, which stands for tokens, and with the state")
  func finished() async throws {
    var visitor = try await Visitor(org(with: Self.providers))
    let end = await visitor.org.visit(try visitor.page("redirect-idp"))
    #expect(end?.absoluteString.hasPrefix("com.example.demo:/callback?") == true)
    let query = try Visitor.query(of: end)
    #expect(query["state"] == "st-1")
    try await visitor.introspect()
    #expect(visitor.isDone)
    let code = try #require(query["interaction_code"])
    try await visitor.redeem(["interaction_code": code])
    #expect(visitor.status == 200)
  }

  @Test("Where more is wanted, the browser says so and introspection goes on")
  func moreSteps() async throws {
    let org = org(required: [.email], [.email], with: Self.providers)
    var visitor = try await Visitor(org)
    let query = try Visitor.query(of: await org.visit(try visitor.page("redirect-idp")))
    #expect(query["error"] == "interaction_required")
    #expect(query["state"] == "st-1")
    try await visitor.introspect()
    #expect(visitor.remediations == ["authenticator-verification-data"])
    #expect(visitor.json["user"]?["value"]?["identifier"] == "ada@shop.example")
  }

  @Test("A refusal there comes back as an error, and the sign-in stays where it was")
  func refused() async throws {
    var visitor = try await Visitor(org(with: Self.providers))
    let page = try visitor.page("redirect-idp")
    let query = try Visitor.query(of: await visitor.org.visit(page, refusing: true))
    #expect(query["error"] == "access_denied")
    #expect(query["error_description"]?.isEmpty == false)
    let step = visitor.json
    try await visitor.introspect()
    #expect(visitor.json == step)
  }

  @Test("A suspended user is refused by the org itself")
  func suspended() async throws {
    let visitor = try await Visitor(org(status: .suspended, with: Self.providers))
    let query = try Visitor.query(of: await visitor.org.visit(try visitor.page("redirect-idp")))
    #expect(query["error"] == "access_denied")
  }

  @Test("A page that no sign-in leads to is no page")
  func unknownPages() async throws {
    var visitor = try await Visitor(org(with: Self.providers))
    let page = try visitor.page("redirect-idp")
    #expect(await visitor.org.visit(try #require(URL(string: "https://example.com/"))) == nil)
    try await visitor.submit("cancel")
    #expect(await visitor.org.visit(page) == nil)
    visitor.org.advance(by: 3 * 60 * 60)
    #expect(await visitor.org.visit(try visitor.page("redirect-idp")) == nil)
  }

  @Test("Another user may sit at the browser; nobody is asked again")
  func another() async throws {
    let org = org(with: Self.providers)
    await org.update(SimulatedUser(login: "mary@shop.example", password: "Mechanism-1831"))
    var visitor = try await Visitor(org)
    _ = await org.visit(try visitor.page("redirect-idp"), as: "mary@shop.example")
    try await visitor.introspect()
    #expect(visitor.json["user"]?["value"]?["identifier"] == "mary@shop.example")

    visitor = try await Visitor(org)
    let end = await org.visit(try visitor.page("redirect-idp"), as: "bob@shop.example")
    #expect(try Visitor.query(of: end)["error"] == "interaction_required")
    try await visitor.introspect()
    #expect(visitor.remediations.first == "identify")
  }

  @Test("It may be a factor, to prove and to set up", arguments: [true, false])
  func factor(isSetUp: Bool) async throws {
    let org = org(required: ["external_idp"], isSetUp ? [.identityProvider] : [])
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    if !isSetUp {
      #expect(visitor.remediations == ["select-authenticator-enroll"])
      try await visitor.choose("Company sign-in", in: "select-authenticator-enroll")
    }
    #expect(visitor.remediations == ["redirect-idp"])
    let reference = isSetUp ? "$.currentAuthenticatorEnrollment" : "$.currentAuthenticator"
    let page = visitor.json["remediation"]?["value"]?[0]
    #expect(page?["relatesTo"] == [.string(reference)])
    let query = try Visitor.query(of: await org.visit(try visitor.page("redirect-idp")))
    #expect(query["interaction_code"] != nil)
    try await visitor.introspect()
    #expect(visitor.isDone)
    #expect(await org.user("ada@shop.example")?.enrollments == [.identityProvider])
  }

  @Test("The link of a mail brings its code back to the app, or lets the poll go on")
  func link() async throws {
    let org = org(required: [.email], [.email])
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.submit(
      "authenticator-verification-data", ["authenticator": visitor.fixedAuthenticator])
    let mail = try #require(await org.mailbox.messages.last)
    let query = try Visitor.query(of: await org.openLink(in: mail))
    #expect(query["state"] == "st-1")
    try await visitor.answer(try #require(query["otp"]))
    #expect(visitor.isDone)
    #expect(await org.openLink(in: mail) == nil)
  }
}
