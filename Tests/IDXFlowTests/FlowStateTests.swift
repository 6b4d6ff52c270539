import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("Saved sign-ins")
struct FlowStateTests {
  private func encoded(_ state: FlowState) throws -> String {
    String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
  }

  private func decoded(_ text: String) throws -> FlowState {
    try JSONDecoder().decode(FlowState.self, from: Data(text.utf8))
  }

  @Test("A state comes back from its encoded form as it was")
  func roundTrip() async throws {
    let world = try World()
    let state = try await world.identified()
    let copy = try decoded(encoded(state))
    #expect(copy == state)
    #expect(copy.response.raw.bytes == state.response.raw.bytes)
  }

  @Test("Another process can go on from it, at any step, with a client of its own")
  func otherProcess() async throws {
    let world = try World(.required(.googleAuthenticator))
    func restart(_ state: FlowState) throws -> (IDXClient, FlowState) {
      (world.org.client, try decoded(encoded(state)))
    }
    var (client, state) = try await restart(world.client.start(world.configuration))
    let steps: [(Remediation.Name, Answers)] = [
      (.identify, ["identifier": .value(.string(World.login))]),
      (.challengeAuthenticator, ["credentials.passcode": .value(.string(World.password))]),
      (.selectAuthenticatorEnroll, ["authenticator": .optionNamed("google_otp")]),
    ]
    for (name, answers) in steps {
      (client, state) = try restart(try await client.proceed(name, answers, from: state))
    }
    let code = try #require(await world.org.authenticatorCode(for: World.login))
    (client, state) = try restart(
      try await client.proceed(
        .enrollAuthenticator, ["credentials.passcode": .value(.string(code))], from: state))
    #expect(try await client.redeem(state).scopes == ["openid", "profile"])
  }

  @Test("A coordinator takes up a saved sign-in where it stands")
  func coordinator() async throws {
    let world = try World()
    let saved = try encoded(await world.identified())
    let person = world.person([.password])
    let outcome = try await world.coordinator(.asking(person)).run(from: decoded(saved))
    try await person.finish()
    #expect(outcome.signIn?.user?.identifier == World.login)
  }

  @Test("A state of a newer version is refused, naming both versions")
  func newerVersion() async throws {
    let world = try World()
    let text = try encoded(await world.client.start(world.configuration))
    let newer = text.replacingOccurrences(of: "\"version\":3", with: "\"version\":4")
    #expect(newer != text)
    let error = try await flowError { try decoded(newer) }
    #expect(error.code == .unreadableState)
    #expect(error.message.contains("format 4"))
    #expect(error.message.contains("formats 1 to 3"))
  }

  @Test("A state of the version before still says which client it is for, and what it ended in")
  func olderVersion() async throws {
    let world = try World()
    let saved = try encoded(await world.client.start(world.configuration))
    var json = try #require(try JSONValue(parsing: saved.utf8).object)
    json = JSONValue.Object(json.members.filter { $0.name != "flowProtocol" })
    json["version"] = 1
    func read() throws -> FlowState {
      try decoded(String(decoding: JSONValue.object(json).bytes, as: UTF8.self))
    }
    #expect(try read().flowProtocol == .identityEngine && !read().isSignedIn)
    json["returnedCode"] = "code-1"
    #expect(try read().success == .code("code-1"))
    json["returnedCode"] = nil
    json["interactionHandle"] = ""
    let tokens = try JSONValue(
      parsing: JSONEncoder().encode(
        try Tokens(parsing: Array(#"{"access_token":"at","token_type":"Bearer"}"#.utf8))))
    json["tokens"] = tokens
    let ended = try read()
    #expect(ended.flowProtocol == .directAuth)
    let isTokens = if case .tokens? = ended.success { true } else { false }
    #expect(isTokens)
  }

  @Test(
    "A state that lacks a part is refused as damaged",
    arguments: [
      "version", "configuration", "interactionHandle", "pkce", "redirectState", "nonce", "response",
      "status",
    ])
  func missingPart(name: String) async throws {
    let world = try World()
    let text = try encoded(await world.client.start(world.configuration))
    let broken = text.replacingOccurrences(of: "\"\(name)\":", with: "\"was-\(name)\":")
    #expect(broken != text)
    let error = try await flowError { try decoded(broken) }
    #expect(error.code == .unreadableState)
  }

  @Test(
    "A state whose parts make no sense is refused as damaged",
    arguments: [
      #""response":"no JSON""#, #""response":"{}""#, #""response":7"#,
      #""pkce":{"verifier":"short"}"#, #""configuration":{}"#,
    ])
  func senselessPart(part: String) async throws {
    let world = try World()
    let saved = try encoded(await world.client.start(world.configuration))
    var json = try #require(try JSONValue(parsing: saved.utf8).object)
    let member = try #require(try JSONValue(parsing: "{\(part)}".utf8).object?.members.first)
    json[member.name] = member.value
    let broken = String(decoding: JSONValue.object(json).bytes, as: UTF8.self)
    let error = try await flowError { try decoded(broken) }
    #expect(error.code == .unreadableState)
  }

  @Test("A saved state that was made to lead to plain http is refused")
  func downgraded() async throws {
    let world = try World()
    let saved = try encoded(await world.client.start(world.configuration))
    var json = try #require(try JSONValue(parsing: saved.utf8).object)
    var configuration = try #require(json["configuration"]?.object)
    configuration["issuer"] = "http://id.shop.example/oauth2/default"
    json["configuration"] = .object(configuration)
    let broken = String(decoding: JSONValue.object(json).bytes, as: UTF8.self)
    #expect(throws: FlowError.self) { try decoded(broken) }
  }
}
