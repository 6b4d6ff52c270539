import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// A client that submits a test's values to the forms of the last IDX response.
struct OrgClient {
  let org: SimulatedOrg
  let pkce = PKCE()
  /// The path between the issuer and `/v1`.
  let base: String
  var headers = OrgClient.ionHeaders
  var interactionHandle = ""
  var response = TransportResponse(status: 0)
  var json: JSONValue = .null

  static let ionHeaders = [
    "Content-Type": "application/json", "Accept": "application/ion+json; okta-version=1.0.0",
  ]

  /// Starts a sign-in, with additional parameters, and reads the first step.
  init(_ org: SimulatedOrg, base: String = "", _ changes: [String: String?] = [:]) async throws {
    self.org = org
    self.base = base
    try await interact(changes)
    interactionHandle = try require(json["interaction_handle"]?.string)
    try await introspect()
  }

  var status: Int { response.status }
  var stateHandle: String { json["stateHandle"]?.string ?? "" }
  var remediations: [String] {
    json["remediation"]?["value"]?.array?.compactMap { $0["name"]?.string } ?? []
  }
  var messageKeys: [String] { keys(in: json["messages"]) }
  var messageText: String? { json["messages"]?["value"]?[0]?["message"]?.string }
  var expiresAt: String? { json["expiresAt"]?.string }
  var current: JSONValue? { json["currentAuthenticator"]?["value"] }
  var currentEnrollment: JSONValue? { json["currentAuthenticatorEnrollment"]?["value"] }
  var isDone: Bool { json["successWithInteractionCode"] != nil }
  var sharedSecret: String? { current?["contextualData"]?["sharedSecret"]?.string }

  /// The keys of messages at a field of the first form.
  func messageKeys(at path: String) -> [String] {
    var fields = json["remediation"]?["value"]?[0]?["value"]
    var field: JSONValue?
    for name in path.split(separator: ".") {
      field = fields?.array?.first { $0["name"]?.string == String(name) }
      fields = field?["form"]?["value"] ?? field?["options"]?[0]?["value"]?["form"]?["value"]
    }
    return keys(in: field?["messages"])
  }

  /// The labels of the options of a form.
  func options(of name: String) -> [String] {
    choices(of: name).compactMap { $0["label"]?.string }
  }

  func choices(of name: String) -> [JSONValue] {
    form(name)?["value"]?[0]?["options"]?.array ?? []
  }

  /// The form with a name, anywhere in the response.
  func form(_ name: String) -> JSONValue? { Self.form(name, in: json) }

  // MARK: Requests

  mutating func interact(_ changes: [String: String?] = [:]) async throws {
    let form: [String: String?] = [
      "client_id": org.clientID, "redirect_uri": org.redirectURI, "state": "st-1",
      "scope": "openid offline_access", "code_challenge": pkce.challenge,
      "code_challenge_method": "S256",
    ]
    try await postForm("/v1/interact", form, changes)
  }

  mutating func introspect() async throws {
    try await post("/idp/idx/introspect", ["interactionHandle": .string(interactionHandle)])
  }

  mutating func redeem(_ changes: [String: String?] = [:]) async throws {
    let fields = json["successWithInteractionCode"]?["value"]?.array ?? []
    let code = fields.first { $0["name"] == "interaction_code" }?["value"]?.string
    let form: [String: String?] = [
      "grant_type": "interaction_code", "interaction_code": code, "client_id": org.clientID,
      "code_verifier": pkce.verifier.revealed,
    ]
    try await postForm("/v1/token", form, changes)
  }

  /// Submits a form of the last response: its state handle and these members.
  mutating func submit(_ name: String, _ members: JSONValue = [:]) async throws {
    let offered = self.form(name)
    let form = try require(offered, "No form \(name) in \(remediations)")
    let handle = form["value"]?.array?.first { $0["name"] == "stateHandle" }?["value"]
    var body = try require(members.object)
    body["stateHandle"] = handle
    try await post(form["href"]?.string ?? "", .object(body))
  }

  /// The address of the first page for a browser with this name.
  func page(_ name: String) throws -> URL {
    let pages = json["remediation"]?["value"]?.array ?? []
    let page = try require(pages.first { $0["name"]?.string == name })
    expectEqual(page["method"], "GET")
    return try require(URL(string: page["href"]?.string ?? ""))
  }

  /// The parameters that a browser returns with.
  static func query(of url: URL?) throws -> [String: String] {
    let url = try require(url)
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return Dictionary(items.compactMap { item in item.value.map { (item.name, $0) } }) { $1 }
  }

