import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import SignInSupport
import Testing

/// Sign-ins saved in format 2, with the client's state in the forms.
struct OlderStateTests {
  /// Refuses and records every request.
  private let refusing = RequestLog(
    StubServer(document: [:]) { _ in
      .json(
        ["error": "invalid_grant", "errorCode": "E0000068", "errorSummary": "No."], status: 400)
    })

  /// The body of the last request.
  private var body: String {
    get async { String(decoding: await refusing.requests.last?.body ?? [], as: UTF8.self) }
  }

  private func saved(_ name: String) throws -> FlowState {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "SavedStates")
    let data = try Data(contentsOf: folder.appending(path: name + ".json"))
    expectContains(String(decoding: data, as: UTF8.self), #""version" : 2"#)
    let configuration = try require(JSONValue(parsing: data)["configuration"]).bytes
    let state = try FlowState(
      snapshot: data,
      for: JSONDecoder().decode(FlowConfiguration.self, from: Data(configuration)))
    // In the new format, the client's state is a separate member.
    let again = try state.snapshot()
    try expectEqual(JSONValue(parsing: again)["version"], 5)
    try expectEqual(FlowState(snapshot: again, for: state.configuration), state)
    return state
  }

  @Test("DirectAuth verifies a second factor with the saved tokens")
  func directAuth() async throws {
    let state = try saved("direct-second-factor")
    let client = DirectAuthClient(transport: refusing)
    let next = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "123456"], from: state)
    let body = await self.body
    let mfaToken = try require(state.clientState?["mfa_token"]?.string)
    let outOfBandCode = try require(state.clientState?["oob_code"]?.string)
    expectContains(body, "mfa_token=\(mfaToken)")
    expect(body.contains("oob_code=\(outOfBandCode)") && body.contains("binding_code=123456"))
    expectEqual(next.clientState, state.clientState)
    // The choice of another factor removes the data of the previous one.
    _ = try? await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .optionNamed("Email")], from: state)
    let choice = await self.body
    expect(choice.contains("mfa_token=\(mfaToken)") && choice.contains("channel_hint=email"))
    expect(!choice.contains(outOfBandCode))
  }

  @Test(
    "The classic API gets the password with the saved username, and the answer for the chosen factor"
  )
  func classic() async throws {
    let state = try saved("classic-password")
    let client = ClassicAuthClient(transport: refusing)
    _ = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "Analytical-1843"], from: state)
    let body = try JSONValue(parsing: await self.body.utf8)
    expect(body["username"] == "ada@example.com" && body["password"] == "Analytical-1843")
    let chosen = try saved("classic-question")
    expectEqual(chosen.clientState?["factor"]?.string?.hasPrefix("ufs"), true)
    let next = try await client.proceed(
      .challengeAuthenticator, ["credentials.answer": "algebraic patterns"], from: chosen)
    let answer = try JSONValue(parsing: await self.body.utf8)
    expect(answer["answer"] == "algebraic patterns" && answer["stateToken"]?.string != nil)
    expectEqual(next.clientState, chosen.clientState)
  }

  @Test("Forms of other clients contain only a person's answers")
  func forms() async throws {
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example/oauth2/default", clientID: "app",
      redirectURI: "com.example.demo:/callback", scopes: ["profile"])
    let clients: [any FlowClient] = [
      DirectAuthClient(transport: refusing), ClassicAuthClient(transport: refusing),
    ]
    for client in clients {
      let state = try await client.proceed(
        .identify, ["identifier": "ada@example.com"], from: client.start(configuration))
      expect(state.clientState != nil)
      for form in state.response.allForms {
        expect(form.form.fields.allSatisfy { !$0.isFixed }, "\(form.name)")
      }
    }
  }
}
