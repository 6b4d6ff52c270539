import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg

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
    expectEqual(client.messageKeys, ["idx.session.expired"])
    expectEqual(client.response.header("Date"), "Sun, 17 Mar 2030 17:47:41 GMT")

    await org.inject(.rateLimited(seconds: 7), at: "/introspect")
    try await client.introspect()
    expectEqual(client.status, 429)
    expectEqual(client.json["errorCode"], "E0000047")
    expectEqual(client.response.header("X-Rate-Limit-Remaining"), "0")
    expectEqual(client.response.header("X-Rate-Limit-Reset"), "1900000068")
    expectEqual(client.response.header("Date"), "Sun, 17 Mar 2030 17:47:41 GMT")
    try await client.introspect()
    expectEqual(client.remediations, ["identify"])
  }

  @Test(
    "A refusal applies once, at any endpoint",
    arguments: ["interact", "token", "revoke", "introspect", "userinfo"])
  func refused(name: String) async throws {
    let org = makeOrg()
    let request = TransportRequest(url: org.issuer.appendingPathComponent("v1/" + name))
    await org.inject(.refused("temporarily_unavailable"), at: "/v1/" + name)
    let refusal = try await org.send(request)
    expectEqual(refusal.status, 400)
    try expectEqual(JSONValue(parsing: refusal.body)["error"], "temporarily_unavailable")
    try await expect(org.send(request).status != 400)
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
    var client = try await OrgClient.signedIn(org)
    try await client.choose("Email", in: "select-authenticator-enroll")
    let codes = await org.mailbox.messages.map(\.code)
    expectEqual(codes.count, 1)
    seen.finish()
    await expectEqual(stream.reduce(into: []) { $0.append($1) }, codes)
  }

  private static let field: JSONValue = [
    "relatesTo": ["$.currentAuthenticator"], "required": true, "type": "string",
    "transports": ["usb", "nfc"], "options": [["value": ["form": ["value": []]]]],
  ]

  @Test(
    "Each shape writes one thing in another way",
    arguments: [
      (.bareReferences, "relatesTo", "$.currentAuthenticator"),
      (.flagsAsStrings, "required", "true"), (.untypedChoices, "type", nil),
      (.transportsAsText, "transports", "usb,nfc"),
      (.optionsAsForms, "options", [["form": ["value": []]]]),
    ] as [(ResponseShape, String, JSONValue?)])
  func shapes(shape: ResponseShape, name: String, value: JSONValue?) throws {
    var expected = try require(Self.field.object)
    expected[name] = value
    let shaped = try require(shape.shaping(Self.field).object)
    expectEqual(shaped, expected)
    // Unknown members are not in the table because every object has one.
    let more = ResponseShape.unknownMembers.shaping(Self.field)
    expect(more["futureMember"] != nil && more["options"]?[0]?["futureMember"] != nil)
  }

  private func introspection(_ client: OrgClient) async throws -> OrgClient {
    var client = client
    try await client.introspect()
    return client
  }
}
