import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Events of a coordinator.
struct EventTests {
  @Test("Events say what was sent, accepted and received, in order")
  func order() async throws {
    let log = EventLog()
    _ = try await TestSignIn(.required(.googleAuthenticator)).run(
      [
        .login, .password, .authenticator(.googleAuthenticator), .passcode("000000"),
        .totp("credentials.passcode"),
      ], log: log)
    await expectEqual(
      log.lines,
      [
        "received identify",
        "submitting identify", "accepted identify", "received challenge-authenticator",
        "submitting challenge-authenticator",
        "accepted challenge-authenticator of okta_password", "received select-authenticator-enroll",
        "submitting select-authenticator-enroll", "accepted select-authenticator-enroll",
        "received enroll-authenticator",
        "submitting enroll-authenticator", "received enroll-authenticator",
        "submitting enroll-authenticator", "accepted enroll-authenticator of google_otp",
        "received no form",
      ])
  }

  @Test("Refused answers are not accepted, whatever the status", arguments: [200, 400, 401])
  func refused(status: Int) async throws {
    let field: JSONValue = ["name": "identifier", "messages": Wire.messages("some.key")]
    let refused = Wire.document([Wire.form("identify", [field])])
    let server = StubServer(document: Wire.document([Wire.form("identify")])) { _ in
      .json(refused, status: status)
    }
    var handlers = Handlers()
    handlers.on(.identify) { $0.attempt == 1 ? .submit([:]) : .cancel }
    let log = EventLog()
    try await expect(server.run(handlers, observe: { await log.add($0) }).isCancelled)
    await expectEqual(log.lines, ["received identify", "submitting identify", "received identify"])
  }

  @Test(
    "At the end, only a message that is an error means a refusal",
    arguments: [("ERROR", false), ("INFO", true), ("WARNING", true)])
  func messages(kind: String, isAccepted: Bool) async throws {
    let next = Wire.document([], [("messages", Wire.messages("some.key", kind: kind))])
    let server = StubServer([Wire.document([Wire.form("identify")]), next])
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit([:]) }
    let log = EventLog()
    _ = try await server.run(handlers, observe: { await log.add($0) })
    await expectEqual(log.lines.contains("accepted identify"), isAccepted)
  }

  @Test("The sign-in continues only when the observer has returned")
  func observerIsAwaited() async throws {
    let test = try TestSignIn()
    let results = Locked<[Bool]>([])
    let coordinator = FlowCoordinator(
      client: test.client, handlers: .showing(on: test.person([.login, .password])),
      observe: { _ in
        let before = await test.transport.requests.count
        for _ in 0..<20 { await Task.yield() }
        let after = await test.transport.requests.count
        results.withLock { $0.append(after == before) }
      })
    _ = try await coordinator.run(test.configuration)
    expectEqual(results.withLock { $0 }, Array(repeating: true, count: 7))
  }
}