  /// Answers the first form.
  mutating func answer(_ passcode: String?) async throws {
    let passcode = try require(passcode)
    try await submit(remediations.first ?? "", ["credentials": ["passcode": .string(passcode)]])
  }

  /// Chooses an option by its label, with more members.
  mutating func choose(_ label: String, in name: String, _ more: JSONValue = [:]) async throws {
    let option = try require(choices(of: name).first { $0["label"]?.string == label })
    var choice = try require(more.object)
    for field in option["value"]?["form"]?["value"]?.array ?? [] {
      if let name = field["name"]?.string, let value = field["value"] { choice[name] = value }
    }
    try await submit(name, ["authenticator": .object(choice)])
  }

  mutating func signIn(_ login: String = "ada@shop.example", _ password: String = "Analytical-1843")
    async throws
  {
    if form("identify")?["value"]?[1]?["name"] == "credentials" {
      try await submit(
        "identify",
        ["identifier": .string(login), "credentials": ["passcode": .string(password)]])
    } else {
      try await submit("identify", ["identifier": .string(login)])
      try await answer(password)
    }
  }

  mutating func post(_ path: String, _ body: JSONValue, method: String = "POST") async throws {
    let url = try require(URL(string: path, relativeTo: org.issuer)).absoluteURL
    try await send(TransportRequest(method: method, url: url, headers: headers, body: body.bytes))
  }

  private mutating func postForm(
    _ path: String, _ form: [String: String?], _ changes: [String: String?]
  ) async throws {
    try await send(.form(try address(path), form.merging(changes) { $1 }.pairs))
  }

  mutating func send(_ request: TransportRequest) async throws {
    response = try await org.send(request)
    json = try JSONValue(parsing: response.body)
    if json["remediation"] != nil { try checkConsistency() }
  }

  /// Every form must have the handle of the response, and every reference must be valid.
  private func checkConsistency() throws {
    let response = try IDXResponse(parsing: self.response.body)
    expectEqual(response.version, "1.0.0")
    for form in response.allForms where form.method == "POST" {
      expectEqual(form["stateHandle"]?.value?.string, stateHandle)
      expectEqual(form.href?.hasPrefix("https://demo.okta.example/idp/idx/"), true)
      let isProbe = form.name == "device-challenge-poll"
      if form.raw["relatesTo"] != nil, !isProbe { expect(!form.authenticators.isEmpty) }
      for field in form.form.fields {
        for option in field.options where option.raw["relatesTo"] != nil {
          expectEqual(option.authenticator?.displayName, option.label)
        }
      }
    }
  }

  private func keys(in messages: JSONValue?) -> [String] {
    messages?["value"]?.array?.compactMap { $0["i18n"]?["key"]?.string } ?? []
  }

  private static func form(_ name: String, in value: JSONValue) -> JSONValue? {
    if let object = value.object {
      if object["name"]?.string == name, object["href"] != nil { return value }
      return object.members.lazy.compactMap { form(name, in: $0.value) }.first
    }
    return value.array?.lazy.compactMap { form(name, in: $0) }.first
  }
}

// Answers that the forms of the client encode.
extension OrgClient {
  static let login = "ada@shop.example"

  /// The response as a client reads it.
  func read() throws -> IDXResponse { try IDXResponse(parsing: response.body) }

  var correctAnswer: String? { current?["contextualData"]?["correctAnswer"]?.string }

  /// Answers a form by the paths of its fields, as a client does.
  mutating func fill(_ name: Remediation.Name, _ answers: Answers = [:]) async throws {
    let form = try require(read().allForms.first { $0.name == name }, "No form \(name)")
    try await post(form.href ?? "", form.body(answering: answers))
  }

  /// A client after the correct password.
  static func signedIn(_ org: SimulatedOrg) async throws -> OrgClient {
    var client = try await OrgClient(org)
    try await client.signIn()
    return client
  }
}

// Tokens.
extension OrgClient {
  static let everyScope = "openid profile email offline_access"

  /// A client that has tokens with these scopes.
  static func withTokens(
    _ org: SimulatedOrg, scope: String = everyScope, _ changes: [String: String?] = [:]
  ) async throws -> OrgClient {
    var client = try await OrgClient(org, changes.merging(["scope": scope]) { $1 })
    try await client.signIn()
    try await client.redeem()
    expectEqual(client.status, 200)
    return client
  }

  var accessToken: String { json["access_token"]?.string ?? "" }
  var refreshToken: String? { json["refresh_token"]?.string }
  var idToken: DecodedToken? { json["id_token"]?.string.flatMap { DecodedToken($0) } }
  var error: String? { json["error"]?.string }

