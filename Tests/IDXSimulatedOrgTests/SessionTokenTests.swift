import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import Testing

/// Sessions for a session token of the simulated org.
struct SessionTokenTests {
  private static let origin = "https://demo.okta.example"
  private static let app = origin + "/app/amazon_aws/exkDemoApp0000000001/sso/saml"

  private let signedIn: ClassicClient
  private let token: String

  init() async throws {
    let org = makeOrg()
    await org.changeRequests {
      $0.signInPage = OrgSignInPage()
      $0.samlApps = [.awsConsole]
    }
    signedIn = try await ClassicClient.signedIn(org)
    token = try require(signedIn.sessionToken)
  }

  private func get(_ address: String?, sid: String? = nil) async throws -> TransportResponse {
    let url = try require(URL(string: address ?? ""))
    return try await signedIn.org.send(
      TransportRequest(url: url, headers: sid.map { ["Cookie": "sid=\($0)"] } ?? [:]))
  }

  private func hasForm(_ response: TransportResponse) -> Bool {
    String(decoding: response.body, as: UTF8.self).contains("SAMLResponse")
  }

  @Test("A session token gives one session, which lists and opens apps")
  func session() async throws {
    var client = signedIn
    try await client.post(Self.origin + "/api/v1/sessions", ["sessionToken": .string(token)])
    let id = try require(client.json["id"]?.string)
    expectEqual(client.json["status"], "ACTIVE")
    try await expect(hasForm(get(Self.app, sid: id)))
    let user = Self.origin + "/api/v1/users/me"
    let links = try await JSONValue(parsing: get(user + "/appLinks", sid: id).body)
    expect(links[0]?["label"] == "AWS Account Federation" && links[0]?["sortOrder"] == 0)
    let query = "type=all&expand=items&expand=items.resource"
    let tabs = try await JSONValue(parsing: get("\(user)/home/tabs?\(query)", sid: id).body)
    expectEqual(tabs[0]?["_embedded"]?["items"]?[0]?["_embedded"]?["resource"], links[0])
    let opened = try await get(links[0]?["linkUrl"]?.string, sid: id)
    expectPrefix(opened.header("Location") ?? "", Self.app)
    try await expectEqual(get(user + "/appLinks").status, 403)
    try await client.post(Self.origin + "/api/v1/sessions", ["sessionToken": .string(token)])
    expectEqual(client.response.status, 401)
  }

  @Test("The link of an app takes a session token, once")
  func link() async throws {
    let link = "/home/amazon_aws/exkDemoApp0000000001/272?onetimetoken="
    let address = try await get(Self.origin + link + token).header("Location")
    for isNew in [true, false] { try await expectEqual(hasForm(get(address)), isNew) }
  }

  @Test("A redirect within the org gives a session for a session token, once")
  func redirect() async throws {
    let address =
      Self.origin + "/login/sessionCookieRedirect?checkAccountSetupComplete=true&token=\(token)"
      + "&redirectUrl="
    for wrong in ["https://evil.example/", Self.app + "%0d%0aSet-Cookie:x"] {
      try await expectEqual(get(address + wrong).status, 400)
    }
    let there = try await get(address + Self.app)
    expectEqual(there.header("Location"), Self.app)
    let id = try require(there.header("Set-Cookie")?.firstMatch(of: #/sid=([^;]+)/#)?.1)
    try await expectEqual(get(address + Self.app).status, 400)
    // The token is not needed any more if there is a session.
    try await expectEqual(get(address + Self.app, sid: String(id)).status, 302)
  }
}
