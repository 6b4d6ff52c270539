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

/// A sign-in with a device code.
struct DeviceCodeClientTests {
  private let org = SimulatedOrg(.demo, seed: 1, clock: { TestSignIn.now })

  private func client(_ transport: (any Transport)? = nil) -> DeviceCodeClient {
    DeviceCodeClient(
      transport: transport ?? org,
      tokens: TokenClient(transport: transport ?? org, now: { [org] in org.now }))
  }

  private func interval(of state: FlowState) -> Duration? {
    state.response[.userCodePoll]?.pollInterval
  }

  /// The state after a poll at the right time.
  private func poll(
    _ state: FlowState, with client: DeviceCodeClient? = nil
  ) async throws -> FlowState {
    org.advance(by: (interval(of: state) ?? .zero) / .seconds(1))
    return try await (client ?? self.client()).poll(state)
  }

  @Test("The built-in screens show the code and wait until it is entered")
  func screens() async throws {
    let screens = Locked<[Screen]>([])
    let frontEnd = Watching(screens: screens)
    let polls = Locked(0)
    let coordinator = FlowCoordinator(
      client: client(), handlers: .showing(on: frontEnd),
      sleep: { [org] time in
        try Task.checkCancellation()
        // The polls do not wait for the screen.
        while screens.withLock({ $0.isEmpty }) {
          try Task.checkCancellation()
          await Task.yield()
        }
        org.advance(by: time / .seconds(1))
        guard polls.increment() == 3 else { return }
        let code = screens.withLock { $0.last?.userCode?.text }
        await expect(org.enter(userCode: code ?? ""))
      })
    let signIn = try await require(coordinator.run(org.configuration).signIn)
    expectEqual(signIn.credential.username, TestSignIn.login)
    let shown = try require(screens.withLock { $0 }.first)
    let code = try require(shown.userCode)
    expectEqual(screens.withLock { $0.count }, 1)
    expectEqual(code.address.absoluteString, "https://demo.okta.example/activate")
    expectEqual(shown.notes, ["Open \(code.address)", "Enter this code there: \(code.text)"])
    expect(shown.wait != nil && shown.action.role == .wait && shown.faults.isEmpty)
    expectSuffix(code.scannedAddress.absoluteString, code.text)
    expectEqual(shown.userCodeModules?.isEmpty, false)
    expect(!printedTexts(of: code).contains(code.text))
  }

  @Test("A poll before the code is entered changes nothing, and after that brings the tokens")
  func pending() async throws {
    let state = try await client().start(org.configuration)
    expectEqual(interval(of: state), .seconds(5))
    expect(state.response.expiresAt != nil)
    expectEqual(FlowPhase(state).description, "waiting")
    var next = try await poll(state)
    expectEqual(next.response, state.response)
    expect(!next.isSignedIn && !next.isAtEnd)
    let code = try require(next.response.userCode?.text)
    await expect(org.enter(userCode: code))
    await expect(!org.enter(userCode: code))
    next = try await poll(next)
    expect(next.isSignedIn)
    let credential = try await client().redeem(next)
    expect(credential.username == TestSignIn.login && credential.id.subject != nil)
  }

  @Test("A server that is asked too often makes the interval five seconds longer, up to a minute")
  func slowDown() async throws {
    var state = try await client().start(org.configuration)
    for count in 1...20 {
      await org.inject(.refused("slow_down"), at: "/token")
      state = try await client().poll(state)
      expectEqual(interval(of: state), .seconds(min(5 + 5 * count, 60)))
    }
  }

  @Test(
    "A refused or expired code ends the sign-in with a message, and an expired one is not polled",
    arguments: [true, false])
  func ended(isRefused: Bool) async throws {
    var state = try await client().start(org.configuration)
    if isRefused {
      let code = state.response.userCode?.text ?? ""
      await expect(org.enter(userCode: code, refusing: true))
    } else {
      org.advance(by: 600)
    }
    let requests = await org.signInRequests.count
    state = try await poll(state)
    expect(state.isAtEnd && !state.isSignedIn && state.isRefusal)
    expectEqual(state.response.says(.sessionExpired), !isRefused)
    if !isRefused { await expectEqual(org.signInRequests.count, requests) }
  }

  @Test("After the end, the person can start again and gets another code")
  func startsAgain() async throws {
    let screens = Locked<[Screen]>([])
    let frontEnd = Watching(screens: screens)
    let entered = Locked<[String]>([])
    /// The code that is shown, once it is a new one.
    @Sendable func newCode() async throws -> String {
      while true {
        try Task.checkCancellation()
        let code = screens.withLock { $0.last?.userCode?.text }
        if let code, !entered.withLock({ $0.contains(code) }) { return code }
        await Task.yield()
      }
    }
    let coordinator = FlowCoordinator(
      client: client(), handlers: .showing(on: frontEnd),
      sleep: { [org] time in
        // The polls do not wait for the screen.
        let code = try await newCode()
        org.advance(by: time / .seconds(1))
        let isFirst = entered.withLock { entered in
          entered.append(code)
          return entered.count == 1
        }
        await org.enter(userCode: code, refusing: isFirst)
      })
    try await expect(coordinator.run(org.configuration).signIn != nil)
    expectEqual(Set(screens.withLock { $0 }.compactMap(\.userCode?.text)).count, 2)
  }

