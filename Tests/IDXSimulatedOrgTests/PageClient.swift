import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// A browser without scripts: it opens the page of an org, keeps cookies, and sends what a test says.
struct PageClient {
  let org: SimulatedOrg
  let pkce = PKCE()
  var cookies: [String: String] = [:]
  var response = TransportResponse(status: 0)
  var json: JSONValue = .null

  init(_ org: SimulatedOrg) { self.org = org }

  /// A client at the page of an org that has one.
  static func opened(
    policy: SignInPolicy = .passwordOnly, _ enrollments: [SimulatedUser.Enrollment] = []
  ) async throws -> PageClient {
    let org = makeOrg(policy, enrollments)
    await org.changeRequests { $0.signInPage = OrgSignInPage() }
    var client = PageClient(org)
    try await client.authorize()
    return client
  }

  /// A client after the correct password.
  static func signedIn() async throws -> PageClient {
    var client = try await opened()
    try await client.introspect()
    try await client.signIn()
    return client
  }

  // MARK: The response

  var text: String { String(decoding: response.body, as: UTF8.self) }
  var stateHandle: String { json["stateHandle"]?.string ?? "" }
  var messageKeys: [String] {
    json["messages"]?["value"]?.array?.compactMap { $0["i18n"]?["key"]?.string } ?? []
  }
  var messageTexts: [String] {
    json["messages"]?["value"]?.array?.compactMap { $0["message"]?.string } ?? []
  }
  var successAddress: String { json["success"]?["href"]?.string ?? "" }
  var location: String { response.headers["Location"] ?? "" }

  /// The parameters of the redirect.
  var returned: [String: String] {
    let items = URLComponents(string: location)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }

  /// The state tokens of the page as they are written, with escapes.
  var writtenTokens: [String] {
    text.matches(of: #/stateToken(?:"|\\x22)?\s?(?:[=:]|\\x3A)\s?(?:'|"|\\x22)(.*?)(?:'|"|\\x22)/#)
      .map { String($0.1) }
  }
  /// The last token of the page, without escapes.
  var pageToken: String {
    (writtenTokens.last ?? "").replacingOccurrences(of: #"\x2D"#, with: "-")
  }

  // MARK: Requests

  /// The parameters of an authorization request.
  func parameters(_ changes: [String: String?] = [:]) -> [(String, String)] {
    let form: [String: String?] = [
      "client_id": org.clientID, "redirect_uri": org.redirectURI, "response_type": "code",
      "scope": "openid", "state": "st-1", "nonce": "n-1", "code_challenge": pkce.challenge,
      "code_challenge_method": "S256",
    ]
    return form.merging(changes) { $1 }.pairs
  }

  mutating func authorize(_ changes: [String: String?] = [:]) async throws {
    try await get("/oauth2/default/v1/authorize?" + FormURLEncoding.encode(parameters(changes)))
  }

  mutating func introspect(_ token: String? = nil, as name: String = "stateToken") async throws {
    try await post("/idp/idx/introspect", [name: .string(token ?? pageToken)])
  }

  /// Posts to a path of Identity Engine, with this handle or the last one.
  mutating func proceed(
    _ path: String, _ members: JSONValue = [:], _ handle: String? = nil
  ) async throws {
    let handle = JSONValue.string(handle ?? stateHandle)
    try await post("/idp/idx/" + path, members.adding("stateHandle", handle))
  }

  mutating func identify(_ handle: String? = nil) async throws {
    try await proceed("identify", ["identifier": "ada@shop.example"], handle)
  }

  mutating func signIn() async throws {
    try await identify()
    try await proceed("challenge/answer", ["credentials": ["passcode": "Analytical-1843"]])
  }

  mutating func redeem() async throws {
    let form = [
      ("grant_type", "authorization_code"), ("code", returned["code"] ?? ""),
      ("client_id", org.clientID), ("redirect_uri", org.redirectURI),
      ("code_verifier", pkce.verifier.revealed),
    ]
    try await send(.form(try address("/oauth2/default/v1/token"), form))
  }

  mutating func get(_ path: String) async throws { try await send("GET", path) }

  mutating func send(_ method: String, _ path: String) async throws {
    try await send(
      TransportRequest(
        method: method, url: try address(path), headers: ["Accept": "text/html, */*;q=0.8"]))
  }

  mutating func post(_ path: String, _ body: JSONValue) async throws {
    try await send(
      TransportRequest(
        method: "POST", url: try address(path), headers: OrgClient.ionHeaders, body: body.bytes))
  }

  private mutating func send(_ request: TransportRequest) async throws {
    var request = request
    if !cookies.isEmpty {
      request.headers["Cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }
    response = try await org.send(request)
    json = (try? JSONValue(parsing: response.body)) ?? .null
    for cookie in (response.headers["Set-Cookie"] ?? "").components(separatedBy: ", ") {
      let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      guard let name = pair.first.map(String.init) else { continue }
      cookies[name] = cookie.contains("Max-Age=0") ? nil : pair.dropFirst().first.map(String.init)
    }
  }

  private func address(_ path: String) throws -> URL {
    try require(URL(string: path, relativeTo: org.issuer)?.absoluteURL)
  }
}
