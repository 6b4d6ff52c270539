import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Events")
struct EventTests {
  @Test("They tell what is sent, what was taken and what came, in order")
  func order() async throws {
    let world = try World(.required(.googleAuthenticator))
    let log = EventLog()
    _ = try await world.signIn(
      [
        .login, .password, .authenticator(.googleAuthenticator), .passcode("000000"),
        .totp("credentials.passcode"),
      ], log: log)
    #expect(
      await log.lines == [
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

  @Test(
    "Nothing is taken that the server refuses, whatever the status", arguments: [200, 400, 401])
  func refused(status: Int) async throws {
    let field: JSONValue = ["name": "identifier", "messages": Wire.messages("some.key")]
    let refused = Wire.document([Wire.form("identify", [field])])
    let server = StubServer(document: Wire.document([Wire.form("identify")])) { _ in
      .json(refused, status: status)
    }
    var handlers = Handlers()
    handlers.on(.identify) { $0.attempt == 1 ? .submit([:]) : .cancel }
    let log = EventLog()
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: handlers, observe: { await log.add($0) })
    #expect(try await coordinator.run(Wire.configuration()).isCancelled)
    #expect(await log.lines == ["received identify", "submitting identify", "received identify"])
  }

  @Test("What informs or warns refuses nothing", arguments: ["INFO", "WARNING"])
  func informed(kind: String) async throws {
    let next = Wire.document([], [("messages", Wire.messages("some.key", kind: kind))])
    let server = StubServer(document: Wire.document([Wire.form("identify")])) { _ in .json(next) }
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit([:]) }
    let log = EventLog()
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: handlers, observe: { await log.add($0) })
    _ = try await coordinator.run(Wire.configuration())
    #expect(await log.lines.contains("accepted identify"))
  }

  @Test("Sending again is no attempt at the code")
  func resend() async throws {
    let world = try World(.required(.email))
    let log = EventLog()
    let person = world.person([
      .login, .password, .authenticator(.email), .instead("credentials.passcode", .resend),
      .answer("credentials.passcode") { await world.lastCode },
    ])
    _ = try await world.signIn([], log: log, person: person)
    #expect(await person.questions.last?.step.attempt == 1)
    #expect(await log.count(of: "accepted enroll-authenticator") == 1)
  }

  @Test("The sign-in goes on only when the observer returns")
  func observerIsAwaited() async throws {
    let world = try World()
    let line = world.line
    let counts = Counts()
    let coordinator = FlowCoordinator(
      client: world.client, handlers: .asking(world.person([.login, .password])),
      observe: { event in
        let before = await line.requests.count
        for _ in 0..<20 { await Task.yield() }
        await counts.add(await line.requests.count == before)
      })
    _ = try await coordinator.run(world.configuration)
    #expect(await counts.all.allSatisfy(\.self))
    #expect(await counts.all.count == 7)
  }
}

private actor Counts {
  private(set) var all: [Bool] = []
  func add(_ value: Bool) { all.append(value) }
}