  @Test("Trouble of the network and of the server for a moment does not end the sign-in")
  func trouble() async throws {
    let polls = Locked(0)
    var handlers = Handlers()
    handlers.on(.userCodePoll) { _ in .poll() }
    let codes = Locked<String?>(nil)
    let coordinator = FlowCoordinator(
      client: client(), handlers: handlers,
      sleep: { [org] time in
        org.advance(by: time / .seconds(1))
        switch polls.increment() {
        case 1: await org.inject(.unreachable, at: "/token")
        case 2: await org.inject(.serverError, at: "/token")
        case 3: await org.inject(.rateLimited(seconds: 10), at: "/token")
        case 5: await org.enter(userCode: codes.withLock { $0 } ?? "")
        default: break
        }
      },
      now: { [start = ContinuousClock.now] in start },
      observe: { event in
        if case .received(let state) = event, let code = state.response.userCode?.text {
          codes.withLock { $0 = code }
        }
      })
    try await expect(coordinator.run(org.configuration).signIn != nil)
  }

  @Test(
    "Tokens are checked",
    arguments: [IDTokenFlaw.wrongKey, .wrongIssuer, .wrongAudience, .absent, .wrongAccessTokenHash])
  func flaws(flaw: IDTokenFlaw) async throws {
    await org.changeTokens { $0.idTokenFlaw = flaw }
    let state = try await client().start(org.configuration)
    await org.enter(userCode: state.response.userCode?.text ?? "")
    let end = try await poll(state)
    try await expectEqual(
      requireError(FlowError.self) { try await client().redeem(end) }.code, .invalidToken)
  }

