import IDXBase
import Foundation
import IDX
import Testing

@testable import IDXFlow
@testable import IDXOAuth

@Suite("A server that repeats what it was sent")
struct EchoTests {
  /// Where a refusal repeats the request.
  enum Place: CaseIterable {
    case explanation, code, summary, challenge, requestID
  }

  private func isRefused(
    at path: String, _ place: Place, _ body: (World, IDXClient, TokenClient) async throws -> Void
  ) async throws -> FlowError {
    let world = try World(scopes: ["openid", "offline_access"])
    let echo = EchoingTransport(next: world.line, path: path, place: place)
    let tokens = TokenClient(transport: echo, now: { [org = world.org] in org.now })
    let client = IDXClient(
      transport: echo, tokens: tokens, random: RandomBytes { [UInt8](repeating: 7, count: $0) })
    let error = try await flowError { try await body(world, client, tokens) }
    #expect("\(error)".contains("‹secret›"), "The server's words are not quoted.")
    return error
  }

  private func showsNothing(_ error: FlowError, of secrets: [String]) {
    var text = "\(error)" + String(reflecting: error) + error.localizedDescription
    dump(error, to: &text)
    for secret in secrets {
      #expect(!secret.isEmpty && !text.contains(secret))
    }
  }

  @Test("The state and the nonce of a sign-in are not quoted", arguments: Place.allCases)
  func start(_ place: Place) async throws {
    let error = try await isRefused(at: "/interact", place) { world, client, _ in
      _ = try await client.start(world.configuration)
    }
    let random = RandomBytes { [UInt8](repeating: 7, count: $0) }
    showsNothing(error, of: [random.token(), PKCE(random: random).challenge])
    #expect(place == .requestID || "\(error)".contains("0oa"), "What is no secret is quoted.")
  }

  @Test("The code and its verifier are not quoted", arguments: Place.allCases)
  func redeem(_ place: Place) async throws {
    var code: String?
    let error = try await isRefused(at: "/token", place) { world, client, _ in
      let state = try await world.pastPassword()
      code = state.response.interactionCode?.revealed
      _ = try await client.redeem(state)
    }
    let verifier = PKCE(random: RandomBytes { [UInt8](repeating: 7, count: $0) }).verifier
    showsNothing(error, of: [try #require(code), verifier.revealed])
  }

  @Test("The refresh token is not quoted", arguments: Place.allCases)
  func refresh(_ place: Place) async throws {
    var token: Secret?
    let error = try await isRefused(at: "/token", place) { world, _, tokens in
      let credential = try await world.client.redeem(world.pastPassword())
      token = credential.tokens.refreshToken
      _ = try await tokens.refresh(credential)
    }
    showsNothing(error, of: [try #require(token).revealed])
  }

  @Test("The token that is to be revoked is not quoted", arguments: Place.allCases)
  func revoke(_ place: Place) async throws {
    var token: Secret?
    let error = try await isRefused(at: "/revoke", place) { world, _, tokens in
      let credential = try await world.client.redeem(world.pastPassword())
      token = credential.tokens.accessToken
      try await tokens.revoke(.access, of: credential)
    }
    showsNothing(error, of: [try #require(token).revealed])
  }

  @Test("The bearer's token is not quoted", arguments: Place.allCases)
  func userInfo(_ place: Place) async throws {
    var token: Secret?
    let error = try await isRefused(at: "/userinfo", place) { world, _, tokens in
      let credential = try await world.client.redeem(world.pastPassword())
      token = credential.tokens.accessToken
      _ = try await tokens.userInfo(credential)
    }
    showsNothing(error, of: [try #require(token).revealed])
  }

  @Test("The password and the state handle are not quoted", arguments: Place.allCases)
  func answers(_ place: Place) async throws {
    var handle: String?
    let error = try await isRefused(at: "/challenge/answer", place) { world, client, _ in
      let state = try await world.identified()
      handle = state.response.stateHandle?.revealed
      _ = try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .value(.string(World.password))],
        from: state)
    }
    showsNothing(error, of: [try #require(handle), World.password])
  }

  @Test("What a browser brings back does not quote the state of the sign-in")
  func returned() throws {
    let state = try Wire.state(Wire.document([]))
    let own = state.redirectState.revealed
    var address = try #require(URLComponents(string: "com.example.shop:/callback"))
    address.queryItems = [
      URLQueryItem(name: "state", value: own), URLQueryItem(name: "error", value: "access_denied"),
      URLQueryItem(name: "error_description", value: "Not for \(own)."),
    ]
    let url = try #require(address.url)
    let error = try #require(throws: FlowError.self) { _ = try RedirectReturn(url, of: state) }
    #expect(error.code == .refused)
    showsNothing(error, of: [own])
  }

  @Test("A secret within a longer one, escaped, or broken up is found too")
  func forms() throws {
    let body = Array("token=abcdef%2B&refresh_token=abcdef%2Bghi&client_id=abcdefgh".utf8)
    let url = try #require(URL(string: "https://id.shop.example/"))
    let secrets = SecretRedactor(TransportRequest(method: "POST", url: url, body: body))
    #expect(secrets.removed(from: "abcdef+ghi, abcdef%2B") == "‹secret›, ‹secret›")
    #expect(secrets.removed(from: "abcdefgh") == "abcdefgh")
    let error = OAuthError("x", description: "No abc\u{7}def\u{200B}+.")
    #expect(secrets.removed(from: error).explanation == "No ‹secret›.")
  }

  @Test("A secret is found where it is written with other characters that mean the same")
  func equivalents() {
    // The sign of Kelvin is the letter K, and the Greek question mark is a semicolon.
    let secrets = SecretRedactor(["pass\u{212A}word", "se\u{37E}cret", "caf\u{E9}-1843"])
    let text = "No passKword, no se;cret, no "
    #expect(secrets.removed(from: text) == "No ‹secret›, no ‹secret›, no ")
    #expect(secrets.removed(from: "passKword") == "‹secret›")
    #expect(secrets.removed(from: "No cafe\u{301}-1843.") == "No ‹secret›.")
  }
}

/// Passes requests on, but refuses one with words that repeat it.
private struct EchoingTransport: Transport {
  let next: any Transport
  let path: String
  let place: EchoTests.Place

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.url.path.hasSuffix(path) else { return try await next.send(request) }
    let echo =
      String(decoding: request.body, as: UTF8.self).replacing("\"", with: "'")
      + (request.headers["Authorization"] ?? "")
    switch place {
    case .explanation:
      return .json(["error": "x", "error_description": .string(echo)], status: 400)
    case .code: return .json(["error": .string(echo)], status: 400)
    case .summary: return .json(["errorSummary": .string(echo)], status: 400)
    case .challenge:
      let header = "Bearer error=\"x\", error_description=\"\(echo)\""
      return TransportResponse(status: 400, headers: ["WWW-Authenticate": header])
    case .requestID:
      return TransportResponse(status: 503, headers: ["X-Okta-Request-Id": echo])
    }
  }
}
