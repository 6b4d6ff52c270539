import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Saved states.
struct FlowStateTests {
  private func encoded(_ state: FlowState) throws -> String {
    String(decoding: try state.snapshot(), as: UTF8.self)
  }

  private func decoded(_ text: String) throws -> FlowState {
    try FlowState(snapshot: Data(text.utf8), for: TestSignIn().configuration)
  }

  @Test("Another process can continue a sign-in at any step, from an equal state")
  func otherProcess() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    func restart(_ state: FlowState) throws -> (IDXClient, FlowState) {
      let copy = try decoded(encoded(state))
      expectEqual(copy, state)
      expectEqual(copy.response.raw.bytes, state.response.raw.bytes)
      return (test.org.client, copy)
    }
    var (client, state) = try await restart(test.client.start(test.configuration))
    let steps: [(Remediation.Name, Answers)] = [
      (.identify, ["identifier": .text(TestSignIn.login)]),
      (.challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)]),
      (.selectAuthenticatorEnroll, ["authenticator": .authenticator(.googleAuthenticator)]),
    ]
    for (name, answers) in steps {
      (client, state) = try restart(try await client.proceed(name, answers, from: state))
    }
    let code = try await require(test.org.authenticatorCode(for: TestSignIn.login))
    (client, state) = try restart(
      try await client.proceed(
        .enrollAuthenticator, ["credentials.passcode": .text(code)], from: state))
    try await expectEqual(client.redeem(state).scopes, ["openid", "profile"])
  }

  @Test("A coordinator continues a saved sign-in", arguments: [true, false])
  func coordinator(refreshes: Bool) async throws {
    let test = try TestSignIn()
    var state = try decoded(encoded(await test.afterUsername()))
    if refreshes { state = try await test.org.client.refresh(state) }
    let person = test.person([.password])
    let coordinator = FlowCoordinator(client: test.org.client, handlers: .showing(on: person))
    let outcome = try await coordinator.run(from: state)
    try await person.finish()
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    await expectEqual(test.transport.count(of: "interact"), 1)
  }

  @Test(
    "A state with format 1 is still read, and one with a newer format is refused"
  )
  func olderVersion() async throws {
    let test = try TestSignIn()
    let saved = try encoded(await test.client.start(test.configuration))
    var json = try require(JSONValue(parsing: saved.utf8).object)
    json = JSONValue.Object(json.members.filter { $0.name != "flowProtocol" })
    json["version"] = 1
    func read() throws -> FlowState {
      try decoded(String(decoding: JSONValue.object(json).bytes, as: UTF8.self))
    }
    try expect(read().signInProtocol == .idx && !read().isSignedIn)
    json["returnedCode"] = "code-1"
    try expectEqual(read().success, .code("code-1"))
    json["returnedCode"] = nil
    json["interactionHandle"] = ""
    let tokens = try JSONValue(
      parsing: JSONEncoder().encode(
        try Tokens(parsing: Array(#"{"access_token":"at","token_type":"Bearer"}"#.utf8))))
    json["tokens"] = tokens
    let ended = try read()
    expectEqual(ended.signInProtocol, .direct)
    let isTokens = if case .tokens? = ended.success { true } else { false }
    expect(isTokens)

    let newer = try await changed { json in
      expectEqual(json["version"], 5)
      json["version"] = 6
    }
    let error = try await requireError(FlowError.self) { try decoded(newer) }
    expectEqual(error.code, .unreadableState)
    expectContains(error.message, "format 6")
    expectContains(error.message, "formats 1 to 5")
  }

  @Test(
    "A state without a required member, or with an invalid one, is refused as damaged",
    .promise("damaged-state"),
    arguments: [
      #""response":"no JSON""#, #""response":"{}""#, #""response":7"#,
      #""pkce":{"verifier":"short"}"#, #""configuration":{}"#, "version", "configuration",
      "interactionHandle", "pkce", "redirectState", "nonce", "response", "status",
    ])
  func damagedMember(part: String) async throws {
    let broken = try await changed { json in
      guard part.hasPrefix("\"") else {
        expect(json[part] != nil)
        json[part] = nil
        return
      }
      let member = try require(JSONValue(parsing: "{\(part)}".utf8).object?.members.first)
      json[member.name] = member.value
    }
    try await expectEqual(
      requireError(FlowError.self) { try decoded(broken) }.code, .unreadableState)
  }

  @Test(
    "A saved state of another configuration is refused", .promise("state-owner"),
    arguments: [
      ("issuer", "https://id.evil.example/oauth2/default"), ("clientID", "0oaOther"),
      ("redirectURI", "com.evil.example:/callback"),
      ("issuer", "http://id.shop.example/oauth2/default"),
    ])
  func otherConfiguration(name: String, value: String) async throws {
    let other = try await changed { json in
      var configuration = try require(json["configuration"]?.object)
      expect(configuration[name] != nil)
      configuration[name] = .string(value)
      json["configuration"] = .object(configuration)
    }
    try await expectEqual(
      requireError(FlowError.self) { try decoded(other) }.code, .unreadableState)
  }

  /// The encoded form of a new state, after a change.
  private func changed(_ change: (inout JSONValue.Object) throws -> Void) async throws -> String {
    let test = try TestSignIn()
    let saved = try encoded(await test.client.start(test.configuration))
    var json = try require(JSONValue(parsing: saved.utf8).object)
    try change(&json)
    return String(decoding: JSONValue.object(json).bytes, as: UTF8.self)
  }
}
