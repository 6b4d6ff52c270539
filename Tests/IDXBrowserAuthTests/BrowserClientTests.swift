import Expectations
import Foundation
import IDX
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// A sign-in on a page of the org, in a browser.
struct BrowserClientTests {
  private let org = SimulatedOrg(.demo, seed: 1, clock: { TestSignIn.now })

  private func client(
    _ transport: (any Transport)? = nil, prompt: BrowserClient.Prompt? = nil
  ) -> BrowserClient {
    BrowserClient(
      transport: transport ?? org, prompt: prompt,
      tokens: TokenClient(transport: transport ?? org, now: { [org] in org.now }))
  }

  /// The address of the page.
  private func page(of state: FlowState) throws -> URL {
    try require(state.response[.signInPage]?.page)
  }

  /// The address at which the browser returns from the page.
  private func visit(_ state: FlowState) async throws -> URL {
    try await require(org.visit(page(of: state)))
  }

  /// The state after the browser has returned.
  private func afterPage(
    _ state: FlowState, _ transport: (any Transport)? = nil
  ) async throws -> FlowState {
    try await client(transport).resume(RedirectReturn(visit(state), of: state), from: state)
  }

  private func parameters(of url: URL) -> [String: String] {
    let pairs = FormURLEncoding.decode(url.query(percentEncoded: true) ?? "") ?? []
    return Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }
  }

  /// The address at which the browser returns, with other parameters.
  private func changing(_ url: URL, _ name: String, to value: String?) throws -> URL {
    var parts = try require(URLComponents(url: url, resolvingAgainstBaseURL: false))
    parts.queryItems?.removeAll { $0.name == name }
    if let value { parts.queryItems?.append(URLQueryItem(name: name, value: value)) }
    return try require(parts.url)
  }

  @Test(
    "The built-in screens open the page, also again after an error, and the return signs in",
    arguments: [false, true])
  func screens(isRefusedFirst: Bool) async throws {
    let visits = (isRefusedFirst ? [true, false] : [false]).map { isRefused in
      ScriptedReply.returning(.signInPage) { [org] in
        await org.visit($0, refusing: isRefused)
      }
    }
    let person = ScriptedFrontEnd(visits)
    let coordinator = FlowCoordinator(client: client(), handlers: .showing(on: person))
    let signIn = try await require(coordinator.run(org.configuration).signIn)
    try await person.finish()
    expectEqual(signIn.credential.username, TestSignIn.login)
    expect(signIn.credential.nonce != nil)
  }

  @Test(
    "The address has the challenge, the state, the nonce and the options, and the verifier stays here"
  )
  func address() async throws {
    var options = StartOptions()
    options.loginHint = "ada@example.com"
    options.acrValues = ["urn:a", "urn:b"]
    options.maximumAge = 60
    let state = try await client(prompt: .login).start(org.configuration, options)
    let sent = parameters(of: try page(of: state))
    expectEqual(sent["code_challenge"], state.pkce.challenge)
    expectEqual(sent["code_challenge_method"], "S256")
    expectEqual(sent["state"], state.redirectState.revealed)
    expectEqual(sent["nonce"], state.nonce.revealed)
    expectEqual(sent["response_type"], "code")
    expectEqual(sent["prompt"], "login")
    expectEqual(sent["login_hint"], "ada@example.com")
    expectEqual(sent["acr_values"], "urn:a urn:b")
    expectEqual(sent["max_age"], "60")
    expectEqual(sent["code_verifier"], nil)
    // Starting over keeps the options, and nothing else.
    let again = try await client(prompt: .login).startOver(state)
    let next = parameters(of: try page(of: again))
    for name in ["prompt", "login_hint", "acr_values", "max_age", "scope"] {
      expectEqual(next[name], sent[name])
    }
    expect(next["state"] != sent["state"] && next["code_challenge"] != sent["code_challenge"])
    expectEqual(again.maximumAge, 60)
    await expectEqual(org.requests.count { $0.hasSuffix("openid-configuration") }, 1)
  }

  @Test(
    "A return with another state, another issuer or without the announced issuer is refused",
    arguments: [
      ("state", "other"), ("state", nil), ("iss", "https://evil.example"), ("iss", nil),
      ("code", nil),
    ] as [(String, String?)])
  func foreignReturn(name: String, value: String?) async throws {
    let state = try await client().start(org.configuration)
    let url = try await visit(state)
    let changed = try changing(url, name, to: value)
    #expect(throws: FlowError.self) { try RedirectReturn(changed, of: state) }
    if name != "code" { expect(!state.isReturn(changed)) }
    expect(state.isReturn(url))
  }

  @Test("A server that does not announce the issuer need not send it")
  func issuerNotAnnounced() async throws {
    let server = ChangedResponses(
      org, at: "openid-configuration", ["authorization_response_iss_parameter_supported": nil])
    let state = try await client(server).start(org.configuration)
    let url = try await visit(state)
    _ = try RedirectReturn(changing(url, "iss", to: nil), of: state)
    #expect(throws: FlowError.self) {
      try RedirectReturn(changing(url, "iss", to: "https://evil.example"), of: state)
    }
  }

  @Test(
    "Tokens are checked",
    arguments: [
      IDTokenFlaw.wrongNonce, .missingNonce, .wrongKey, .wrongIssuer, .wrongAudience, .absent,
      .wrongAccessTokenHash, .oldAuthentication, .missingAuthentication,
    ])
  func flaws(flaw: IDTokenFlaw) async throws {
    await org.changeTokens { $0.idTokenFlaw = flaw }
    var options = StartOptions()
    options.maximumAge = 60
    let end = try await afterPage(client().start(org.configuration, options))
    try await expectEqual(
      requireError(FlowError.self) { try await client().redeem(end) }.code, .invalidToken)
  }

  @Test("A maximum age of 0 asks for a new sign-in, whose code gets tokens while time passes")
  func newSignIn() async throws {
    // Each request takes some time.
    let time = Locked(TestSignIn.now)
    let org = SimulatedOrg(
      .demo,
      clock: {
        time.withLock {
          $0 += 0.001
          return $0
        }
      })
    let client = BrowserClient(transport: org, tokens: org.tokenClient)
    var options = StartOptions()
    options.maximumAge = 0
    let state = try await client.start(org.configuration, options)
    let url = try await require(org.visit(try page(of: state)))
    let end = try await client.resume(RedirectReturn(url, of: state), from: state)
    try await expectEqual(client.redeem(end).username, TestSignIn.login)
  }

  @Test("The code of another sign-in is refused, because its verifier is different")
  func otherVerifier() async throws {
    let first = try await client().start(org.configuration)
    let second = try await client().start(org.configuration)
    let returned = try await RedirectReturn(visit(first), of: first)
    let end = try await client().resume(returned, from: second)
    let error = try await requireError(FlowError.self) { try await client().redeem(end) }
    expectEqual((error.underlying as? OAuthError)?.code, .invalidGrant)
  }

  @Test("Parameters are pushed if the server requires it, and only then", arguments: [true, false])
  func pushed(isRequired: Bool) async throws {
    await org.changeRequests { $0.requiresPushedRequests = isRequired }
    let server = ChangedResponses(org)
    let state = try await client(server).start(org.configuration)
    expectEqual(server.steps.contains("par"), isRequired)
    let sent = parameters(of: try page(of: state))
    if isRequired { expectEqual(sent.keys.sorted(), ["client_id", "request_uri"]) }
    let end = try await afterPage(state, server)
    try await expectEqual(client(server).redeem(end).username, TestSignIn.login)
    // The pushed parameters were used up, and starting over pushes them again.
    let again = try await client(server).startOver(state)
    _ = try await visit(again)
  }

  @Test(
    "Tokens are bound to one key if the app wants it, also after pushed parameters and saving",
    arguments: [true, false])
  func boundTokens(isPushed: Bool) async throws {
    await org.changeRequests { $0.requiresPushedRequests = isPushed }
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      dpop: .always)
    let server = ChangedResponses(org)
    let started = try await client(server).start(configuration)
    let state = try FlowState(snapshot: started.snapshot(), for: configuration)
    let credential = try await client(server).redeem(afterPage(state, server))
    expect(credential.tokens.needsProof && credential.tokens.tokenType == "DPoP")
    let proofs = server.requests.compactMap { $0.headers["DPoP"] }
    let keys = try proofs.map { proof in
      try JSONValue(
        parsing: require(Base64URL.decode(String(proof.prefix { $0 != "." }))))["jwk"]
    }
    expect(proofs.count > (isPushed ? 1 : 0) && Set(keys).count == 1)
  }

  @Test(
    "What the browser brings back as an error is refused with the code of the server",
    arguments: [
      (nil, nil, .accessDenied), (.withoutAsking, nil, .loginRequired),
      // After this one, an embedded sign-in goes on.
      (nil, "interaction_required", .interactionRequired),
    ] as [(BrowserClient.Prompt?, String?, OAuthError.Code)])
  func refusal(
    prompt: BrowserClient.Prompt?, changed: String?, code: OAuthError.Code
  ) async throws {
    let state = try await client(prompt: prompt).start(org.configuration)
    var url = try await require(org.visit(try page(of: state), refusing: prompt == nil))
    if let changed { url = try changing(url, "error", to: changed) }
    let error = try await requireError(FlowError.self) { try RedirectReturn(url, of: state) }
    expectEqual(error.code, .refused)
    expectEqual((error.underlying as? OAuthError)?.code, code)
  }

  @Test("A saved sign-in continues in another process, and only with its own client")
  func saved() async throws {
    let configuration = org.configuration
    let started = try await client().start(configuration)
    let state = try FlowState(snapshot: started.snapshot(), for: configuration)
    let url = try await visit(state)
    expect(!state.isReturn(try changing(url, "iss", to: nil)))
    let returned = try await client().resume(RedirectReturn(url, of: state), from: state)
    let end = try FlowState(snapshot: returned.snapshot(), for: configuration)
    try await expectEqual(client().redeem(end).username, TestSignIn.login)
    let error = try await requireError(FlowError.self) { try await org.client.refresh(state) }
    expectEqual(error.code, .unreadableState)
    expect(!"\(state)\(String(reflecting: state.response))".contains(state.nonce.revealed))
  }

  @Test(
    "An endpoint at another origin, a missing one and another issuer are refused before anything is sent",
    arguments: [
      ("authorization_endpoint", "https://evil.example/authorize", FlowError.Code.hrefRefused),
      ("authorization_endpoint", "javascript:alert(1)", .notSendable),
      ("authorization_endpoint", "https://a@demo.okta.example/authorize", .hrefRefused),
      ("authorization_endpoint", nil, .notOffered),
      ("pushed_authorization_request_endpoint", "https://evil.example/par", .hrefRefused),
      ("pushed_authorization_request_endpoint", nil, .notSendable),
      ("issuer", "https://evil.example", .invalidConfiguration),
    ] as [(String, String?, FlowError.Code)])
  func hostileMetadata(name: String, value: String?, code: FlowError.Code) async throws {
    await org.changeRequests { $0.requiresPushedRequests = true }
    let server = ChangedResponses(
      org, at: "openid-configuration", [name: value.map(JSONValue.string)])
    let error = try await requireError(FlowError.self) {
      try await client(server).start(org.configuration)
    }
    expectEqual(error.code, code)
    expectEqual(server.steps.filter { $0 != "openid-configuration" && $0 != "par" }, [])
    expect(server.requests.allSatisfy { $0.url.host == "demo.okta.example" })
  }

  @Test("A pushed request that is refused, or has no request_uri, ends the start")
  func refusedPush() async throws {
    await org.changeRequests { $0.requiresPushedRequests = true }
    await org.inject(.refused("invalid_request"), at: "/par")
    try await expectEqual(
      requireError(FlowError.self) { try await client().start(org.configuration) }.code, .refused)
    let server = ChangedResponses(org, at: "/par", ["request_uri": nil])
    try await expectEqual(
      requireError(FlowError.self) { try await client(server).start(org.configuration) }.code,
      .unexpectedResponse)
  }

  @Test(
    "The token of a link, a configuration without a redirect URI, and codes of other protocols are refused"
  )
  func options() async throws {
    var options = StartOptions()
    options.recoveryToken = "token"
    try await expectEqual(
      requireError(FlowError.self) { try await client().start(org.configuration, options) }.code,
      .invalidConfiguration)
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID)
    try await expectEqual(
      requireError(FlowError.self) { try await client().start(configuration) }.code,
      .invalidConfiguration)
    let state = try await client().start(org.configuration)
    for returned in [RedirectReturn.interactionCode("ic"), .oneTimePassword("1")] {
      let error = try await requireError(FlowError.self) {
        try await client().resume(returned, from: state)
      }
      expectEqual(error.code, .redirectMismatch)
    }
  }
}