  @Test("A saved sign-in continues in another process, with the slower interval and the same key")
  func saved() async throws {
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, dpop: .always)
    func saved(_ state: FlowState) throws -> FlowState {
      try FlowState(snapshot: state.snapshot(), for: configuration)
    }
    var state = try saved(try await client().start(configuration))
    state = try saved(try await poll(state))
    state = try saved(try await client().poll(state))
    expectEqual(interval(of: state), .seconds(10))
    await org.enter(userCode: state.response.userCode?.text ?? "")
    state = try saved(try await poll(state))
    let credential = try await client().redeem(state)
    expectEqual(credential.tokens.tokenType, "DPoP")
    let error = try await requireError(FlowError.self) { try await org.client.refresh(state) }
    expectEqual(error.code, .unreadableState)
  }

  @Test(
    "A response without a code that can be shown, or with the page of another server, is refused",
    .promise("device-page"),
    arguments: [
      ("device_code", nil, ""), ("device_code", "", ""), ("user_code", nil, ""),
      ("user_code", "", ""), ("user_code", "   ", ""), ("user_code", "AB\u{1B}[2JCD", ""),
      ("user_code", "AB\nCD", ""),
      ("user_code", .string(String(repeating: "A", count: 1 << 20)), ""),
      ("user_code", 7, ""), ("verification_uri", nil, ""),
      ("verification_uri", "javascript:alert(1)", ""),
      ("verification_uri", "https://demo.okta.example@evil.example/", ""),
      ("verification_uri", "http://[::1]/", ""), ("verification_uri", "https://0x7f000001/", ""),
      ("expires_in", nil, ""), ("expires_in", 0, ""), ("expires_in", "soon", ""),
      ("verification_uri", 7, "no verification_uri with a host"),
      ("verification_uri", "https:///activate", "no verification_uri with"),
      (
        "verification_uri", "http://demo.okta.example/activate",
        "at http://demo.okta.example, which is not"
      ),
      (
        "verification_uri", "http://127.0.0.1:8080/",
        "at http://127.0.0.1:8080, which is not the issuer's"
      ),
      (
        "verification_uri", "https://localhost/activate",
        "at https://localhost, which is not the issuer's server"
      ),
      (
        "verification_uri", "https://honest.okta.com/activate",
        "at https://honest.okta.com, which is not the issuer's"
      ),
      (
        "verification_uri", "https://demo.okta.example:8443/activate",
        "at https://demo.okta.example:8443, which is not"
      ),
      (
        "verification_uri", "https://ada@demo.okta.example/", "a username in front of its host"
      ),
      ("verification_uri", "/activate", "no verification_uri with a host"),
      (
        "verification_uri", "//demo.okta.example/activate", "which is not the issuer's server"
      ),
    ] as [(String, JSONValue?, String)])
  func hostileCode(name: String, value: JSONValue?, reason: String) async throws {
    let server = ChangedResponses(org, at: "/device/authorize", [name: value])
    let error = try await requireError(FlowError.self) {
      try await client(server).start(org.configuration)
    }
    expectEqual(error.code, .unexpectedResponse)
    expect(error.description.utf8.count < 1000 && !error.description.contains("\u{1B}"))
    if !reason.isEmpty { expectContains("\(error)", reason) }
  }

  @Test(
    "The page for the code may differ in case, and be at another server that the app names",
    .promise("device-page"),
    arguments: [
      ("HTTPS://Demo.Okta.Example:443/activate", []),
      ("https://login.shop.example/activate", [URL(string: "https://login.shop.example/")!]),
    ])
  func allowedPages(sent: String, origins: [URL]) async throws {
    let server = ChangedResponses(
      org, at: "/device/authorize", ["verification_uri": .string(sent)])
    let client = DeviceCodeClient(
      transport: server, tokens: TokenClient(transport: server, now: { [org] in org.now }),
      pageOrigins: origins)
    let state = try await client.start(org.configuration)
    expectEqual(state.response.userCode?.address.absoluteString, sent)
  }

  @Test(
    "An interval that cannot be right is limited",
    arguments: [
      (0, 1), (-5, 1), (1_000_000_000, 60), (nil, 5), (.string("soon"), 5), (7, 7),
    ] as [(JSONValue?, Int)])
  func intervals(sent: JSONValue?, used: Int) async throws {
    let server = ChangedResponses(org, at: "/device/authorize", ["interval": sent])
    let state = try await client(server).start(org.configuration)
    expectEqual(interval(of: state), .seconds(used))
  }

  @Test(
    "An address with the code that cannot be used is left out, and a validity without end is limited",
    arguments: ["javascript:alert(1)", "https://evil.example/activate?user_code=A"])
  func completeAddress(sent: String) async throws {
    let server = ChangedResponses(
      org, at: "/device/authorize",
      ["verification_uri_complete": .string(sent), "expires_in": 1_000_000_000_000])
    let state = try await client(server).start(org.configuration)
    let code = try require(state.response.userCode)
    expect(code.completeAddress == nil && code.scannedAddress == code.address)
    expectEqual(state.response.expiresAt, TestSignIn.now.addingTimeInterval(24 * 3600))
  }

  @Test(
    "An endpoint at another origin, a missing one and another issuer are refused",
    arguments: [
      ("device_authorization_endpoint", "https://evil.example/device", FlowError.Code.hrefRefused),
      ("device_authorization_endpoint", nil, .notOffered),
      ("issuer", "https://evil.example", .invalidConfiguration),
    ] as [(String, String?, FlowError.Code)])
  func hostileMetadata(name: String, value: String?, code: FlowError.Code) async throws {
    let server = ChangedResponses(
      org, at: "openid-configuration", [name: value.map(JSONValue.string)])
    let error = try await requireError(FlowError.self) {
      try await client(server).start(org.configuration)
    }
    expectEqual(error.code, code)
    expectEqual(server.steps, ["openid-configuration"])
  }

  @Test("Options that the protocol does not have are refused, and so is another form")
  func options() async throws {
    var options = StartOptions()
    options.maximumAge = 60
    try await expectEqual(
      requireError(FlowError.self) { try await client().start(org.configuration, options) }.code,
      .invalidConfiguration)
    let state = try await client().start(org.configuration)
    let other = Remediation.Draft(.identify, href: "https://demo.okta.example")
    var draft = IDXResponse.Draft()
    draft.remediations = [other]
    let form = try require(draft.response().remediations.first)
    try await expectEqual(
      requireError(FlowError.self) { try await client().proceed(Submission(form), from: state) }
        .code,
      .notOffered)
  }

  @Test("A lost response with tokens leaves a code that is used up, which ends the sign-in")
  func lostTokens() async throws {
    let state = try await client().start(org.configuration)
    await org.enter(userCode: state.response.userCode?.text ?? "")
    await org.inject(.responseLost, at: "/token")
    try await expectEqual(requireError(FlowError.self) { try await poll(state) }.code, .network)
    try await expectEqual(requireError(FlowError.self) { try await poll(state) }.code, .refused)
  }
}

/// Keeps the screens, waits at those that wait, and starts over at the end.
private struct Watching: FrontEnd {
  let screens: Locked<[Screen]>

  func reply(to screen: Screen) async throws -> Reply {
    guard screen.step != nil else { return .submit([:]) }
    screens.withLock { $0.append(screen) }
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    defer { end.finish() }
    for await _ in stream {}
    throw CancellationError()
  }
}
