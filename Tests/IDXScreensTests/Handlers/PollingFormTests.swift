import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@testable import IDXFlow

/// Forms that wait for an action elsewhere.
struct PollingFormTests {
  private static func push(_ number: String? = nil, beside: JSONValue...) -> JSONValue {
    let data: JSONValue = number.map { ["contextualData": ["correctAnswer": .string($0)]] } ?? [:]
    var app = data.object ?? JSONValue.Object()
    app["key"] = "okta_verify"
    app["id"] = "autOKTAVERIFY0000001"
    return Wire.document(
      [Wire.form("challenge-poll", [], [("refresh", 2000)])] + beside,
      [Wire.current(.object(app))])
  }

  private static let choice = Wire.form(
    "select-authenticator-authenticate", [["name": "way", "required": true]])

  /// Runs a person against a server that sends these documents, and polls when the person is idle.
  private func run(
    _ replies: [ScriptedReply], _ documents: [JSONValue], limits: FlowLimits = FlowLimits()
  ) async throws -> (Result<Outcome, any Error>, ScriptedFrontEnd, RequestLog, [Duration]) {
    let transport = RequestLog(StubServer(documents))
    let person = ScriptedFrontEnd(replies)
    let waits = Locked<[Duration]>([])
    let result: Result<Outcome, any Error>
    do {
      result = .success(
        try await transport.run(
          .showing(on: person), limits: limits,
          sleep: { wait in
            await person.untilIdle()
            try Task.checkCancellation()
            waits.withLock { $0.append(wait) }
          }))
    } catch { result = .failure(error) }
    try await person.finish()
    return (result, person, transport, waits.withLock { $0 })
  }

  @Test("A rejected push is sent again only if the person wants it")
  func rejectedPush() async throws {
    let rejected = Wire.document(
      [Wire.form("resend"), Wire.form("select-authenticator-authenticate", [["name": "way"]])],
      [("messages", Wire.messages("api.authn.poll.error.push_rejected"))])
    let (result, person, transport, _) = try await run(
      [.instead("resend", .resend)], [Self.push(), Self.push(), rejected, Self.push("17")])
    try expect(result.get().end != nil)
    await expectEqual(
      transport.steps.suffix(4),
      [
        "challenge-poll", "challenge-poll", "resend", "challenge-poll",
      ])
    await expectEqual(person.messages, ["api.authn.poll.error.push_rejected"])
  }

  @Test("During a wait, the person can do something else or cancel")
  func instead() async throws {
    let (result, _, transport, waits) = try await run(
      [.instead("challenge-poll", .selectAuthenticatorAuthenticate), .answer("way", "code")],
      [Self.push(beside: Self.choice)])
    try expect(result.get().end != nil)
    expectEmpty(waits)
    await expectEqual(transport.requests.last?.json, ["way": "code"])
    let (cancelled, _, _, _) = try await run([.cancel("challenge-poll")], [Self.push()])
    try expect(cancelled.get().isCancelled)
  }

  @Test("A new number is shown, and the same number is not shown again")
  func number() async throws {
    let (_, person, _, _) = try await run([], [Self.push("17"), Self.push("17"), Self.push("42")])
    await expectEqual(person.waits.map(\.authenticator?.numberChallenge), ["17", "42"])
  }

  @Test(
    "If nothing happens in time, the person chooses what to do; without a choice, the sign-in has failed"
  )
  func overdue() async throws {
    var limits = FlowLimits()
    limits.polling = .seconds(5)
    let (result, person, transport, waits) = try await run(
      [
        .elsewhere("challenge-poll") {},
        .instead("challenge-poll", .selectAuthenticatorAuthenticate), .answer("way", "code"),
      ],
      Array(repeating: Self.push(beside: Self.choice), count: 3), limits: limits)
    try expect(result.get().end != nil)
    expectEqual(waits, [.seconds(2), .seconds(2)])
    await expectEqual(transport.requests.last?.json, ["way": "code"])
    await expectEqual(person.waits.map(\.timeLeft), [.seconds(5)])

    let (failure, _, polls, _) = try await run(
      [], Array(repeating: Self.push(), count: 3), limits: limits)
    let error = try #require(throws: FlowError.self) { try failure.get() }
    expectEqual(error.code, .limitReached)
    expectContains(error.message, "within 5 s")
    await expectEqual(polls.count(of: "challenge-poll"), 2)
  }

  @Test("Optional fields of a polled form are not asked for")
  func optionalFields() async throws {
    let poll = Wire.form(
      "challenge-poll", [["name": "autoChallenge", "type": "boolean", "value": true]],
      [("refresh", 2000)])
    let step = try Wire.step(Wire.document([poll]))
    let (_, person) = try await Wire.decide(step, [.cancel("challenge-poll")])
    guard case .ask(let screen, _) = try await Handlers.showing().decide(step) else {
      Issue.record("Nobody is asked.")
      return
    }
    expectEqual(screen.wait?.form, step.remediation)
    await expectEmpty(person.asked)
  }

  @Test("A polled form shows the key of the app that is set up")
  func appKey() async throws {
    let code: JSONValue = ["type": "image/png", "href": "data:image/png;base64,iVBORw0KGgo="]
    let document = Wire.document(
      [Wire.form("enroll-poll", [], [("refresh", 4000)])],
      [
        Wire.current([
          "key": "okta_verify", "displayName": "Okta Verify", "contextualData": ["qrcode": code],
        ])
      ])
    let (_, person) = try await Wire.decide(Wire.step(document), [.cancel("enroll-poll")])
    await expectEqual(person.apps.map(\.name), ["Okta Verify"])
    await expect(person.apps.first?.image != nil)
  }
}
