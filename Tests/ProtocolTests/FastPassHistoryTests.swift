import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// A server that asks for Okta Verify again and again.
struct FastPassHistoryTests {
  private let org = SharedSignIn.org(OrgScenario["device-challenge"])

  /// One port of this computer.
  @Sendable private static func samePort(_ number: Int) -> [(String, JSONValue)] {
    [("domain", "http://localhost"), ("ports", ["6511"])]
  }

  /// Eight other ports of this computer with each number.
  @Sendable private static func otherPorts(_ number: Int) -> [(String, JSONValue)] {
    let ports = (0..<8).map { JSONValue.number(.init(2000 + 8 * number + $0)) }
    return [("domain", "http://localhost"), ("ports", .array(ports))]
  }

  /// A client of a server whose challenges differ by their number.
  private func client(_ members: @escaping @Sendable (Int) -> [(String, JSONValue)]) -> IDXClient {
    IDXClient(
      transport: AskingAgain(transport: org, members: members), tokens: org.tokenClient)
  }

  /// Runs a program without a person, and returns what was sent to Okta Verify, which is never there.
  private func probes(
    _ members: @escaping @Sendable (Int) -> [(String, JSONValue)]
  ) async throws -> (urls: [URL], error: FlowError?) {
    let log = RequestLog(NobodyThere())
    var handlers = Handlers()
    handlers.register(
      FastPassHandler(LoopbackFastPass.patient(over: log)), for: .deviceChallengePoll)
    let coordinator = FlowCoordinator(
      client: client(members), handlers: handlers, sleep: { _ in })
    do {
      _ = try await coordinator.run(org.configuration)
      return (await log.requests.map(\.url), nil)
    } catch let error as FlowError {
      return (await log.requests.map(\.url), error)
    }
  }

  @Test(
    "A server that names new ports, names or challenges again and again cannot search the computer",
    .promise("fastpass-local"))
  func manyPorts() async throws {
    let (urls, error) = try await probes(Self.otherPorts)
    expectEqual(error?.code, .unsafeChallenge)
    expectEqual(urls.compactMap(\.port), Array(2000..<2016))
    let same = try await probes(Self.samePort)
    expectEqual(same.error?.code, .unsafeChallenge)
    expectEqual(same.urls.count, 5)
    let names = try await probes { number in
      [("httpsDomain", .string("https://name\(number).example")), ("ports", ["6511"])]
    }
    expectEqual(names.error?.code, .unsafeChallenge)
    expectEqual(names.urls.compactMap(\.host), ["name0.example", "name1.example"])
  }

