import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Apps with a client secret.
struct ClientAuthenticationTests {
  /// A secret and a client ID with characters that must be encoded.
  private static let secret: Secret = "s3cr3t: +%&=é/§-confidential"
  private static let clientID = "0oa shop:1"
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  enum Method: String, CaseIterable, CustomTestStringConvertible {
    case basic, post

    var testDescription: String { rawValue }

    func authentication(_ secret: Secret, _ app: FlowConfiguration) -> ClientAuthentication {
      switch self {
      case .basic: .secretBasic(secret, for: app)
      case .post: .secretPost(secret, for: app)
      }
    }
  }

  /// An org whose errors have this text.
  private struct QuotingOrg: Transport {
    let org: SimulatedOrg
    let text: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      var response = try await org.send(request)
      if response.status >= 400 {
        let body: JSONValue = ["error": "invalid_client", "error_description": .string(text)]
        response.body = body.bytes
      }
      return response
    }
  }

  private func org(secret: Secret? = Self.secret) -> SimulatedOrg {
    SimulatedOrg(
      clientID: Self.clientID, clientSecret: secret, users: [.demo], policy: .passwordOnly, seed: 1,
      clock: { Self.now })
  }

  private func configuration(of org: SimulatedOrg) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: ["openid", "profile", "offline_access"])
  }

  private func tokens(
    _ transport: any Transport, _ authentication: ClientAuthentication?
  ) -> TokenClient {
    TokenClient(transport: transport, authentication: authentication, now: { Self.now })
  }

  @Test(
    "The app signs in, refreshes and revokes with its secret, in every protocol",
    .promise("client-secret"),
    arguments: SignInProtocol.all, Method.allCases)
  func everyRequest(signInProtocol: SignInProtocol, method: Method) async throws {
    let org = org()
    let log = RequestLog(org)
    let configuration = try configuration(of: org)
    let authentication = method.authentication(Self.secret, configuration)
    let tokens = tokens(log, authentication)
    await signInProtocol.prepare(org)
    let client = signInProtocol.client(over: log, tokens)
    let state = try await client.afterPassword(configuration)
    let credential = try await client.redeem(state)
    let renewed = try await tokens.refresh(credential)
    try await tokens.revoke(.refresh, of: renewed)
    try await expectEqual(
      requireError(FlowError.self) { try await tokens.refresh(renewed) }.code, .signInNeeded)

    let requests = await log.requests + log.keyRequests
    let form = requests.filter { $0.headers["Content-Type"] == TokenRequest.contentType }
    expect(form.contains { $0.url.path.hasSuffix("/revoke") })
    for request in form {
      let body = String(decoding: request.body, as: UTF8.self)
      expectEqual(body.contains("client_secret="), (method == .post), "\(request)")
      expectEqual(body.contains("client_id="), (method == .post), "\(request)")
      expectEqual((request.headers["Authorization"] != nil), (method == .basic), "\(request)")
    }
    // Only requests of the app contain its secret.
    for request in requests where !form.contains(request) {
      expectEqual(request.headers["Authorization"], nil)
    }
    let saved = try String(decoding: state.snapshot(), as: UTF8.self)
    let stored = String(decoding: try JSONEncoder().encode(renewed), as: UTF8.self)
    let values = [authentication, tokens, client, form] as [Any]
    for text in [saved, stored] + values.map(printedTexts) {
      expect(!text.contains("s3cr3t") && !text.contains("confidential"))
    }
  }

  @Test("The header field contains the form-encoded client ID and secret")
  func headerField() async throws {
    let org = org()
    let log = RequestLog(org)
    let configuration = try configuration(of: org)
    let client = SignInProtocol.idx.client(
      over: log, tokens(log, .secretBasic(Self.secret, for: configuration)))
    _ = try await client.start(configuration)
    let request = try await require(log.requests.first { $0.url.path.hasSuffix("/interact") })
    let words = try require(request.headers["Authorization"]).split(separator: " ")
    expectEqual(words.first, "Basic")
    let pair = try require(Data(base64Encoded: String(words[1])))
    expectEqual(
      String(decoding: pair, as: UTF8.self),
      "0oa+shop%3A1:s3cr3t%3A+%2B%25%26%3D%C3%A9%2F%C2%A7-confidential")
  }

  @Test(
    "A wrong secret is invalid_client, in every protocol, and the error does not show it",
    .promise("client-secret"),
    arguments: SignInProtocol.all, Method.allCases)
  func wrongSecret(signInProtocol: SignInProtocol, method: Method) async throws {
    let org = org()
    let wrong: Secret = "wrong-s3cr3t +1"
    // The server quotes what it got.
    let quoting = QuotingOrg(org: org, text: "Not the secret: \(wrong.revealed).")
    let configuration = try configuration(of: org)
    await signInProtocol.prepare(org)
    let client = signInProtocol.client(
      over: quoting, tokens(quoting, method.authentication(wrong, configuration)))
    let error = try await requireError(FlowError.self) {
      try await client.redeem(client.afterPassword(configuration))
    }
    expectEqual(error.code, .refused)
    expectEqual((error.underlying as? OAuthError)?.code, .invalidClient)
    expectContains(error.message, "Check the client ID and the client secret.")
    expect(!"\(error)".contains("wrong-s3cr3t"))
    expect(!"\(String(describing: error.underlying))".contains("wrong-s3cr3t"))
  }

  @Test("A secret that is missing, or that the app does not have, is invalid_client")
  func missingSecret() async throws {
    let org = org()
    let client = SignInProtocol.idx.client(over: org, tokens(org, nil))
    let configuration = try configuration(of: org)
    // A sign-in needs no secret before its code is exchanged for tokens.
    let state = try await client.afterPassword(configuration)
    let error = try await requireError(FlowError.self) { try await client.redeem(state) }
    expectEqual((error.underlying as? OAuthError)?.code, .invalidClient)
    expectContains(error.message, "If the app has a client secret, the client needs it too.")
    for method in Method.allCases {
      let plain = self.org(secret: nil)
      let app = try self.configuration(of: plain)
      let needless = SignInProtocol.idx.client(
        over: plain, tokens(plain, method.authentication(Self.secret, app)))
      let refusal = try await requireError(FlowError.self) { try await needless.start(app) }
      expectEqual((refusal.underlying as? OAuthError)?.code, .invalidClient)
    }
  }

  @Test("A refused authentication does not use up the code of the sign-in")
  func codeStaysValid() async throws {
    let org = org()
    let configuration = try configuration(of: org)
    let right = SignInProtocol.idx.client(
      over: org, tokens(org, .secretPost(Self.secret, for: configuration)))
    let wrong = SignInProtocol.idx.client(
      over: org, tokens(org, .secretPost("wrong", for: configuration)))
    let state = try await right.afterPassword(configuration)
    try await expectEqual(
      requireError(FlowError.self) { try await wrong.redeem(state) }.code, .refused)
    try await expect(right.redeem(state).tokens.refreshToken != nil)
  }

  @Test("The secret is not sent for another app, nor to another issuer", .promise("client-secret"))
  func otherApp() async throws {
    let org = org()
    let log = RequestLog(org)
    let configuration = try configuration(of: org)
    let tokens = tokens(log, .secretBasic(Self.secret, for: configuration))
    let client = SignInProtocol.idx.client(over: log, tokens)
    let others = [
      ("https://evil.example", org.clientID), (org.issuer.absoluteString, "0oaAnother"),
    ]
    for (issuer, clientID) in others {
      let other = try FlowConfiguration(
        issuer: issuer, clientID: clientID, redirectURI: org.redirectURI)
      let id = Credential.ID(issuer: other.issuer, clientID: clientID, subject: nil)
      let credential = Credential(
        id: id, tokens: Tokens(accessToken: "a", refreshToken: "r"), receivedAt: Self.now)
      for error in [
        try await requireError(FlowError.self) { try await client.start(other) },
        try await requireError(FlowError.self) { try await tokens.refresh(credential) },
        try await requireError(FlowError.self) { try await tokens.revoke(.access, of: credential) },
      ] {
        expectEqual(error.code, .invalidConfiguration)
        expectContains(error.message, "Nothing was sent.")
      }
    }
    await expectEmpty(log.requests + log.keyRequests)
  }

  @Test("The simulated org refuses two ways to authenticate in one request")
  func twoWays() async throws {
    let org = org()
    for parameter in ["client_id=0oa+shop%3A1", "client_secret=x"] {
      let response = try await org.send(
        TransportRequest(
          method: "POST", url: org.issuer.appending(path: "v1/revoke"),
          headers: [
            "Content-Type": TokenRequest.contentType, "Authorization": "Basic eDp5",
          ], body: Array("token=t&\(parameter)".utf8)))
      expectEqual(response.status, 401)
      expectEqual(OAuthError(parsing: response.body)?.code, .invalidRequest)
    }
  }
}
