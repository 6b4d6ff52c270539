import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg

/// A client that sends parameters to the endpoints of DirectAuth.
struct DirectClient {
  static let otp = "urn:okta:params:oauth:grant-type:otp"
  static let oob = "urn:okta:params:oauth:grant-type:oob"
  static let webAuthn = "urn:okta:params:oauth:grant-type:webauthn"
  static let mfaOTP = "http://auth0.com/oauth/grant-type/mfa-otp"
  static let mfaOOB = "http://auth0.com/oauth/grant-type/mfa-oob"
  static let mfaWebAuthn = "urn:okta:params:oauth:grant-type:mfa-webauthn"
  static let login = "ada@shop.example"
  static let number = "+15550100142"
  static let app = SimulatedUser.Enrollment.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP")
  static let oktaVerify = SimulatedUser.Enrollment.oktaVerify(secret: "NBQXAZDFOJSXGZLB")
  static let phone = SimulatedUser.Enrollment.phone(number)
  static let question = SimulatedUser.Enrollment.securityQuestion(
    question: "Why?", answer: "Because")

  let org: SimulatedOrg
  var response = TransportResponse(status: 0)
  var json: JSONValue = .null

  init(_ org: SimulatedOrg) { self.org = org }

  var status: Int { response.status }
  var error: String? { json["error"]?.string }
  var words: String { json["error_description"]?.string ?? "" }
  var mfaToken: String? { json["mfa_token"]?.string }
  var oobCode: String? { json["oob_code"]?.string }
  var idToken: DecodedToken? { json["id_token"]?.string.flatMap { DecodedToken($0) } }
  var methods: [String] { idToken?.claims["amr"]?.array?.compactMap(\.string) ?? [] }

  mutating func post(_ path: String, _ pairs: [(String, String)]) async throws {
    let url = try require(URL(string: org.issuer.absoluteString + "/v1/" + path))
    response = try await org.send(.form(url, pairs))
    json = try JSONValue(parsing: response.body)
    expectEqual(response.header("Cache-Control"), "no-cache, no-store")
  }

  /// Posts parameters, and the client's id unless it is one of them.
  mutating func post(_ path: String, _ form: [String: String?]) async throws {
    let form = (["client_id": org.clientID] as [String: String?]).merging(form) { $1 }
    try await post(path, form.pairs)
  }

  mutating func ask(_ grant: String, _ form: [String: String?]) async throws {
    let own: [String: String?] = ["grant_type": grant, "scope": "openid profile offline_access"]
    try await post("token", own.merging(form) { $1 })
  }

  mutating func password(
    _ password: String = "Analytical-1843", of login: String = login,
    adding changes: [String: String?] = [:]
  ) async throws {
    let form: [String: String?] = ["username": login, "password": password]
    try await ask("password", form.merging(changes) { $1 })
  }

  mutating func begin(_ channel: String, for login: String = login) async throws {
    try await post(
      "primary-authenticate",
      ["login_hint": login, "challenge_hint": Self.oob, "channel_hint": channel])
  }

  mutating func challenge(
    _ token: String?, _ types: String = mfaOOB, channel: String? = nil
  ) async throws {
    try await post(
      "challenge",
      ["mfa_token": token, "challenge_types_supported": types, "channel_hint": channel])
  }

  /// Whether the last response is this error.
  func expectError(
    _ error: String, _ status: Int = 400, naming name: String = "",
    filePath: StaticString = #filePath, line: Int = #line
  ) {
    expectEqual(self.error, error, filePath: filePath, line: line)
    expectEqual(self.status, status, filePath: filePath, line: line)
    expect(name.isEmpty || words.contains(name), words, filePath: filePath, line: line)
    expect(json["access_token"] == nil, "There is an access token.", filePath: filePath, line: line)
  }

  /// Whether the last response has tokens with the methods that were used.
  func expectTokens(_ methods: [String], filePath: StaticString = #filePath, line: Int = #line) {
    expectEqual(status, 200, words, filePath: filePath, line: line)
    expectEqual(json["token_type"], "Bearer", filePath: filePath, line: line)
    expect(
      json["refresh_token"] != nil, "There is no refresh token.", filePath: filePath, line: line)
    expectEqual(self.methods, methods, filePath: filePath, line: line)
  }
}
