import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Devices that an org knows again.
struct KnownDeviceTests {
  private static func org() -> SimulatedOrg {
    var scenario = OrgScenario["google"]
    scenario.policy.devices = SignInPolicy.DeviceRules()
    return SharedSignIn.org(scenario)
  }

  /// Signs in with these cookies, and returns the state at the end and whether a code was needed.
  private func signIn(
    _ signInProtocol: SignInProtocol, to org: SimulatedOrg, _ cookies: CookieJar? = nil,
    remembers: Bool = true
  ) async throws -> (cookies: CookieJar, usedCode: Bool) {
    await signInProtocol.prepare(org)
    let client = signInProtocol.client(over: org, org.tokenClient)
    var options = StartOptions()
    options.cookies = cookies
    var state = try await client.start(org.configuration, options)
    func answers(_ form: Remediation.Name, _ path: String, _ text: String) -> Answers {
      var answers: Answers = [path: .text(text)]
      for name in ["rememberMe", "rememberDevice"] where state.response[form]?[name] != nil {
        answers[name] = .value(.bool(remembers))
      }
      return answers
    }
    state = try await client.proceed(
      .identify, answers(.identify, "identifier", SharedSignIn.login), from: state)
    let passcode = "credentials.passcode"
    state = try await client.proceed(
      .challengeAuthenticator, answers(.challengeAuthenticator, passcode, SharedSignIn.password),
      from: state)
    let usedCode = !state.isSignedIn
    if usedCode {
      let code = try await require(
        org.code(of: .googleAuthenticator, for: SharedSignIn.login))
      state = try await client.proceed(
        .challengeAuthenticator, answers(.challengeAuthenticator, passcode, code), from: state)
    }
    expect(state.isSignedIn)
    _ = try await client.redeem(state)
    return (state.cookies.device, usedCode)
  }

  @Test(
    "A second factor is needed once for each device, and a new device is told by email",
    arguments: SignInProtocol.all)
  func onceForEachDevice(signInProtocol: SignInProtocol) async throws {
    let org = Self.org()
    let first = try await signIn(signInProtocol, to: org)
    expect(first.usedCode && !first.cookies.isEmpty)
    await expectEqual(org.mailbox.messages.count, 1)
    let again = try await signIn(signInProtocol, to: org, first.cookies)
    expect(!again.usedCode)
    await expectEqual(org.mailbox.messages.count, 1)
    let other = try await signIn(signInProtocol, to: org)
    expect(other.usedCode)
    await expectEqual(org.mailbox.messages.count, 2)
  }

  @Test(
    "A device is remembered only if the person agrees", arguments: [SignInProtocol.idx, .classic])
  func notAgreed(signInProtocol: SignInProtocol) async throws {
    let org = Self.org()
    let first = try await signIn(signInProtocol, to: org, remembers: false)
    let again = try await signIn(signInProtocol, to: org, first.cookies)
    expect(again.usedCode)
  }

  @Test(
    "Only the cookie that lasts longer than the sign-in is kept for the device, and not sent to another org",
    .promise("device-org"))
  func onlyTheDevice() async throws {
    let log = RequestLog(Self.org())
    let client = IDXClient(transport: SetsCookies(transport: log))
    let state = try await client.start(Self.org().configuration)
    expectPrefix(state.cookies.description, "3 cookies")
    expectPrefix(state.cookies.device.description, "1 cookie ")
    let org = Self.org()
    let cookies = try await signIn(.idx, to: org).cookies
    let other = SimulatedOrg(
      OrgScenario["password"], issuer: "https://other.okta.example/oauth2/default", seed: 1)
    var options = StartOptions()
    options.cookies = cookies
    _ = try await other.client.start(other.configuration, options)
    let first = try await require(other.contexts.first)
    expectEqual(first.deviceToken, nil)
  }

  @Test("A screen asks whether the device may be remembered, or answers without asking")
  func screens() async throws {
    let org = Self.org()
    let state = try await org.client.start(org.configuration)
    func screen(_ choice: DevicePermission) async throws -> PendingScreen {
      let handlers = Handlers.showing(Screens(rememberDevice: choice))
      return try await require(handlers.next(in: FlowProgress(state)).pending)
    }
    func answers(_ pending: PendingScreen, _ values: [Screen.Input.ID: Secret]) throws -> Answers? {
      guard case .decide(.submit(let answers, _), _) = try pending.move(on: .submit(values)) else {
        return nil
      }
      return answers
    }
    let name: [Screen.Input.ID: Secret] = ["identifier": "ada@example.com"]
    let asks = try await screen(.asks)
    expectEqual(asks.screen.inputs.map(\.id), ["identifier", "rememberMe"])
    expectEqual(asks.screen.inputs.last?.kind, .toggle)
    try expectEqual(
      answers(asks, name.merging(["rememberMe": "true"]) { $1 })?["rememberMe"], .value(true))
    let always = try await screen(.always)
    expectEqual(always.screen.inputs.map(\.id), ["identifier"])
    try expectEqual(answers(always, name)?["rememberMe"], .value(true))
    let never = try await screen(.never)
    expectEqual(never.screen.inputs.map(\.id), ["identifier"])
    try expectEqual(answers(never, name)?["rememberMe"], nil)
  }
}

/// A server that also sets a cookie of the session, and an enormous one.
private struct SetsCookies: Transport {
  let transport: any Transport

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.send(request)
    let own = response.headers["Set-Cookie"].map { [$0] } ?? []
    let more = [
      "JSESSIONID=abc; Path=/", "DTX=abc; Path=/; Max-Age=1000",
      "DT2=\(String(repeating: "a", count: 100_000)); Path=/; Max-Age=1000",
    ]
    response.headers["Set-Cookie"] = (own + more).joined(separator: ", ")
    return response
  }
}
