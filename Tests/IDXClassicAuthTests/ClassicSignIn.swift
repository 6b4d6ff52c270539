import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXOAuth

/// A sign-in to a server with prepared answers.
struct ClassicSignIn {
  static var configuration: FlowConfiguration {
    get throws {
      try FlowConfiguration(
        issuer: JSONValue.origin + "/oauth2/default", clientID: "0oa1",
        redirectURI: "com.example.app:/callback", scopes: ["profile"])
    }
  }

  let client: ClassicAuthClient
  let server: ScriptedServer
  var state: FlowState

  /// Starts a sign-in.
  init(
    _ answers: [ScriptedServer.Response], endingWith end: ClassicAuthClient.End = .tokens,
    _ options: StartOptions = StartOptions()
  ) async throws {
    server = ScriptedServer(answers)
    client = ClassicAuthClient(transport: server, endingWith: end)
    state = try await client.start(Self.configuration, options)
  }

  /// A sign-in after the username.
  static func afterUsername(_ answers: ScriptedServer.Response...) async throws -> ClassicSignIn {
    var signIn = try await ClassicSignIn(answers)
    try await signIn.enterUsername()
    return signIn
  }

  /// A sign-in after the username and the password; the first answer is the one to the password.
  static func afterPassword(
    _ answers: ScriptedServer.Response..., endingWith end: ClassicAuthClient.End = .tokens
  ) async throws -> ClassicSignIn {
    var signIn = try await ClassicSignIn(answers, endingWith: end)
    try await signIn.enterUsername()
    try await signIn.enter("pw")
    return signIn
  }

  mutating func submit(_ name: Remediation.Name, _ answers: Answers = [:]) async throws {
    state = try await client.proceed(name, answers, from: state)
  }

  mutating func enterUsername() async throws {
    try await submit(.identify, ["identifier": "ada@shop.example"])
  }

  /// Enters a password or a code.
  mutating func enter(_ passcode: Answer) async throws {
    try await submit(.challengeAuthenticator, ["credentials.passcode": passcode])
  }

  /// Chooses a factor to prove, or a channel for recovery.
  mutating func choose(_ factor: Answer) async throws {
    try await submit(.selectAuthenticatorAuthenticate, ["authenticator": factor])
  }

  /// Chooses a factor to set up.
  mutating func enroll(_ factor: Answer) async throws {
    try await submit(.selectAuthenticatorEnroll, ["authenticator": factor])
  }

  mutating func poll() async throws { state = try await client.poll(state) }

  var response: IDXResponse { state.response }
  var names: [Remediation.Name] { state.response.remediations.map(\.name) }
  /// The first form as a step.
  var step: Step? { response.remediations.first.map { Step($0, state: state) } }
}

/// A server that sends prepared answers and records the requests.
actor ScriptedServer: Transport {
  struct Response: Sendable {
    var status = 200
    var headers = ["Content-Type": "application/json"]
    var body: [UInt8]
    /// Whether the answer is lost after the request arrived.
    var isLost = false

    static let lost = Response(body: [], isLost: true)
  }

  private var answers: [Response]
  /// The answer to every request after the prepared ones.
  private var rule: (@Sendable (TransportRequest) -> Response)?
  /// The methods, paths and bodies of the requests, without those for keys.
  private(set) var requests: [(line: String, body: JSONValue)] = []
  /// The address of the last request.
  private(set) var url: URL?
  /// The header fields of the last request.
  private(set) var headers: [String: String] = [:]
  /// The hosts of all requests.
  private(set) var hosts: Set<String> = []

  init(_ answers: [Response]) { self.answers = answers }

  func add(_ more: Response...) { answers += more }

  func answer(by rule: @escaping @Sendable (TransportRequest) -> Response) { self.rule = rule }

  var isUsedUp: Bool { answers.isEmpty }
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
      throw TransportError(.unreachable, message: "No answer is left.", mayHaveArrived: false)
    }
    let answer = answers.removeFirst()
    guard !answer.isLost else {
      throw TransportError(.connectionLost, message: "The answer was lost.", mayHaveArrived: true)
    }
    return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
  }
}

