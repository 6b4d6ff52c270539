import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Replies that are not a response.
struct ServerErrorTests {
  private func error(_ response: TransportResponse) async throws -> FlowError {
    let transport = RequestLog(
      StubServer(document: Wire.document([Wire.form("identify")])) { _ in response })
    let state = try await transport.start()
    let error = try await requireError(FlowError.self) {
      try await transport.client.proceed(.identify, from: state)
    }
    // The answer is not sent again. If it may have arrived, the server is asked.
    let isUnknown = error.code == .answerUnconfirmed
    await expectEqual(
      transport.steps, ["interact", "introspect", "identify"] + (isUnknown ? ["introspect"] : []))
    return error
  }

  @Test(
    "All headers of a rate limit are read, and invalid ones are ignored", .promise("server-pause"),
    arguments: [
      (["Retry-After": "7"], "in 7 s."),
      (["retry-after": "0"], "in 1 s."),
      (["Retry-After": "-5"], "in 1 s."),
      (["Retry-After": "99999999999999999999"], "in 1 day."),
      (
        [
          "Retry-After": "Fri, 15 Jan 2027 08:00:20 GMT", "Date": "Fri, 15 Jan 2027 08:00:00 GMT",
        ], "in 20 s."
      ),
      (["Retry-After": "Fri, 15 Jan 2027 08:00:20 GMT"], "later."),
      (["Retry-After": "inf"], "later."),
      (["Retry-After": " 7\t"], "in 7 s."), (["Retry-After": "5, 9"], "in 9 s."),
      (["Retry-After": "5, x"], "later."),
      (
        [
          "Retry-After": " Fri, 15 Jan 2027 08:00:20 GMT, Fri, 15 Jan 2027 08:00:30 GMT",
          "Date": "Fri, 15 Jan 2027 08:00:00 GMT",
        ], "in 20 s."
      ),
      (
        ["X-Rate-Limit-Reset": "1800000010000 ", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"],
        "in 10 s."
      ),
      (["X-Rate-Limit-Reset": "1800000010", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "in 10 s."),
      (["X-Rate-Limit-Reset": "1", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "in 1 s."),
      (["X-Rate-Limit-Reset": "1800000010"], "later."),
      (["X-Rate-Limit-Reset": "1e300", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "."),
      (["X-Rate-Limit-Reset": "inf", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "."),
      (["X-Rate-Limit-Reset": "nan", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "."),
      (["X-Rate-Limit-Reset": "-1e300", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], "s."),
      (["X-Rate-Limit-Reset": "1800000010", "Date": "yesterday"], "later."),
      (["X-Rate-Limit-Reset": "1800000010", "Date": "Fri, 15 Foo 2027 08:00:00 GMT"], "later."),
      ([:], "later."),
    ])
  func rateLimitHeaders(headers: [String: String], end: String) async throws {
    let error = try await error(TransportResponse(status: 429, headers: headers))
    expectEqual(error.code, .rateLimited)
    expectContains(error.message, "Try again ")
    expectSuffix(error.message, end)
  }

  @Test("A network that asks for a sign-in is named, and not the server", .promise("server-pause"))
  func captivePortal() async throws {
    let error = try await error(TransportResponse(status: 511))
    expectEqual(error.status, 511)
    expectContains(error.message, "The network asks for a sign-in")
  }

  @Test("If the org refuses the app or the code, the error contains the OAuth error")
  func oauthErrors() async throws {
    let test = try TestSignIn()
    let configuration = try FlowConfiguration(
      issuer: test.org.issuer.absoluteString, clientID: "0oaNobody",
      redirectURI: test.org.redirectURI)
    let error = try await requireError(FlowError.self) {
      try await test.client.start(configuration)
    }
    expectEqual(error.code, .refused)
    expectEqual(error.status, 401)
    expectEqual((error.underlying as? OAuthError)?.code, .invalidClient)
    expectEqual(error.remediation, nil)

    let state = try await test.afterPassword()
    _ = try await test.client.redeem(state)
    let used = try await requireError(FlowError.self) { try await test.client.redeem(state) }
    expectEqual(used.code, .refused)
    expectEqual(used.remediation, .issue)
    expectEqual((used.underlying as? OAuthError)?.code, .invalidGrant)
  }

  @Test(
    "Any other reply is an error with its status, without its body",
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
        .json(["errorCode": "E0000007", "errorSummary": "No such endpoint."], status: 404),
        "refused"
      ),
      (.json(["error": "invalid_request", "error_description": "Why"], status: 400), "refused"),
      (TransportResponse(status: 503, body: Array("secret-token".utf8)), "server_failed"),
      (
        TransportResponse(
          status: 503, headers: ["Retry-After": "9"], body: Array("secret-token".utf8)),
        "server_failed"
      ),
      (
        .json(["version": "1.0.0", "messages": ["type": "array", "value": []]], status: 500),
        "server_failed"
      ),
      (TransportResponse(status: 429), "rate_limited"),
    ] as [(TransportResponse, String)])
  func otherAnswers(response: TransportResponse, code: String) async throws {
    let thrown = try await error(response)
    // Unless the reply says that nothing was done, the server is asked, and still asks for the same.
    let isUnprocessed =
      ["refused", "rate_limited"].contains(code) || response.header("Retry-After") != nil
    expectEqual((thrown.code == .answerUnconfirmed), !isUnprocessed)
    expectEqual(thrown.status, response.status)
    let error = thrown.underlying as? FlowError ?? thrown
    expectEqual(error.code.description, code)
    expectEqual(error.status, response.status)
    expectEqual(error.remediation, .identify)
    expect(!"\(error)".contains("secret-token"))
    expectContains(error.message, "id.shop.example/idp/idx/identify")
    if let summary = try? JSONValue(parsing: response.body)["errorSummary"]?.string {
      expectContains(error.message, summary)
    }
  }

  @Test("A start without a valid handle, and a success without tokens, are errors without the body")
  func noTokens() async throws {
    for response in [
      TransportResponse.json([:]), .json(["interaction_handle": 7]), TransportResponse(status: 200),
      .json(["interaction_handle": "ih"], status: 302),
    ] {
      let transport = RequestLog(StubServer(document: Wire.document([]), interact: response))
      let error = try await requireError(FlowError.self) { try await transport.start() }
      expectEqual(error.code, .unexpectedResponse)
      await expectEqual(transport.requests.count, 1)
    }
    let issue = Wire.form("issue", [["name": "interaction_code", "value": "ic_1"]])
    let document = Wire.document([], [("successWithInteractionCode", issue)])
    let server = StubServer(document: document) { _ in .json(["id_token": "secret-token"]) }
    let state = try await server.start()
    let error = try await requireError(FlowError.self) { try await server.client.redeem(state) }
    expectEqual(error.code, .unexpectedResponse)
    expectEqual(error.remediation, .issue)
    expect(!"\(error)".contains("secret-token"))
  }

  @Test(
    "A response with a status of 400 or more is a state with the messages and the request ID",
    arguments: [400, 401, 403, 404, 409, 429])
  func refusals(status: Int) async throws {
    let document = Wire.document([], [("messages", Wire.messages("some.key"))])
    let server = StubServer(document: Wire.document([Wire.form("identify")])) { _ in
      .json(document, status: status, headers: ["X-Okta-Request-Id": "id-1"])
    }
    let state = try await server.client.proceed(.identify, from: server.start())
    expectEqual(state.status, status)
    expectEqual(state.requestID, "id-1")
    expect(state.response.says("some.key"))
  }
}
