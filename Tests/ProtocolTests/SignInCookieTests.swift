import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Cookies of sign-ins.
struct SignInCookieTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private let org = SimulatedOrg(
    users: [
      SimulatedUser(
        login: SharedSignIn.login, password: Secret(SharedSignIn.password),
        enrollments: [.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP")])
    ], policy: .required(.googleAuthenticator), clock: { Self.now })

  private func client(
    _ signInProtocol: SignInProtocol, _ transport: any Transport
  ) async -> any FlowClient {
    await signInProtocol.prepare(org)
    let tokens = TokenClient(transport: transport, now: { Self.now })
    return signInProtocol.client(over: transport, tokens)
  }

  private func identified(
    _ client: any FlowClient, _ options: StartOptions = StartOptions()
  ) async throws -> FlowState {
    try await client.proceed(
      .identify, ["identifier": .text(SharedSignIn.login)],
      from: client.start(org.configuration, options))
  }

  /// The state that asks for the code of the second factor.
  private func afterPassword(
    _ client: any FlowClient, _ state: FlowState
  ) async throws -> FlowState {
    var next = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(SharedSignIn.password)], from: state)
    if let choice = next.response[.selectAuthenticatorAuthenticate],
      next.response[.challengeAuthenticator] == nil
    {
      let factor = choice["authenticator"]?.options.last?.label ?? ""
      next = try await client.proceed(
        .selectAuthenticatorAuthenticate, ["authenticator": .optionNamed(factor)], from: next)
    }
    return next
  }

  private func end(_ client: any FlowClient, _ state: FlowState) async throws -> Credential {
    let code = try await require(org.authenticatorCode(for: SharedSignIn.login))
    return try await client.redeem(
      try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(code)], from: state))
  }

  private func saved(_ state: FlowState) throws -> FlowState {
    try FlowState(snapshot: state.snapshot(), for: org.configuration)
  }

  /// The cookies that each request carries.
  private func cookies(_ log: RequestLog, after count: Int = 0) async -> [String?] {
    await log.requests.dropFirst(count).map { $0.headers["Cookie"] }
  }

  @Test(
    "The requests of a sign-in may share a connection, but not with another sign-in",
    .promise("processed-once"),
    arguments: SignInProtocol.all)
  func connections(signInProtocol: SignInProtocol) async throws {
    var groups: [Set<ConnectionGroup?>] = []
    // The code of the app works once.
    for isFinished in [true, false] {
      let transport = RequestLog(org)
      let client = await client(signInProtocol, transport)
      let state = try await afterPassword(client, identified(client))
      // Another process continues it.
      if isFinished { _ = try await end(client, saved(state)) }
      groups.append(Set(await transport.requests.map(\.connectionGroup)))
    }
    expect(groups.allSatisfy { $0.count == 1 && !$0.contains(nil) })
    expect(groups[0].isDisjoint(with: groups[1]))
  }

  /// The cookie of the device in a header field.
  private func device(_ field: String?) -> Substring? {
    field?.split(separator: "; ").first { $0.hasPrefix("DT=") }
  }

  @Test(
    "Sign-ins over one transport have their own cookies, also after they were saved",
    .promise("cookie-origin"),
    arguments: SignInProtocol.all)
  func separate(signInProtocol: SignInProtocol) async throws {
    let transport = RequestLog(org)
    let client = await client(signInProtocol, transport)
    var first = try await afterPassword(client, identified(client))
    let mine = await cookies(transport)
    var second = try await afterPassword(client, identified(client))
    let theirs = await cookies(transport, after: mine.count)
    // The first request of each has none, and each gets another one.
    expect(mine[0] == nil && theirs[0] == nil)
    expect(!first.cookies.isEmpty && first.cookies != second.cookies)
    first = try saved(first)
    second = try saved(second)
    // They continue in another order, with a client that knows nothing of them.
    let other = await self.client(signInProtocol, transport)
    _ = try await other.refresh(second)
    let all = await cookies(transport)
    let afterSecond = Set(all.dropFirst(mine.count + theirs.count).compactMap(device))
    _ = try await end(other, first)
    let afterFirst = Set(await cookies(transport, after: all.count).compactMap(device))
    expectEqual(afterFirst.count, 1)
    expect(afterSecond.isDisjoint(with: afterFirst))
    expect(Set(mine.dropFirst().compactMap(device)).isSubset(of: afterFirst))
  }

  @Test(
    "A sign-in that starts over keeps its cookies, and a new one can start with those of an earlier one",
    arguments: SignInProtocol.all)
  func sameDevice(signInProtocol: SignInProtocol) async throws {
    let client = await client(signInProtocol, org)
    let state = try await afterPassword(client, identified(client))
    try await expectEqual(client.startOver(state).cookies, state.cookies)
    let transport = RequestLog(org)
    let another = await self.client(signInProtocol, transport)
    var options = StartOptions()
    options.cookies = try await afterPassword(another, identified(another)).cookies
    let count = await transport.requests.count
    _ = try await afterPassword(another, identified(another, options))
    let carried = await cookies(transport, after: count)
    expect(Set(carried).count == 1 && carried.first??.hasPrefix("DT=") == true)
  }

  @Test("Cookies of another org are not used", .promise("cookie-origin"))
  func otherOrg() async throws {
    let other = SimulatedOrg(
      issuer: "https://evil.example", users: [.demo], policy: .passwordOnly,
      clock: { Self.now })
    var options = StartOptions()
    options.cookies = try await other.client.start(other.configuration).cookies
    expectEqual(options.cookies?.isEmpty, false)
    let transport = RequestLog(org)
    _ = try await client(.idx, transport).start(org.configuration, options)
    await expectEqual(cookies(transport).first, .some(nil))
  }

  @Test("A refused answer keeps the cookies, and a failed one leaves the state's cookies valid")
  func refusals() async throws {
    let client = await client(.idx, org)
    let state = try await identified(client)
    let refused = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "wrong"], from: state)
    expectEqual(refused.cookies, state.cookies)
    await org.inject(.serverError, at: "answer")
    _ = try? await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(SharedSignIn.password)], from: state)
    _ = try await end(client, afterPassword(client, state))
  }

  @Test("An error does not show a cookie that the server repeats", .promise("cookie-origin"))
  func redacted() async throws {
    let transport = RequestLog(org)
    let client = await client(.idx, transport)
    let state = try await identified(client)
    _ = try await client.refresh(state)
    let cookie = try await require(cookies(transport).last ?? nil)
    let value = String(cookie.dropFirst("DT=".count))
    let body: JSONValue = ["errorSummary": .string("No \(value)!")]
    let failing = await self.client(
      .idx,
      FailingServer(
        response: .json(body, status: 500, headers: ["X-Okta-Request-Id": "id-\(value)"])))
    let error = try await requireError(FlowError.self) { try await failing.refresh(state) }
    expect(error.requestID != nil && !"\(error) \(error.requestID ?? "")".contains(value))
    expect(!"\(state)".contains(value))
  }
}

/// A server that sends the same response to each request.
private struct FailingServer: Transport {
  let response: TransportResponse

  func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}
