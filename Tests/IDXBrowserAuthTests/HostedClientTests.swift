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

/// A sign-in with the steps of the org's page, without a browser.
struct HostedClientTests {
  private func org(
    _ scenario: OrgScenario = .demo, _ layout: OrgSignInPage.Layout = .standard
  ) async -> SimulatedOrg {
    let org = SimulatedOrg(scenario, seed: 1, clock: { TestSignIn.now })
    await org.changeRequests { $0.signInPage = OrgSignInPage(layout) }
    await org.misconfigure(.interactionCodeDisabled)
    return org
  }

  private func client(
    of org: SimulatedOrg, _ transport: (any Transport)? = nil,
    prompt: BrowserClient.Prompt? = nil
  ) -> HostedClient {
    HostedClient(
      transport: transport ?? org, prompt: prompt,
      tokens: TokenClient(transport: transport ?? org, now: { org.now }))
  }

  private func afterUsername(
    _ org: SimulatedOrg, _ client: HostedClient? = nil, to configuration: FlowConfiguration? = nil
  ) async throws -> FlowState {
    let client = client ?? self.client(of: org)
    return try await client.proceed(
      .identify, ["identifier": .text(TestSignIn.login)],
      from: client.start(configuration ?? org.configuration))
  }

  private func signIn(
    _ org: SimulatedOrg, _ client: HostedClient, to configuration: FlowConfiguration? = nil
  ) async throws -> FlowState {
    try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)],
      from: afterUsername(org, client, to: configuration))
  }

  @Test("It signs in at an org whose app may not use the interaction code")
  func signsIn() async throws {
    let org = await org(OrgScenario["password"])
    let client = client(of: org)
    let credential = try await client.redeem(signIn(org, client))
    expectEqual(credential.username, TestSignIn.login)
    await expectEqual(
      org.signInRequests,
      [
        "GET /oauth2/default/.well-known/openid-configuration", "GET /oauth2/default/v1/authorize",
        "POST /idp/idx/introspect", "POST /idp/idx/identify", "POST /idp/idx/challenge/answer",
        "GET /login/token/redirect", "POST /oauth2/default/v1/token",
      ])
  }

  @Test(
    "The token is found in each layout of the page, and a page without one needs a browser",
    arguments: OrgSignInPage.Layout.allCases)
  func layouts(layout: OrgSignInPage.Layout) async throws {
    let org = await org(OrgScenario["password"], layout)
    guard layout == .withoutToken else {
      try await expect(afterUsername(org).response[.challengeAuthenticator] != nil)
      return
    }
    let failure = try await requireError(FlowError.self) {
      try await client(of: org).start(org.configuration)
    }
    expectEqual(failure.code, .browserNeeded)
  }

  @Test("A wrong password asks again, and each answer continues from the last handle")
  func wrongPassword() async throws {
    let org = await org(OrgScenario["password"])
    let client = client(of: org)
    var state = try await afterUsername(org)
    for _ in 0..<2 {
      let handle = state.response.stateHandle
      state = try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": "Wrong-1843"], from: state)
      expect(state.response.allMessages.contains(where: \.isError))
      expect(state.response.stateHandle != handle)
    }
    expectEqual(
      try await client.refresh(state).response.remediations.first?.name, .challengeAuthenticator)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)], from: state)
    expect(state.isSignedIn)
  }

  @Test("A session leads to the code at once, unless the page must ask")
  func session() async throws {
    let org = await org(OrgScenario["password"])
    let signedIn = try await signIn(org, client(of: org))
    var options = StartOptions()
    options.cookies = signedIn.cookies
    let again = try await client(of: org).start(org.configuration, options)
    expect(again.isSignedIn)
    expectEqual(try await client(of: org).redeem(again).username, TestSignIn.login)
    let asked = try await client(of: org, prompt: .login).start(org.configuration, options)
    expect(asked.response[.identify] != nil)
    let none = try await requireError(FlowError.self) {
      try await client(of: org, prompt: .withoutAsking).start(org.configuration)
    }
    expectEqual((none.underlying as? OAuthError)?.code, .loginRequired)
  }

  @Test("The session can be ended, and the tokens stay valid")
  func endedSession() async throws {
    let org = await org(OrgScenario["password"])
    let client = client(of: org)
    let state = try await signIn(org, client)
    let credential = try await client.redeem(state)
    await expect(client.endSession(of: state))
    var options = StartOptions()
    options.cookies = state.cookies
    let again = try await client.start(org.configuration, options)
    expect(again.response[.identify] != nil)
    let tokens = TokenClient(transport: org, now: { org.now })
    try await expectEqual(tokens.userInfo(credential).username, TestSignIn.login)
  }

  @Test("An app with SAML gets the response of the org, and a session leads to it at once")
  func saml() async throws {
    let org = await org(OrgScenario["password"])
    await org.changeRequests { $0.samlApps = [.awsConsole] }
    let app = try require(
      URL(string: "https://demo.okta.example/app/amazon_aws/exkDemoApp0000000001/sso/saml"))
    let client = HostedClient(transport: org, endingWith: .saml(app))
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example", clientID: "none")
    var state = try await signIn(org, client, to: configuration)
    expect(state.isAtEnd)
    expectEqual(FlowPhase(state), .completed(state))
    let response = try await client.samlResponse(of: &state)
    expectEqual(response.destination.host, "signin.aws.amazon.com")
    expect(!"\(response)\(state)".contains(response.encoded.revealed.prefix(40)))
    var options = StartOptions()
    options.cookies = state.cookies
    var again = try await client.start(configuration, options)
    expectEqual(FlowPhase(again), .completed(again))
    _ = try await client.samlResponse(of: &again)
  }

  @Test("The address of the success is opened again if the org could not be reached")
  func lostRedirect() async throws {
    let org = await org(OrgScenario["password"])
    await org.inject(.unreachable, at: "/login/token/redirect")
    let client = client(of: org)
    let state = try await signIn(org, client)
    guard case .redirect? = state.success else {
      Issue.record("The address is not kept.")
      return
    }
    let saved = try FlowState(snapshot: try state.snapshot(), for: org.configuration)
    expectEqual(try await client.redeem(saved).username, TestSignIn.login)
  }

  // MARK: Hostile servers

  @Test(
    "Redirects elsewhere or in a circle are not followed, and a code with another state is refused",
    .promise("hosted"),
    arguments: [
      // For redirects elsewhere, a browser is the way on.
      ("https://login.other.example/", .browserNeeded), ("javascript:alert(1)", .browserNeeded),
      ("file:///etc/passwd", .browserNeeded), ("http://demo.okta.example/", .browserNeeded),
      ("//other.example/", .browserNeeded), ("https://ada@demo.okta.example/", .browserNeeded),
      (circle, .unexpectedResponse), (otherState, .redirectMismatch),
    ] as [(String, FlowError.Code)])
  func redirects(address: String, code: FlowError.Code) async throws {
    let org = await org()
    let transport = AnsweringTransport(org) { request in
      let location =
        switch address {
        case Self.circle: request.url.absoluteString
        case Self.otherState: org.redirectURI + "?code=stolen&state=other"
        default: address
        }
      return request.url.path.hasSuffix("/authorize")
        ? TransportResponse(status: 302, headers: ["Location": location], body: []) : nil
    }
    let failure = try await requireError(FlowError.self) {
      try await client(of: org, transport).start(org.configuration)
    }
    expectEqual(failure.code, code)
    expect(transport.hosts == ["demo.okta.example"])
    expectEqual(transport.count(of: "/authorize"), address == Self.circle ? 11 : 1)
  }

  private static let circle = "the same address"
  private static let otherState = "the app, with a code and another state"

  @Test("The address of a success at another origin is not opened", .promise("hosted"))
  func successElsewhere() async throws {
    let org = await org(OrgScenario["password"])
    let transport = AnsweringTransport(org) { request in
      request.url.path.hasSuffix("/challenge/answer")
        ? TransportResponse(
          status: 200,
          body: Array(
            #"{"version":"1.0.0","success":{"name":"success-redirect","href":"https://other.example/x"}}"#
              .utf8)) : nil
    }
    let failure = try await requireError(FlowError.self) {
      try await signIn(org, client(of: org, transport))
    }
    expectEqual(failure.code, .hrefRefused)
    expect(transport.hosts == ["demo.okta.example"])
  }

  @Test("A page with only foreign tokens is refused after five requests", .promise("hosted"))
  func foreignTokens() async throws {
    let org = await org()
    let page = (0..<10_000).map { "var stateToken = 'eyJforeign\($0)';" }.joined()
    let transport = AnsweringTransport(org) { request in
      request.url.path.hasSuffix("/authorize")
        ? TransportResponse(
          status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>\(page)".utf8))
        : nil
    }
    let failure = try await requireError(FlowError.self) {
      try await client(of: org, transport).start(org.configuration)
    }
    expectEqual(failure.code, .browserNeeded)
    expectEqual(transport.count(of: "/introspect"), 5)
    expect(!"\(failure)".contains("eyJforeign"))
  }
}

/// An org whose responses a test replaces.
private final class AnsweringTransport: Transport {
  private let org: SimulatedOrg
  private let answer: @Sendable (TransportRequest) -> TransportResponse?
  private let sent = Locked<[URL]>([])

  init(_ org: SimulatedOrg, _ answer: @escaping @Sendable (TransportRequest) -> TransportResponse?)
  {
    (self.org, self.answer) = (org, answer)
  }

  var hosts: Set<String> { Set(sent.withLock { $0 }.compactMap(\.host)) }
  func count(of path: String) -> Int { sent.withLock { $0.count { $0.path.hasSuffix(path) } } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    sent.withLock { $0.append(request.url) }
    if let response = answer(request) { return response }
    return try await org.send(request)
  }
}
