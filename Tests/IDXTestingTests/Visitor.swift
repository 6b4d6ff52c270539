import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

/// A client without an engine: it posts what a test tells it to the forms of the last response.
struct Visitor {
  let org: SimulatedOrg
  let pkce = PKCE()
  /// What stands between the issuer and `/v1`.
  let base: String
  var interactionHandle = ""
  var response = TransportResponse(status: 0)
  var json: JSONValue = .null

  static let ionHeaders = [
    "Content-Type": "application/json", "Accept": "application/ion+json; okta-version=1.0.0",
  ]

  /// A visitor who has begun and sees the first step.
  init(_ org: SimulatedOrg, base: String = "") async throws {
    self.org = org
    self.base = base
    try await interact()
    interactionHandle = try #require(json["interaction_handle"]?.string)
    try await introspect()
  }

  var status: Int { response.status }
  var stateHandle: String { json["stateHandle"]?.string ?? "" }
  var remediations: [String] {
    json["remediation"]?["value"]?.array?.compactMap { $0["name"]?.string } ?? []
  }
  var messageKeys: [String] { keys(in: json["messages"]) }
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

  /// A form anywhere in the response.
  func form(_ name: String) -> JSONValue? { Self.form(name, in: json) }

  // MARK: Requests

  mutating func interact(_ changes: [String: String?] = [:]) async throws {
    var form: [String: String?] = [
      "client_id": org.clientID, "redirect_uri": org.redirectURI, "state": "st-1",
      "scope": "openid offline_access", "code_challenge": pkce.challenge,
      "code_challenge_method": "S256",
    ]
    form.merge(changes) { $1 }
    try await postForm("/v1/interact", form)
  }

  mutating func introspect() async throws {
    try await post("/idp/idx/introspect", ["interactionHandle": .string(interactionHandle)])
  }

  /// Begins anew, with these parameters more.
  mutating func begin(_ changes: [String: String?]) async throws {
    try await interact(changes)
    interactionHandle = try #require(json["interaction_handle"]?.string)
    try await introspect()
  }

  /// The fixed members of the field `authenticator` of the first form.
  var fixedAuthenticator: JSONValue {
    let fields = json["remediation"]?["value"]?[0]?["value"]?[0]?["form"]?["value"]?.array ?? []
    return fields.reduce([:]) { $0.adding($1["name"]?.string ?? "", $1["value"] ?? .null) }
  }

  mutating func redeem(_ changes: [String: String?] = [:]) async throws {
    let fields = json["successWithInteractionCode"]?["value"]?.array ?? []
    let code = fields.first { $0["name"] == "interaction_code" }?["value"]?.string
    var form: [String: String?] = [
      "grant_type": "interaction_code", "interaction_code": code, "client_id": org.clientID,
      "code_verifier": pkce.verifier.revealed,
    ]
    form.merge(changes) { $1 }
    try await postForm("/v1/token", form)
  }

  /// Submits a form of the last response: its state handle and these members.
  mutating func submit(_ name: String, _ members: JSONValue = [:]) async throws {
    let offered = self.form(name)
    let form = try #require(offered, "No form \(name) in \(remediations)")
    let handle = form["value"]?.array?.first { $0["name"] == "stateHandle" }?["value"]
    var body = try #require(members.object)
    body["stateHandle"] = handle
    let url = try #require(URL(string: form["href"]?.string ?? ""))
    try await send(
      TransportRequest(
        method: "POST", url: url, headers: Self.ionHeaders, body: JSONValue.object(body).bytes))
  }

  /// The address of a page for a browser, the first of a name.
  func page(_ name: String) throws -> URL {
    let pages = json["remediation"]?["value"]?.array ?? []
    let page = try #require(pages.first { $0["name"]?.string == name })
    #expect(page["method"] == "GET")
    return try #require(URL(string: page["href"]?.string ?? ""))
  }

  /// What a browser brings back, by name.
  static func query(of url: URL?) throws -> [String: String] {
    let url = try #require(url)
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return Dictionary(items.compactMap { item in item.value.map { (item.name, $0) } }) { $1 }
  }

  mutating func answer(_ passcode: String) async throws {
    try await submit(remediations.first ?? "", ["credentials": ["passcode": .string(passcode)]])
  }

  /// Chooses an option by its label, with more members where it asks for them.
  mutating func choose(_ label: String, in name: String, _ more: JSONValue = [:]) async throws {
    let option = try #require(choices(of: name).first { $0["label"]?.string == label })
    var choice = try #require(more.object)
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

  mutating func post(
    _ path: String, _ body: JSONValue, method: String = "POST",
    headers: [String: String] = Visitor.ionHeaders
  ) async throws {
    let url = try #require(URL(string: path, relativeTo: org.issuer)).absoluteURL
    try await send(TransportRequest(method: method, url: url, headers: headers, body: body.bytes))
  }

  mutating func postForm(_ path: String, _ form: [String: String?]) async throws {
    let pairs = form.compactMap { name, value in value.map { (name, $0) } }
    let url = try #require(URL(string: org.issuer.absoluteString + base + path))
    try await send(
      TransportRequest(
        method: "POST", url: url,
        headers: [
          "Content-Type": FormURLEncoding.contentType, "Accept": "application/json",
        ],
        body: Array(FormURLEncoding.encode(pairs).utf8)))
  }

  /// Sends; a response that stands outside the steps leaves the last step in place.
  mutating func send(_ request: TransportRequest) async throws {
    response = try await org.send(request)
    json = try JSONValue(parsing: response.body)
    if json["remediation"] != nil { try checkConsistency() }
  }

  /// Holds for every step: forms carry the handle of the response, and references lead somewhere.
  private func checkConsistency() throws {
    let response = try IDXResponse(parsing: self.response.body)
    #expect(response.version == "1.0.0")
    for form in response.allForms where form.method == "POST" {
      #expect(form["stateHandle"]?.value?.string == stateHandle)
      #expect(form.href?.hasPrefix("https://demo.okta.example/idp/idx/") == true)
      let isProbe = form.name == "device-challenge-poll"
      if form.raw["relatesTo"] != nil, !isProbe { #expect(!form.authenticators.isEmpty) }
      for field in form.form.fields {
        for option in field.options where option.raw["relatesTo"] != nil {
          #expect(option.authenticator?.displayName == option.label)
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

extension JSONValue {
  /// The object with one more member at its end.
  func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    .object(Object((object?.members ?? []) + [Object.Member(name, value)]))
  }
}

/// An org with Ada in it, at a moment of its own.
func makeOrg(
  _ policy: SignInPolicy = .passwordOnly, _ enrollments: [SimulatedUser.Enrollment] = [],
  status: SimulatedUser.Status = .active, shape: ResponseShape = [],
  issuer: String = "https://demo.okta.example/oauth2/default"
) -> SimulatedOrg {
  let ada = SimulatedUser(
    login: "ada@shop.example", password: "Analytical-1843", status: status,
    enrollments: enrollments)
  let start = Date(timeIntervalSince1970: 1_900_000_000)
  return SimulatedOrg(
    issuer: issuer, users: [ada], policy: policy, shape: shape, seed: 7, clock: { start })
}
