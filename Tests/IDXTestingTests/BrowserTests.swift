import IDX
import IDXFlow
import IDXTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  @Test("Identity providers stand beside the user name under one name, each with its address")
  func beside() async throws {
    var visitor = try await Visitor(org(with: Self.providers))
    #expect(visitor.remediations == ["identify", "redirect-idp", "redirect-idp"])
    let pages = visitor.json["remediation"]?["value"]?.array?.dropFirst() ?? []
    #expect(pages.compactMap { $0["idp"]?["name"]?.string } == ["Google", "Company"])
    #expect(Set(pages.compactMap { $0["href"]?.string }).count == 2)
    #expect(pages.allSatisfy { $0["method"] == "GET" && $0["value"] == nil })
    let start =
      "https://demo.okta.example/oauth2/default/v1/authorize?client_id=\(visitor.org.clientID)"
      + "&request_uri=urn:okta:"
    #expect(pages.allSatisfy { $0["href"]?.string?.hasPrefix(start) == true })
    let page = try visitor.page("redirect-idp")
    try await visitor.introspect()
    #expect(try visitor.page("redirect-idp") == page)
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

  @Test("It may be the only way in")
  func only() async throws {
    let visitor = try await Visitor(
      org {
        Self.providers(&$0)
        $0.identityProvidersOnly = true
      })
    #expect(visitor.remediations == ["redirect-idp", "redirect-idp"])
    #expect(visitor.form("identify") == nil)
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

  @Test("A smart card signs in, and a proof of identity follows the factors")
  func cardAndProof() async throws {
    let org = org {
      $0.smartCard = true
      $0.afterFactors = [.identityProofing]
    }
    var visitor = try await Visitor(org)
    #expect(visitor.remediations == ["identify", "piv-idp"])
    let query = try Visitor.query(of: await org.visit(try visitor.page("piv-idp")))
    #expect(query["error"] == "interaction_required")
    try await visitor.introspect()
    #expect(visitor.remediations == ["redirect-idverify"])
    let proof = visitor.json["remediation"]?["value"]?[0]
    #expect(proof?["type"] == "ID_PROOFING")
    #expect(proof?["idp"]?["id"] == "IDV_PERSONA")
    let page = try visitor.page("redirect-idverify")
    #expect(page.path == "/idp/identity-verification")
    #expect(try Visitor.query(of: await org.visit(page))["interaction_code"] != nil)
    try await visitor.introspect()
    #expect(visitor.isDone)
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
