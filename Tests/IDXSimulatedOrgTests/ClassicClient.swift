import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg

/// A client that sends JSON to the classic API.
struct ClassicClient {
  static let login = DirectClient.login
  static let base = "https://demo.okta.example/api/v1/authn"

  let org: SimulatedOrg
  let pkce = PKCE()
  var response = TransportResponse(status: 0)
  var json: JSONValue = .null
  var stateToken = ""

  init(_ org: SimulatedOrg) { self.org = org }

  static func signedIn(_ org: SimulatedOrg, _ options: JSONValue? = nil) async throws
    -> ClassicClient
  {
    var client = ClassicClient(org)
    try await client.password(options: options)
    return client
  }

  var status: String? { json["status"]?.string }
  var result: String? { json["factorResult"]?.string }
  var error: String? { json["errorCode"]?.string }
  var cause: String? { json["errorCauses"]?[0]?["errorSummary"]?.string }
  var links: JSONValue { json["_links"] ?? .null }
  var factor: JSONValue? { json["_embedded"]?["factor"] }
  var factors: [JSONValue] { json["_embedded"]?["factors"]?.array ?? [] }
  var kinds: [String] {
    factors.map { "\($0["factorType"]?.string ?? "") \($0["provider"]?.string ?? "")" }
  }
  var sessionToken: String? { json["sessionToken"]?.string }
  /// The names of all links; those of `next` and `resend` with their own names.
  var linkNames: [String] {
    (links.object?.members ?? []).map { member in
      let name = member.value["name"] ?? member.value[0]?["name"]
      return name?.string.map { "\(member.name) \($0)" } ?? member.name
    }
  }

  // MARK: Requests

  mutating func post(_ address: String, _ body: JSONValue) async throws {
    try await send(
      TransportRequest(
        method: "POST", url: try require(URL(string: address)),
        headers: ["Content-Type": "application/json", "Accept": "application/json"],
        body: body.bytes))
  }

  mutating func send(_ request: TransportRequest) async throws {
    response = try await org.send(request)
    json = (try? JSONValue(parsing: response.body)) ?? .null
    if let token = json["stateToken"]?.string { stateToken = token }
  }

  mutating func password(
    _ password: String = "Analytical-1843", of login: String = login, options: JSONValue? = nil
  ) async throws {
    let body: JSONValue = ["username": .string(login), "password": .string(password)]
    try await post(Self.base, options.map { body.with("options", $0) } ?? body)
  }

  /// Posts to a path of the API, with the state token.
  mutating func post(path: String, _ body: JSONValue = [:]) async throws {
    try await post(Self.base + path, body.with("stateToken", .string(stateToken)))
  }

  /// Follows a link of the last response.
  mutating func follow(
    _ name: String = "next", _ body: JSONValue = [:],
    filePath: StaticString = #filePath, line: Int = #line
  ) async throws {
    let link = try require(
      links[name]?[0] ?? links[name], "no link \(name)", filePath: filePath, line: line)
    expectEqual(link["hints"]?["allow"], ["POST"], filePath: filePath, line: line)
    try await post(
      try require(link["href"]?.string), body.with("stateToken", .string(stateToken)))
  }

  /// Follows the link of a factor that is offered.
  mutating func verify(
    _ type: String, at index: Int = 0, _ body: JSONValue = [:],
    filePath: StaticString = #filePath, line: Int = #line
  ) async throws {
    let offered = factors.filter { $0["factorType"]?.string == type }
    try require(offered.indices.contains(index), "no \(type)", filePath: filePath, line: line)
    let link = try require(offered[index]["_links"]?["verify"]?["href"]?.string)
    try await post(link, body.with("stateToken", .string(stateToken)))
  }

  mutating func enroll(
    _ type: String, _ provider: String = "OKTA", _ profile: JSONValue? = nil
  ) async throws {
    let body: JSONValue = ["factorType": .string(type), "provider": .string(provider)]
    try await post(path: "/factors", profile.map { body.with("profile", $0) } ?? body)
  }

  // MARK: Tokens

  /// Asks the authorization endpoint, and returns the parameters of the redirect.
  @discardableResult
  mutating func authorize(_ changes: [String: String?] = [:]) async throws -> [String: String] {
    var form: [String: String?] = [
      "client_id": org.clientID, "response_type": "code", "response_mode": "query",
      "scope": "openid profile offline_access", "redirect_uri": org.redirectURI, "state": "st-1",
      "nonce": "n-1", "code_challenge": pkce.challenge, "code_challenge_method": "S256",
      "prompt": "none",
    ]
    form["sessionToken"] = sessionToken
    form.merge(changes) { $1 }
    let query = FormURLEncoding.encode(form.pairs)
    let text = org.issuer.absoluteString + "/v1/authorize?" + query
    response = try await org.send(
      TransportRequest(method: "GET", url: try require(URL(string: text))))
    let kept = json
    json = (try? JSONValue(parsing: response.body)) ?? kept
    guard let location = response.header("Location") else { return [:] }
    expectPrefix(location, org.redirectURI + "?")
    let pairs = FormURLEncoding.decode(String(location.dropFirst(org.redirectURI.count + 1)))
    return Dictionary(uniqueKeysWithValues: (pairs ?? []).map { ($0.name, $0.value) })
  }

  mutating func redeem(_ code: String?, _ changes: [String: String?] = [:]) async throws {
    let form: [String: String?] = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": org.redirectURI,
      "client_id": org.clientID, "code_verifier": pkce.verifier.revealed,
    ]
    var client = DirectClient(org)
    try await client.post("token", form.merging(changes) { $1 })
    response = client.response
    json = client.json
  }

  var idToken: DecodedToken? { json["id_token"]?.string.flatMap { DecodedToken($0) } }

  // MARK: Expectations

  /// Whether the last response has this status and these links.
  func expectStatus(
    _ status: String, _ links: [String]? = nil, filePath: StaticString = #filePath,
    line: Int = #line
  ) {
    let type = response.header("Content-Type")
    expectEqual(
      [self.status, "\(response.status)", response.header("Cache-Control"), type],
      [status, "200", "no-cache, no-store", "application/json"], json["errorSummary"]?.string,
      filePath: filePath, line: line)
    if let links { expectEqual(linkNames, links, filePath: filePath, line: line) }
  }

  /// Whether the last response is this refusal.
  func expectError(
    _ code: String, _ status: Int, naming name: String = "",
    filePath: StaticString = #filePath, line: Int = #line
  ) {
    expectEqual(
      [error, "\(response.status)"], [code, "\(status)"], filePath: filePath, line: line)
    let words = "\(json["errorSummary"]?.string ?? "") \(cause ?? "")"
    expect(name.isEmpty || words.contains(name), words, filePath: filePath, line: line)
    let names = ["status", "errorLink", "errorId", "errorCauses"].filter { json[$0] != nil }
    expectEqual(
      names, ["errorLink", "errorId", "errorCauses"], filePath: filePath, line: line)
  }
}

extension JSONValue {
  /// The object with one more member.
  fileprivate func with(_ name: String, _ value: JSONValue) -> JSONValue {
    var object = self.object ?? JSONValue.Object()
    if object[name] == nil { object[name] = value }
    return .object(object)
  }
}
