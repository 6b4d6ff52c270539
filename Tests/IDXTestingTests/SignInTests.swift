import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

@Suite("Signing in to the simulated org")
struct SignInTests {
  @Test(
    "A password signs in and the code becomes tokens",
    arguments: SignInPolicy.Start.allCases,
    ["https://demo.okta.example/oauth2/default", "https://demo.okta.example"])
  func password(start: SignInPolicy.Start, issuer: String) async throws {
    let org = makeOrg(SignInPolicy(start: start), issuer: issuer)
    var visitor = try await Visitor(org, base: issuer.contains("oauth2") ? "" : "/oauth2")
    #expect(visitor.remediations == ["identify"])
    try await visitor.signIn()
    #expect(visitor.status == 200)
    #expect(visitor.isDone)
    #expect(visitor.json["remediation"] == nil)
    try await visitor.redeem()
    let tokens = try Tokens(parsing: visitor.response.body)
    #expect(tokens.tokenType == "Bearer")
    #expect(tokens.refreshToken != nil)
    #expect(tokens.scopes == ["openid", "offline_access"])
  }

  @Test("Every answer has a request id, and IDX answers their media type and version")
  func headers() async throws {
    let visitor = try await Visitor(makeOrg())
    let type = visitor.response.header("content-type")
    #expect(type == "application/ion+json; okta-version=1.0.0")
    #expect(visitor.response.header("X-Okta-Request-Id")?.isEmpty == false)
    #expect(visitor.json["version"] == "1.0.0")
  }

  @Test("A wrong password in one form says no more than that it failed, as for an unknown user")
  func wrongPasswordInOneForm() async throws {
    let org = makeOrg(SignInPolicy(start: .withPassword))
    var visitor = try await Visitor(org)
    let handle = visitor.stateHandle
    try await visitor.signIn("ada@shop.example", "wrong")
    let wrong = visitor
    try await visitor.signIn("nobody@shop.example", "wrong")
    #expect(visitor.json == wrong.json)
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == ["errors.E0000004"])
    #expect(visitor.remediations == ["identify"])
    #expect(visitor.stateHandle == handle)
    try await visitor.signIn()
    #expect(visitor.isDone)
  }

  @Test("An unknown user is asked for a password like anyone else")
  func unknownUser() async throws {
    let org = makeOrg(.passwordOnly, [.email])
    var known = try await Visitor(org)
    try await known.submit("identify", ["identifier": "ada@shop.example"])
    var unknown = try await Visitor(org)
    try await unknown.submit("identify", ["identifier": "eve@shop.example"])
    #expect(unknown.status == known.status)
    #expect(unknown.remediations == known.remediations)
    func shape(_ visitor: Visitor) -> [String] {
      ["authenticators", "authenticatorEnrollments"].flatMap { name in
        visitor.json[name]?["value"]?.array?.compactMap { $0["key"]?.string } ?? []
      } + (visitor.json["user"]?["value"]?.object?.members.map(\.name) ?? [])
    }
    #expect(shape(unknown) == shape(known))
    try await known.answer("wrong")
    try await unknown.answer("wrong")
    #expect(known.status == 401)
    #expect(unknown.status == 401)
    #expect(known.messageKeys == ["incorrectPassword"])
    #expect(unknown.messageKeys == known.messageKeys)
  }

  @Test(
    "What stands against a user is said after the right password only",
    arguments: [
      (SimulatedUser.Status.suspended, 403, "security.access_denied"),
      (.notAssigned, 400, "idx.error.code.user_not_assigned"),
    ])
  func refusedUser(status: SimulatedUser.Status, code: Int, key: String) async throws {
    var visitor = try await Visitor(makeOrg(SignInPolicy(start: .withPassword), status: status))
    try await visitor.signIn("ada@shop.example", "wrong")
    #expect(visitor.messageKeys == ["errors.E0000004"])
    try await visitor.signIn()
    #expect(visitor.status == code)
    #expect(visitor.messageKeys == [key])
    #expect(visitor.remediations.isEmpty)
    try await visitor.introspect()
    #expect(visitor.messageKeys == [key])
    try await visitor.submit("cancel")
    #expect(visitor.remediations == ["identify"])
  }

  @Test("An expired password is replaced by one that follows the rules")
  func expiredPassword() async throws {
    let org = makeOrg(status: .passwordExpired)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == ["reenroll-authenticator"])
    #expect(visitor.current?["settings"]?["complexity"]?["minLength"] == 8)
    for weak in ["short1A", "alllowercase1", "NODIGITShere", "Ada-contains-1", "Analytical-1843"] {
      try await visitor.answer(weak)
      #expect(visitor.status == 400)
      #expect(
        visitor.messageKeys(at: "credentials.passcode") == ["password.passwordRequirementsNotMet"])
    }
    try await visitor.answer("Difference-1822")
    #expect(visitor.isDone)
    #expect(await org.user("ADA@shop.example")?.password == "Difference-1822")
    #expect(await org.user("ada@shop.example")?.status == .active)
  }

  @Test("Wrong answers lock the account, and the last one is answered with 429")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(attempts: 3))
    var visitor = try await Visitor(org)
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    for _ in 1...2 {
      try await visitor.answer("wrong")
      #expect(visitor.status == 401)
    }
    try await visitor.answer("wrong")
    #expect(visitor.status == 429)
    #expect(visitor.messageKeys == ["oie.tooManyRequests"])
    #expect(visitor.remediations.first == "challenge-authenticator")
    try await visitor.answer("Analytical-1843")
    #expect(visitor.status == 429)
    #expect(await org.user("ada@shop.example")?.status == .locked)

    var later = try await Visitor(org)
    try await later.signIn()
    #expect(later.messageKeys == ["incorrectPassword"])

    var ada = try #require(await org.user("ada@shop.example"))
    ada.status = .active
    await org.update(ada)
    var last = try await Visitor(org)
    try await last.signIn()
    #expect(last.isDone)
  }

  @Test("A lock stops other sign-ins that are on their way")
  func lockedMeanwhile() async throws {
    let org = makeOrg(SignInPolicy(required: [.email], attempts: 1))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    var other = try await Visitor(org)
    try await other.signIn("ada@shop.example", "wrong")
    #expect(other.status == 429)
    try await visitor.choose("Email", in: "select-authenticator-enroll")
    #expect(visitor.status == 429)
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.submit("cancel")
    #expect(visitor.remediations == ["identify"])
  }

  @Test("The example in the documentation holds")
  func documentation() async throws {
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
      policy: .required(.email), seed: 1)
    var request = TransportRequest(
      method: "POST", url: org.issuer.appendingPathComponent("v1/interact"))
    request.headers = [
      "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
    ]
    let response = try await org.send(request)
    #expect(response.status == 401)
    org.advance(by: 6 * 60)
    #expect(await org.mailbox.lastCode(to: "ada@shop.example") == nil)
  }
}