  mutating func refresh(_ token: String?, _ changes: [String: String?] = [:]) async throws {
    let form: [String: String?] = [
      "grant_type": "refresh_token", "refresh_token": token, "client_id": org.clientID,
    ]
    try await postForm("/v1/token", form, changes)
  }

  mutating func introspect(token: String, _ changes: [String: String?] = [:]) async throws {
    let form: [String: String?] = ["token": token, "client_id": org.clientID]
    try await postForm("/v1/introspect", form, changes)
  }

  func revoke(_ token: String?, _ changes: [String: String?] = [:]) async throws
    -> TransportResponse
  {
    let form: [String: String?] = ["token": token, "client_id": org.clientID]
    return try await org.send(.form(address("/v1/revoke"), form.merging(changes) { $1 }.pairs))
  }

  func userInfo(_ token: String, method: String = "GET") async throws -> TransportResponse {
    try await org.send(
      TransportRequest(
        method: method, url: try address("/v1/userinfo"),
        headers: ["Authorization": "Bearer \(token)", "Accept": "application/json"]))
  }

  /// The keys that the org publishes.
  func keys() async throws -> [JSONValue] {
    let response = try await org.send(TransportRequest(url: try address("/v1/keys")))
    return try JSONValue(parsing: response.body)["keys"]?.array ?? []
  }

  /// Whether the published key that the header names has signed.
  func isSigned(_ token: DecodedToken) async throws -> Bool {
    guard let key = try await keys().first(where: { $0["kid"] == token.header["kid"] }) else {
      return false
    }
    return try require(RSAPublicKey(key)).verify(
      token.signature, of: Array(token.signingInput.utf8))
  }

  func address(_ path: String) throws -> URL {
    try require(URL(string: org.issuer.absoluteString + base + path))
  }
}

/// The parts of a signed token.
struct DecodedToken {
  let header: JSONValue
  let claims: JSONValue
  let signature: [UInt8]
  let signingInput: String

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]),
      let claims = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
      let headerJSON = try? JSONValue(parsing: header),
      let claimsJSON = try? JSONValue(parsing: claims)
    else { return nil }
    self.header = headerJSON
    self.claims = claimsJSON
    self.signature = signature
    signingInput = parts[0] + "." + parts[1]
  }
}

extension RSAPublicKey {
  /// The key of RS256 in an element of a key set; nil for any other key.
  init?(_ jwk: JSONValue) {
    guard jwk["kty"] == "RSA", jwk["alg"] == "RS256", jwk["use"] == "sig",
      let modulus = jwk["n"]?.string.flatMap(Base64URL.decode),
      let exponent = jwk["e"]?.string.flatMap(Base64URL.decode)
    else { return nil }
    self.init(modulus: modulus, exponent: exponent)
  }
}

extension TransportRequest {
  /// A POST of form-encoded parameters.
  static func form(_ url: URL, _ pairs: [(String, String)]) -> TransportRequest {
    TransportRequest(
      method: "POST", url: url,
      headers: ["Content-Type": FormURLEncoding.contentType, "Accept": "application/json"],
      body: Array(FormURLEncoding.encode(pairs).utf8))
  }
}

extension [String: String?] {
  /// The parameters that have a value.
  var pairs: [(String, String)] { compactMap { name, value in value.map { (name, $0) } } }
}

extension JSONValue {
  /// The object with one more member at its end.
  func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    .object(Object((object?.members ?? []) + [Object.Member(name, value)]))
  }
}

/// Changes the account of Ada.
func changeAda(_ org: SimulatedOrg, _ change: (inout SimulatedUser) -> Void) async throws {
  var ada = try await require(org.user(OrgClient.login))
  change(&ada)
  await org.update(ada)
}

/// An org with the user Ada and a clock that does not advance.
func makeOrg(
  _ policy: SignInPolicy = .passwordOnly, _ enrollments: [SimulatedUser.Enrollment] = [],
  status: SimulatedUser.Status = .active, shape: ResponseShape = [],
  issuer: String = "https://demo.okta.example/oauth2/default", clientSecret: Secret? = nil
) -> SimulatedOrg {
  let ada = SimulatedUser(
    login: "ada@shop.example", password: "Analytical-1843", status: status,
    enrollments: enrollments)
  let start = Date(timeIntervalSince1970: 1_900_000_000)
  return SimulatedOrg(
    issuer: issuer, clientSecret: clientSecret, users: [ada], policy: policy, shape: shape, seed: 7,
    clock: { start })
}
