import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("What servers answer instead of a response")
struct ServerErrorTests {
  private func error(_ response: TransportResponse) async throws -> FlowError {
    let server = StubServer(document: Wire.document([Wire.form("identify")])) { _ in response }
    let client = IDXClient(transport: server)
    let state = try await client.start(Wire.configuration())
    return try await flowError { try await client.proceed(.identify, from: state) }
  }

  @Test("A rate limit says how long to wait, by the server's own clock")
  func rateLimit() async throws {
    let world = try World()
    let state = try await world.client.start(world.configuration)
    await world.org.inject(.rateLimited(seconds: 25), at: "identify")
    let error = try await flowError {
      try await world.client.proceed(
        .identify, ["identifier": .value(.string(World.login))], from: state)
    }
    #expect(error.code == .rateLimited)
    #expect(error.status == 429)
    #expect(error.requestID != nil)
    #expect(error.message.contains("Try again in 25 s."))
  }

  @Test(
    "A rate limit is understood in every form, and survives nonsense",
    arguments: [
      (["Retry-After": "7"], "in 7 s."),
      (["retry-after": "0"], "in 1 s."),
      (["Retry-After": "-5"], "in 1 s."),
      (["X-Rate-Limit-Reset": "1800000010", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "in 10 s."),
      (["X-Rate-Limit-Reset": "1", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "in 1 s."),
      (["X-Rate-Limit-Reset": "1800000010"], "later."),
      (["X-Rate-Limit-Reset": "1e300", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "s."),
      (["X-Rate-Limit-Reset": "inf", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "."),
      (["X-Rate-Limit-Reset": "nan", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "."),
      (["X-Rate-Limit-Reset": "-1e300", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "s."),
      (["X-Rate-Limit-Reset": "1800000010", "Date": "yesterday"], "later."),
      (["X-Rate-Limit-Reset": "1800000010", "Date": "Fri, 15 Foo 2027 08:00:00 GMT"], "later."),
      ([:], "later."),
    ])
  func rateLimitHeaders(headers: [String: String], end: String) async throws {
    let error = try await error(TransportResponse(status: 429, headers: headers))
    #expect(error.code == .rateLimited)
    #expect(error.message.contains("Try again "))
    #expect(error.message.hasSuffix(end))
  }

  @Test("A server that fails is not asked again by itself")
  func serverError() async throws {
    let world = try World()
    let state = try await world.client.start(world.configuration)
    await world.org.inject(.serverError, at: "identify")
    let error = try await flowError {
      try await world.client.proceed(
        .identify, ["identifier": .value(.string(World.login))], from: state)
    }
    #expect(error.code == .serverFailed)
    #expect(error.status == 500)
    #expect(await world.line.requests.count == 3)
  }

  @Test("An app that the org does not know is refused with OAuth's reason")
  func refusedAtStart() async throws {
    let world = try World()
    let configuration = try FlowConfiguration(
      issuer: world.org.issuer.absoluteString, clientID: "0oaNobody",
      redirectURI: world.org.redirectURI)
    let error = try await flowError { try await world.client.start(configuration) }
    #expect(error.code == .refused)
    #expect(error.status == 401)
    #expect((error.underlying as? OAuthError)?.code == .invalidClient)
    #expect(error.remediation == nil)
  }

  @Test("A code that was used is refused with OAuth's reason")
  func refusedAtToken() async throws {
    let world = try World()
    let state = try await world.pastPassword()
    _ = try await world.client.redeem(state)
    let error = try await flowError { try await world.client.redeem(state) }
    #expect(error.code == .refused)
    #expect(error.remediation == .issue)
    #expect((error.underlying as? OAuthError)?.code == .invalidGrant)
  }

  @Test(
    "What is no response is reported by what it is, without its body",
    arguments: [
      (
        TransportResponse(status: 302, headers: ["Location": "https://evil.example"]),
        "unexpected_response"
      ),
      (
        TransportResponse(status: 200, body: Array("<html>secret-token</html>".utf8)),
        "unexpected_response"
      ),
      (TransportResponse(status: 404), "unexpected_response"),
      (.json(["hello": "secret-token"]), "unexpected_response"),
      (
        .json(["errorCode": "E0000007", "errorSummary": "Not found: thing"], status: 404), "refused"
      ),
      (.json(["error": "invalid_request", "error_description": "Why"], status: 400), "refused"),
      (TransportResponse(status: 503, body: Array("secret-token".utf8)), "server_failed"),
      (
        .json(["version": "1.0.0", "messages": ["type": "array", "value": []]], status: 500),
        "server_failed"
      ),
    ] as [(TransportResponse, String)])
  func otherAnswers(response: TransportResponse, code: String) async throws {
    let error = try await error(response)
    #expect(error.code.description == code)
    #expect(error.status == response.status)
    #expect(error.remediation == .identify)
    #expect(!"\(error)".contains("secret-token"))
    #expect(error.message.contains("id.shop.example/idp/idx/identify"))
  }

  @Test("The classic API's summary is passed on")
  func classicError() async throws {
    let error = try await error(
      .json(["errorCode": "E0000022", "errorSummary": "No such endpoint."], status: 405))
    #expect(error.message.contains("No such endpoint."))
  }

  @Test(
    "A start without a handle, or with one of another kind, is unexpected",
    arguments: [
      TransportResponse.json([:]), .json(["interaction_handle": 7]), TransportResponse(status: 200),
      .json(["interaction_handle": "ih"], status: 302),
    ])
  func noHandle(response: TransportResponse) async throws {
    let line = RecordingTransport(StubServer(document: Wire.document([]), interact: response))
    let error = try await flowError {
      try await IDXClient(transport: line).start(Wire.configuration())
    }
    #expect(error.code == .unexpectedResponse)
    #expect(await line.requests.count == 1)
  }

  @Test("A success without tokens is unexpected, and is not quoted")
  func noTokens() async throws {
    let issue = Wire.form("issue", [["name": "interaction_code", "value": "ic_1"]])
    let document = Wire.document([], [("successWithInteractionCode", issue)])
    let server = StubServer(document: document) { _ in .json(["id_token": "secret-token"]) }
    let client = IDXClient(transport: server)
    let state = try await client.start(Wire.configuration())
    let error = try await flowError { try await client.redeem(state) }
    #expect(error.code == .unexpectedResponse)
    #expect(error.remediation == .issue)
    #expect(!"\(error)".contains("secret-token"))
  }

  @Test(
    "A status of 400 and more with a response in it is a response",
    arguments: [
      400, 401, 403, 404, 409, 429,
    ])
  func refusals(status: Int) async throws {
    let document = Wire.document([], [("messages", Wire.messages("some.key"))])
    let server = StubServer(document: Wire.document([Wire.form("identify")])) { _ in
      .json(document, status: status)
    }
    let client = IDXClient(transport: server)
    let state = try await client.proceed(.identify, from: client.start(Wire.configuration()))
    #expect(state.status == status)
    #expect(state.response.says("some.key"))
  }
}