// MARK: - Answers

extension ScriptedServer.Response {
  static let success = json([
    "status": "SUCCESS", "sessionToken": "session-1", "expiresAt": "2027-01-15T08:05:00.000Z",
    "_embedded": user,
  ])

  private static let user: JSONValue = [
    "user": ["id": "00u1", "profile": ["login": "ada@shop.example"]]
  ]

  static func json(_ json: JSONValue, status: Int = 200) -> Self {
    Self(status: status, body: json.bytes)
  }

  static func error(_ code: String, _ summary: String = "No.", status: Int = 403) -> Self {
    .json(
      ["errorCode": .string(code), "errorSummary": .string(summary), "errorCauses": []],
      status: status)
  }

  static func redirect(_ query: String) -> Self {
    Self(status: 302, headers: ["Location": "com.example.app:/callback?\(query)"], body: [])
  }

  /// A transaction with a status, links and embedded objects.
  static func state(
    _ status: String, links: JSONValue = [:], embedded: JSONValue = [:], _ more: JSONValue = [:],
    token: JSONValue = "st-1"
  ) -> Self {
    let json: JSONValue = [
      "stateToken": token, "expiresAt": "2027-01-15T08:05:00.000Z", "status": .string(status),
      "_embedded": embedded, "_links": links,
    ]
    let members = (more.object?.members ?? []) + (json.object?.members ?? [])
    return .json(.object(JSONValue.Object(members.filter { $0.value != .null })))
  }

  static func mfaRequired(_ factors: JSONValue...) -> Self {
    .state(
      "MFA_REQUIRED", links: ["cancel": .link("/cancel", "cancel")],
      embedded: ["user": user["user"] ?? .null, "factors": .array(factors)])
  }

  static func mfaChallenge(
    _ factor: JSONValue, next: String = "verify", result: String = "CHALLENGE"
  ) -> Self {
    .state(
      "MFA_CHALLENGE",
      links: [
        "next": .link("/factors/f1/verify", next), "prev": .link("/previous", "prev"),
        "cancel": .link("/cancel", "cancel"),
        "resend": [.link("/factors/f1/verify/resend", "sms")],
      ], embedded: ["factor": factor], ["factorResult": .string(result)])
  }

  static func mfaEnroll(_ factors: JSONValue..., links: JSONValue = [:]) -> Self {
    .state("MFA_ENROLL", links: links, embedded: ["factors": .array(factors)])
  }

  /// The activation of a factor; `next` is the name of its link.
  static func mfaEnrollActivate(
    _ factor: JSONValue, next: String = "activate", result: String? = nil, resend: JSONValue = []
  ) -> Self {
    let path = "/factors/f1/lifecycle/activate" + (next == "poll" ? "/poll" : "")
    return .state(
      "MFA_ENROLL_ACTIVATE", links: ["next": .link(path, next), "resend": resend],
      embedded: ["factor": factor], ["factorResult": result.map(JSONValue.string) ?? .null])
  }
}

extension JSONValue {
  static let origin = "https://org.example"

  /// A link of the API.
  static func link(_ path: String, _ name: String? = nil) -> JSONValue {
    let link: JSONValue = [
      "href": .string("\(origin)/api/v1/authn\(path)"), "hints": ["allow": ["POST"]],
    ]
    guard let name else { return link }
    return .object(
      JSONValue.Object(
        (link.object?.members ?? []) + [JSONValue.Object.Member("name", .string(name))]))
  }

  /// A factor that can be proved, or that can be set up if it has no ID.
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

  /// A security question that can be set up, with a link to the questions that can be chosen.
  static var questionFactor: JSONValue {
    var question = JSONValue.factor("question").object ?? JSONValue.Object()
    question["_links"] = ["enroll": .link("/factors"), "questions": .link("/questions")]
    return .object(question)
  }
}
