import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Faults and response shapes of the simulated org.
struct FaultTests {
  @Test(
    "If the response is lost, the org has processed the request; if it is unreachable, it gets none"
  )
  func responseLost() async throws {
    let org = makeOrg()
    var client = try await OrgClient(org)
    await org.inject(.responseLost, at: "/identify")
    let error = await #expect(throws: TransportError.self) {
      try await client.submit("identify", ["identifier": "ada@shop.example"])
    }
    expectEqual(error?.mayHaveArrived, true)
    expectEqual(error?.code, .connectionLost)
    try await client.introspect()
    expectEqual(client.remediations, ["challenge-authenticator"])

    client = try await OrgClient(org)
    let before = await org.requests
    await org.inject(.unreachable)
    let unreachable = await #expect(throws: TransportError.self) {
      try await client.submit("identify", ["identifier": "ada@shop.example"])
    }
    expectEqual(unreachable?.mayHaveArrived, false)
    await expectEqual(org.requests, before)
    // The fault applies once.
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    expectEqual(client.status, 200)
  }

  @Test("Every response has the time of the org, and a rate limit says when it ends")
  func date() async throws {
    let org = makeOrg()
    var client = try await OrgClient(org)
    expectEqual(client.response.header("Date"), "Sun, 17 Mar 2030 17:46:40 GMT")
    org.advance(by: 61)
    try await client.post("/api/v1/nothing", [:])
    expectEqual(client.status, 404)
    expectEqual(client.response.header("Date"), "Sun, 17 Mar 2030 17:47:41 GMT")
    await org.inject(.sessionExpired)
    try await client.introspect()
    expectEqual(client.status, 401)
    expectEqual(client.response.header("Date"), "Sun, 17 Mar 2030 17:47:41 GMT")

    let limited = makeOrg()
    client = try await OrgClient(limited)
    await limited.inject(.rateLimited(seconds: 7), at: "/identify")
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    expectEqual(client.status, 429)
    expectEqual(client.json["errorCode"], "E0000047")
    expectEqual(client.response.header("X-Rate-Limit-Remaining"), "0")
    expectEqual(client.response.header("X-Rate-Limit-Reset"), "1900000007")
    expectEqual(client.response.header("Date"), "Sun, 17 Mar 2030 17:46:40 GMT")
  }

  @Test("A held request continues when it is released, and ends when its task is cancelled")
  func held() async throws {
    let org = makeOrg()
    let client = try await OrgClient(org)
    await org.inject(.held, at: "/introspect")
    async let late = introspection(client)
    await org.waitUntilHeld()
    await org.release()
    try await expectEqual(late.status, 200)

    await org.inject(.held, at: "/introspect")
    let task = Task { try await introspection(client) }
    await org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("The org calls onMessage for each message when it is sent")
  func messageHook() async throws {
    let (stream, seen) = AsyncStream.makeStream(of: String.self)
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
      policy: .required(.email), onMessage: { message in seen.yield(message.code) }
    )
    var client = try await OrgClient(org)
    try await client.signIn()
    try await client.choose("Email", in: "select-authenticator-enroll")
    let codes = await org.mailbox.messages.map(\.code)
    expectEqual(codes.count, 1)
    seen.finish()
    await expectEqual(stream.reduce(into: []) { $0.append($1) }, codes)
  }

  @Test(
    "Options can have their form directly, references and flags can be strings, and members unknown"
  )
  func shapes() async throws {
    let shape: ResponseShape = [.bareReferences, .flagsAsStrings, .unknownMembers]
    var client = try await OrgClient(makeOrg(.required(.googleAuthenticator), shape: shape))
    try await client.signIn()
    try await client.choose("Google Authenticator", in: "select-authenticator-enroll")
    let form = try require(client.form("enroll-authenticator"))
    expectEqual(form["relatesTo"], "$.currentAuthenticator")
    expectEqual(form["value"]?[0]?["required"], "true")
    expect(client.json["futureMember"] != nil)
    expect(client.sharedSecret != nil)

    client = try await OrgClient(makeOrg(.demo, shape: .optionsAsForms))
    try await client.signIn()
    let option = try require(client.choices(of: "select-authenticator-enroll").first)
    expectEqual(option["value"], nil)
    let id = try require(option["form"]?["value"]?[0]?["value"])
    try await client.submit("select-authenticator-enroll", ["authenticator": ["id": id]])
    expectEqual(client.remediations.first, "enroll-authenticator")
  }

  private func introspection(_ client: OrgClient) async throws -> OrgClient {
    var client = client
    try await client.introspect()
    return client
  }
}