  @Test(
    "The pages of one sign-in are counted together, whichever process draws them",
    .promise("fastpass-local"))
  func sessions() async throws {
    let store = MemoryOpenSignInStore()
    let client = client(Self.samePort)
    let configuration = org.configuration
    func process() -> OpenSignIns {
      OpenSignIns(
        client: client, configuration: configuration, handlers: .showing(Screens(fastPass: .asks)),
        store: store, now: { org.now }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    }
    var page = try await require(process().start().page)
    var challenges = 0
    while page.screen.deviceChallenge != nil, challenges < 20 {
      challenges += 1
      let reply = Reply.fastPass(.unreachable)
      page = try await require(process().reply(reply, to: page.id, revision: page.revision).page)
    }
    expectEqual(challenges, 5)
    expect(page.screen.messages.contains { $0.text.contains("too often") })
    expectEqual(page.screen.action.label, "Continue without it")
  }

  @Test("A person who starts over can be asked again, and nobody is known any more")
  func startsOver() async throws {
    let engine = FlowEngine(client: client(Self.samePort))
    var progress = try await engine.begin(org.configuration)
    let handlers = Handlers.showing(Screens(fastPass: .asks))
    for _ in 0..<8 {
      let pending = try await require(handlers.next(in: progress).pending)
      expect(pending.screen.deviceChallenge != nil)
      let cancel = try require(progress.state.response.action(.cancel))
      let step = try progress.nextStep(for: progress.state.response.remediations[0])
      _ = try await engine.make(.decide(.submit([:], to: cancel), at: step), in: &progress)
    }
    try expectEqual(progress.nextStep(for: progress.state.response.remediations[0]).username, nil)
  }

  @Test(
    "Ports stay counted in a sign-in that is saved after starting over", .promise("fastpass-local"))
  func savedAfterStartingOver() async throws {
    let client = client { number in
      // The page after starting over has no challenge.
      number.isMultiple(of: 2) ? Self.otherPorts(number) : [("challengeRequest", .null)]
    }
    let engine = FlowEngine(client: client)
    var progress = try await engine.begin(org.configuration)
    var challenges = 0
    for _ in 0..<12 {
      let form = progress.state.response.remediations[0]
      let step = try progress.nextStep(for: form)
      if (try? step.loopbackChallenge) != nil { challenges += 1 }
      let cancel = try require(progress.state.response.action(.cancel))
      _ = try await engine.make(.decide(.submit([:], to: cancel), at: step), in: &progress)
      progress = try FlowProgress(snapshot: progress.snapshot(), for: org.configuration)
    }
    expectEqual(challenges, 2)
  }

  @Test("A page with nothing but “Start over” waits for a person")
  func onlyCancel() async throws {
    let transport = RequestLog(
      StubServer([
        Wire.document([Wire.form("cancel")]), Wire.document([Wire.form("identify")]),
      ]))
    let titles = Locked<[String]>([])
    let front = ReplyingFrontEnd { screen in
      titles.withLock { $0.append(screen.action.label) }
      return .cancel
    }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: transport), handlers: .showing(Screens(), on: front),
      sleep: { _ in })
    _ = try await coordinator.run(Wire.configuration())
    expectEqual(titles.withLock { $0 }, ["Start over"])
  }

  @Test("Who never uses it is asked after the server has searched five times")
  func never() async throws {
    let log = RequestLog(AskingAgain(transport: org) { _ in [("ports", ["6511"])] })
    let client = IDXClient(transport: log, tokens: org.tokenClient)
    let titles = Locked<[String]>([])
    let front = ReplyingFrontEnd { screen in
      titles.withLock { $0.append(screen.action.label) }
      return .cancel
    }
    let coordinator = FlowCoordinator(
      client: client, handlers: .showing(Screens(fastPass: .never), on: front), sleep: { _ in })
    let outcome = try await coordinator.run(org.configuration)
    expect(outcome.signIn == nil)
    expectEqual(titles.withLock { $0 }, ["Continue without it"])
    await expectEqual(log.count(of: "cancel-polling"), 5)
  }
}

/// A server that, whatever it is told, asks for Okta Verify.
private struct AskingAgain: Transport {
  let transport: any Transport
  let members: @Sendable (Int) -> [(String, JSONValue)]
  private let sent = Locked<(count: Int, request: JSONValue?)>((0, nil))

  init(
    transport: any Transport, members: @escaping @Sendable (Int) -> [(String, JSONValue)]
  ) {
    self.transport = transport
    self.members = members
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.url.path.contains("/idp/idx/") else { return try await transport.send(request) }
    var number = sent.withLock { $0.count }
    var response = TransportResponse(status: 200, headers: [:], body: [])
    if number == 0 {
      response = try await transport.send(request)
      let challenge = try JSONValue(parsing: response.body)["authenticatorChallenge"]
      sent.withLock { $0.request = challenge?["value"]?["challengeRequest"] }
    }
    let proof = sent.withLock { sent in
      number = sent.count
      sent.count += 1
      return sent.request
    }
    var challenge = JSONValue.Object([
      .init("challengeMethod", "LOOPBACK"), .init("challengeRequest", proof ?? .null),
      .init(
        "cancel",
        Wire.form("cancel-polling", href: "https://demo.okta.example/idp/idx/cancel-polling")),
    ])
    for (name, value) in members(number) { challenge[name] = value }
    let document = Wire.document(challenge: .object(challenge))
    let again = Wire.form("cancel", href: "https://demo.okta.example/idp/idx/cancel")
    response.body = document.adding("cancel", again).bytes
    return response
  }
}

/// A computer on which nothing listens.
private struct NobodyThere: Transport {
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    throw TransportError(.unreachable, message: "Nothing listens.", mayHaveArrived: false)
  }
}
