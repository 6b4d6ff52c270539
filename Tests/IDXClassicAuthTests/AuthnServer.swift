import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth

/// Answers requests one by one as it was told to, and keeps what was asked.
actor AuthnServer: Transport {
  struct Answer: Sendable {
    var status = 200
    var headers = ["Content-Type": "application/json"]
    var body: [UInt8]
    /// Whether the answer gets lost on its way.
    var isLost = false

    static func json(_ json: JSONValue, status: Int = 200) -> Answer {
      Answer(status: status, body: json.bytes)
    }

    /// A status of the API, with its links and what is embedded.
    static func state(
      _ status: String, links: JSONValue = [:], embedded: JSONValue = [:], _ more: JSONValue = [:],
      token: JSONValue = "st-1"
    ) -> Answer {
      let json: JSONValue = [
        "stateToken": token, "expiresAt": "2027-01-15T08:05:00.000Z", "status": .string(status),
        "_embedded": embedded, "_links": links,
      ]
      let members = (more.object?.members ?? []) + (json.object?.members ?? [])
      return .json(.object(JSONValue.Object(members.filter { $0.value != .null })))
    }

    static func error(_ code: String, _ summary: String = "No.", status: Int = 403) -> Answer {
      .json(
        ["errorCode": .string(code), "errorSummary": .string(summary), "errorCauses": []],
        status: status)
    }

    static let lost = Answer(body: [], isLost: true)
  }

  private var answers: [Answer]
  /// The requests but those for keys: the method and the path, and the body.
  private(set) var requests: [(line: String, body: JSONValue)] = []
  /// The last address that was asked for.
  private(set) var url: URL?
  /// The header fields of the last request.
  private(set) var headers: [String: String] = [:]

  /// The hosts that were asked.
  private(set) var hosts: Set<String> = []
  /// What answers once nothing else does.
  private var rule: (@Sendable (TransportRequest) -> Answer)?

  init(_ answers: [Answer]) { self.answers = answers }

  /// Answers by a rule from now on.
  func answer(by rule: @escaping @Sendable (TransportRequest) -> Answer) { self.rule = rule }

  /// Answers this next, too.
  func answer(_ answer: Answer) { answers.append(answer) }

  var isUsedUp: Bool { answers.isEmpty }

  func add(_ more: [Answer]) { answers += more }
  var lines: [String] { requests.map(\.line) }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.url.lastPathComponent != "keys" else {
      return TransportResponse(status: 200, body: Array(#"{"keys":[]}"#.utf8))
    }
    let body = (try? JSONValue(parsing: request.body)) ?? .null
    requests.append(("\(request.method) \(request.url.path)", body))
    url = request.url
    hosts.insert(request.url.host ?? "")
    headers = request.headers
    if answers.isEmpty, let rule { answers = [rule(request)] }
    guard !answers.isEmpty else {
      throw TransportError(
        .unreachable, message: "Nothing more is answered.", mayHaveArrived: false)
    }
    let answer = answers.removeFirst()
    guard !answer.isLost else {
      throw TransportError(.connectionLost, message: "It broke.", mayHaveArrived: true)
    }
    return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
  }
}

extension JSONValue {
  static let origin = "https://org.example"

  /// A link of the API; a name where there is one.
  static func link(_ path: String, _ name: String? = nil) -> JSONValue {
    let link: JSONValue = [
      "href": .string("\(origin)/api/v1/authn\(path)"), "hints": ["allow": ["POST"]],
    ]
    guard let name else { return link }
    return .object(
      JSONValue.Object(
        (link.object?.members ?? []) + [JSONValue.Object.Member("name", .string(name))]))
  }

  /// A factor that can be proved, or set up where it has no id.
  static func factor(
    _ type: String, _ provider: String = "OKTA", id: String? = nil, profile: JSONValue = [:],
    embedded: JSONValue = [:]
  ) -> JSONValue {
    let links: JSONValue =
      id.map { ["verify": .link("/factors/\($0)/verify")] } ?? ["enroll": .link("/factors")]
    var object = JSONValue.Object([
      JSONValue.Object.Member("factorType", .string(type)),
      JSONValue.Object.Member("provider", .string(provider)),
      JSONValue.Object.Member("profile", profile),
      JSONValue.Object.Member("_links", links), JSONValue.Object.Member("_embedded", embedded),
    ])
    if let id { object["id"] = .string(id) }
    return .object(object)
  }
}

/// A sign-in by the classic API, and the server that it goes to.
struct AuthnVisit {
  let client: ClassicAuthClient
  let server: AuthnServer
  var state: FlowState

  /// Before the user name is known.
  init(
    _ answers: [AuthnServer.Answer], returning result: ClassicAuthClient.Result = .tokens,
    _ options: StartOptions = StartOptions()
  ) async throws {
    server = AuthnServer(answers)
    client = ClassicAuthClient(transport: server, returning: result)
    state = try await client.start(
      try FlowConfiguration(
        issuer: JSONValue.origin, clientID: "0oa1", redirectURI: "com.example.app:/callback",
        scopes: ["profile"]), options)
  }

  mutating func submit(_ name: Remediation.Name, _ answers: Answers = [:]) async throws {
    state = try await client.proceed(name, answers, from: state)
  }

  mutating func name() async throws {
    try await submit(.identify, ["identifier": "ada@shop.example"])
  }

  mutating func pass() async throws {
    try await name()
    try await submit(.challengeAuthenticator, ["credentials.passcode": "pw"])
  }
}
