import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

// Ends and errors.
extension ClassicAuthClientTests {
  @Test("A status that nobody knows ends with a message, and its data is kept")
  func unknownStatus() async throws {
    let (_, _, state) = try await pass([
      .state("MFA_TELEPATHY", links: ["cancel": Self.cancel], embedded: ["thought": "blue"])
    ])
    #expect(state.isAtEnd)
    #expect(state.response.messages.first?.text?.contains("MFA_TELEPATHY") == true)
    #expect(state.response.original?["_embedded"]?["thought"] == "blue")
    #expect(state.response.actions.map(\.name) == [.cancel])
  }

  @Test("The session token is traded by a redirect that is read, with PKCE and the state")
  func trade() async throws {
    let (client, server, state) = try await pass([Self.success])
    let redirect = "com.example.app:/callback?code=c-1&state=\(state.redirectState.revealed)"
    await server.add([
      AuthnServer.Answer(status: 302, headers: ["Location": redirect], body: []),
      .json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600]),
    ])
    let credential = try await client.redeem(state)
    #expect(credential.tokens.accessToken == "at-1" && credential.username == "ada@shop.example")
    #expect(
      await server.lines.suffix(2) == [
        "GET /oauth2/default/v1/authorize", "POST /oauth2/default/v1/token",
      ])
  }

  @Test("A redirect that belongs to another sign-in, or refuses, gives no tokens")
  func refusedTrade() async throws {
    let (client, server, state) = try await pass([Self.success])
    func answer(_ query: String) -> AuthnServer.Answer {
      AuthnServer.Answer(
        status: 302, headers: ["Location": "com.example.app:/callback?\(query)"], body: [])
    }
    let own = state.redirectState.revealed
    await server.add([
      answer("code=c-1&state=other"),
      answer("error=login_required&error_description=session-1+is+used&state=\(own)"),
      .json([:], status: 200),
    ])
    let mismatch = await #expect(throws: FlowError.self) { try await client.redeem(state) }
    #expect(mismatch?.code == .redirectMismatch)
    let refused = await #expect(throws: FlowError.self) { try await client.redeem(state) }
    #expect(refused?.code == .refused)
    await #expect(throws: FlowError.self) { try await client.redeem(state) }
  }

  @Test("Where the session token is wanted, the sign-in ends with it and is not traded")
  func sessionToken() async throws {
    let (client, server, state) = try await pass([Self.success], returning: .sessionToken)
    #expect(state.isAtEnd && !state.isSignedIn && state.sessionToken == "session-1")
    await #expect(throws: FlowError.self) { try await client.redeem(state) }
    #expect(await server.requests.count == 1)
    #expect(!String(reflecting: state).contains("session-1") && !"\(state)".contains("session-1"))
  }

  @Test("A lost answer is looked up and not sent twice")
  func lostAnswer() async throws {
    let google = JSONValue.factor("token:software:totp", "GOOGLE", id: "f1")
    let sms = JSONValue.factor("sms", id: "f2")
    let (client, server, state) = try await pass([
      required(google, sms), .lost, challenge(sms, next: "verify"),
    ])
    let next = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(next.response.remediations.first?.name == .challengeAuthenticator)
    #expect(await server.requests.last?.line == "POST /api/v1/authn")
    #expect(await server.requests.last?.body == ["stateToken": "st-1"])
  }

  @Test("An expired sign-in ends; a rate limit and a page that is none are errors")
  func errors() async throws {
    let (client, server, state) = try await pass([
      required(.factor("question", id: "f1"), .factor("sms", id: "f2")),
      .error("E0000011", "Invalid token provided", status: 401),
    ])
    let ended = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
    #expect(ended.isAtEnd && ended.response.says(.sessionExpired))
    await server.add([
      .error("E0000047", "Too many", status: 429),
      AuthnServer.Answer(status: 200, headers: [:], body: Array("<html>".utf8)),
    ])
    for code in [FlowError.Code.rateLimited, .unexpectedResponse] {
      let error = await #expect(throws: FlowError.self) {
        try await client.proceed(
          .selectAuthenticatorAuthenticate, ["authenticator": .option(1)], from: state)
      }
      #expect(error?.code == code)
    }
  }

  @Test("A link to another host is refused, and nothing is sent")
  func foreignLink() async throws {
    var factor = JSONValue.factor("sms", id: "f2").object ?? JSONValue.Object()
    factor["_links"] = ["verify": ["href": "https://evil.example/api/v1/authn/factors/f2/verify"]]
    let (client, server, state) = try await pass([
      required(.object(factor), .factor("question", id: "f1"))
    ])
    let error = await #expect(throws: FlowError.self) {
      try await client.proceed(
        .selectAuthenticatorAuthenticate, ["authenticator": .option(0)], from: state)
    }
    #expect(error?.code == .hrefRefused)
    #expect(await server.requests.count == 1)
  }

  @Test("A state of another protocol is refused")
  func otherProtocol() async throws {
    let (_, server, state) = try await pass([required(.factor("sms", id: "f1")), Self.success])
    let idx = IDXClient(transport: server)
    let error = await #expect(throws: FlowError.self) { try await idx.refresh(state) }
    #expect(error?.code == .unreadableState)
  }
}
