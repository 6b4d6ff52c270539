import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// Okta FastPass, from the challenge to the tokens.
struct FastPassTests {
  private static let login = SimulatedUser.demo.login

  /// Runs a sign-in of a person whose computer has Okta Verify.
  private func run(
    _ scenario: OrgScenario, fastPass: DevicePermission, log: RequestLog, okta: SimulatedOktaVerify,
    org: SimulatedOrg, replies: [Reply] = []
  ) async throws -> (Outcome, titles: [String]) {
    let titles = Locked<[String]>([])
    let left = Locked(replies)
    let person = SimulatedPerson(of: org, oktaVerify: okta)
    let front = ReplyingFrontEnd { screen in
      titles.withLock { $0.append(screen.title) }
      if let reply = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return reply }
      if let reply = try await person.reply(to: screen) { return reply }
      await waitForever()
      throw CancellationError()
    }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: log, tokens: org.tokenClient),
      handlers: .showing(Screens(fastPass: fastPass), on: front),
      sleep: { org.advance(by: $0 / .seconds(1)) })
    let outcome = try await coordinator.run(org.configuration)
    return (outcome, titles.withLock { $0 })
  }

  @Test(
    "A person who agrees is signed in, also if Okta Verify is an authenticator of its own, or opened by a link",
    arguments: [
      ("device-challenge", [], ["Use Okta FastPass on this computer?"]),
      (
        "okta-verify-apart", [],
        [
          "Sign in to Demo app", "Enter your password", "Choose how to verify",
          "Use Okta FastPass on this computer?",
        ]
      ),
      (
        "fastpass", [.choose("launch-authenticator")],
        ["Sign in to Demo app", "Continue in Okta Verify"]
      ),
    ] as [(String, [Reply], [String])])
  func agreed(name: String, replies: [Reply], titles: [String]) async throws {
    let scenario = OrgScenario[name]
    let org = SharedSignIn.org(scenario)
    let okta = SimulatedOktaVerify(of: Self.login, at: org)
    let log = RequestLog(org)
    let (outcome, shown) = try await run(
      scenario, fastPass: .asks, log: log, okta: okta, org: org, replies: replies)
    try expectEqual(require(outcome.signIn).credential.username, Self.login)
    expectEqual(shown, titles)
    // The first poll follows at once, and has the news.
    if name == "device-challenge" { await expectEqual(log.count(of: "poll"), 1) }
  }

  @Test(
    "Nothing is sent to this computer before the person agrees; a refusal or a failure names its reason, and the person goes on",
    .promise("fastpass-consent"),
    arguments: [
      (.choose("cancel-polling"), "USER_CANCELED", .null),
      (.fastPass(.unreachable), "OV_UNREACHABLE_BY_LOOPBACK", .null),
      (.fastPass(.refused(status: 500)), "OV_RETURNED_ERROR", 500),
      (.fastPass(.refused(status: nil)), "OV_RETURNED_ERROR", .null),
    ] as [(Reply, String, JSONValue)])
  func declined(reply: Reply, reason: String, status: JSONValue) async throws {
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let okta = SimulatedOktaVerify(of: Self.login, at: org)
    let log = RequestLog(org)
    let (outcome, titles) = try await run(
      OrgScenario["device-challenge"], fastPass: .asks, log: log, okta: okta, org: org,
      replies: [reply])
    expect(outcome.signIn != nil)
    expectEqual(titles.prefix(2), ["Use Okta FastPass on this computer?", "Sign in to Demo app"])
    let cancel = try await require(log.sent.first { $0.path == "cancel" })
    expectEqual(cancel.body, ["reason": .string(reason), "statusCode": status])
  }

  @Test("As a factor, the device of the same person is accepted, and that of another is not")
  func factor() async throws {
    for (login, isAccepted) in [(Self.login, true), ("eve@example.com", false)] {
      var scenario = OrgScenario["fastpass-factor"]
      scenario.users.append(SimulatedUser(login: "eve@example.com", password: "Analytical-1843"))
      let org = SharedSignIn.org(scenario)
      let okta = SimulatedOktaVerify(of: login, at: org)
      let client = org.client
      var state = try await client.proceed(
        .authenticatorVerificationData, ["authenticator.methodType": "signed_nonce"],
        from: client.afterPassword(org.configuration))
      let step = Step(state.response.remediations[0], state: state)
      let challenge = try LoopbackChallenge(require(step.deviceChallenge), issuer: org.issuer)
      let result = try await LoopbackFastPass.patient(over: okta).pass(challenge)
      expectEqual(result, isAccepted ? .delivered : .refused(status: 401))
      state = try await client.poll(state)
      expectEqual(state.isSignedIn, isAccepted)
      if !isAccepted {
        let end = try require(step.decision(after: result).otherForm)
        state = try await client.proceed(Submission(end), from: state)
        expectEqual(state.response.remediations.first?.name, .authenticatorVerificationData)
      }
    }
  }

  @Test(
    "If it is never used, it is not among the choices",
    arguments: [OrgScenario["fastpass-factor"], OrgScenario["okta-verify-apart"]])
  func notOffered(scenario: OrgScenario) async throws {
    let org = SharedSignIn.org(scenario)
    let state = try await org.client.afterPassword(org.configuration)
    func choices(_ fastPass: DevicePermission) async throws -> [String] {
      let step = Step(state.response.remediations[0], state: state)
      let handlers = Handlers.showing(Screens(fastPass: fastPass))
      return try await handlers.decide(step).screen?.inputs.first?.choices.map(\.label) ?? []
    }
    try await expectEqual(choices(.asks).count { $0.contains("FastPass") }, 1)
    try await expectEqual(choices(.never).count { $0.contains("FastPass") }, 0)
    try await expectEqual(choices(.never).count, 2)
  }

  @Test("It is launched without a question only if the person has chosen it, wherever it is listed")
  func chosen() async throws {
    let name = ["name": "identifier", "required": true] as JSONValue
    let both = [Wire.form("launch-authenticator"), Wire.form("identify", [name])]
    for forms in [both, both.reversed()] {
      let handlers = Handlers.showing(Screens(fastPass: .asks))
      var progress = FlowProgress(try Wire.state(Wire.document(forms)))
      let launch = try require(progress.state.response[.launchAuthenticator])
      try await expect(handlers.decide(progress.nextStep(for: launch)).screen != nil)
      let engine = FlowEngine(client: SharedSignIn.org(OrgScenario["fastpass"]).client)
      _ = try await engine.make(
        .decide(.choose(launch), at: progress.nextStep(for: launch)), in: &progress)
      guard case .submit = try await handlers.decide(progress.nextStep(for: launch)) else {
        Issue.record("The person must not be asked again.")
        return
      }
    }
  }

  @Test("A server whose every poll brings news gets polls with pauses")
  func newsAgainAndAgain() async throws {
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let pauses = Locked<[Duration]>([])
    var handlers = Handlers()
    handlers.on(.deviceChallengePoll) { _ in .poll() }
    let client = IDXClient(transport: ChangingMessages(transport: org), tokens: org.tokenClient)
    let coordinator = FlowCoordinator(
      client: client, handlers: handlers,
      sleep: { pause in
        pauses.withLock { $0.append(pause) }
        if pauses.withLock({ $0.count }) > 20 { throw CancellationError() }
      })
    await #expect(throws: CancellationError.self) {
      try await coordinator.run(org.configuration)
    }
    expectEqual(pauses.withLock { $0.count { $0 == .zero } }, 1)
  }

  @Test(
    "A program without a person uses Okta Verify with its handlers, also as an authenticator with another key"
  )
  func handlers() async throws {
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let okta = SimulatedOktaVerify(of: Self.login, at: org)
    var handlers = Handlers()
    handlers.register(
      FastPassHandler(LoopbackFastPass.patient(over: okta)), for: .deviceChallengePoll)
    let coordinator = FlowCoordinator(client: org.client, handlers: handlers, sleep: { _ in })
    let outcome = try await coordinator.run(org.configuration)
    try expectEqual(require(outcome.signIn).credential.username, Self.login)
    let other = SharedSignIn.org(OrgScenario["fastpass-factor"])
    let factor = SimulatedOktaVerify(of: Self.login, at: other)
    var more = Handlers()
    more.on(.identify) { _ in .submit(["identifier": .text(Self.login)]) }
    more.on(.challengeAuthenticator) { _ in
      .submit(["credentials.passcode": .text(SharedSignIn.password)])
    }
    more.on(.authenticatorVerificationData) { _ in
      .submit(["authenticator.methodType": "signed_nonce"])
    }
    more.register(FastPassHandler(LoopbackFastPass.patient(over: factor)), for: .challengePoll)
    let client = IDXClient(transport: OtherKeys(transport: other), tokens: other.tokenClient)
    let another = FlowCoordinator(client: client, handlers: more, sleep: { _ in })
    let end = try await another.run(other.configuration)
    try expectEqual(require(end.signIn).credential.username, Self.login)
  }

  @Test(
    "An app whose person has agreed starts by itself, shows that it waits, and offers another way")
  @MainActor func model() async throws {
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let okta = SimulatedOktaVerify(of: Self.login, at: org)
    let model = SignInModel(
      client: org.client, handlers: .showing(Screens(fastPass: .always)),
      fastPass: LoopbackFastPass.patient(over: okta), sleep: { _ in })
    model.start(org.configuration)
    await model.end()
    guard case .signedIn(let signIn) = model.phase else {
      Issue.record("\(model.phase)")
      return
    }
    expectEqual(signIn.username, Self.login)
    let other = SharedSignIn.org(OrgScenario["device-challenge"])
    let silent = SimulatedOktaVerify(of: Self.login, at: other, ports: [6511: .isSilent])
    let another = SignInModel(
      client: other.client, handlers: .showing(Screens(fastPass: .always)),
      fastPass: LoopbackFastPass.patient(over: silent), sleep: { _ in })
    another.start(other.configuration)
    let waiting = try await require(another.next())
    expectEqual(waiting.title, "Continue in Okta Verify")
    another.submit(waiting)
    let still = try await require(another.next(after: waiting))
    expectEqual(still.title, "Continue in Okta Verify")
    another.choose("cancel-polling", on: still)
    let next = try await require(another.next(after: still))
    expectEqual(next.title, "Sign in to Demo app")
    another.cancel()
    await another.end()
  }

  @Test("The handler without a person declines a push, and gives up what cannot be delivered")
  func handlerDeclines() async throws {
    let push = SharedSignIn.org(OrgScenario["push"])
    let state = try await push.client.proceed(
      .authenticatorVerificationData, ["authenticator.methodType": "push"],
      from: push.client.afterPassword(push.configuration))
    let handler = FastPassHandler(FixedResult(result: .unreachable))
    let step = Step(state.response.remediations[0], state: state)
    guard case .decline = try await handler.decide(step) else {
      Issue.record("A push is no challenge for this computer.")
      return
    }
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let search = try await org.client.start(org.configuration)
    let searchStep = Step(search.response.remediations[0], state: search)
    try await expectEqual(handler.decide(searchStep).otherForm?.name, .cancelPolling)
  }

  @Test(
    "The page of a server gets the challenge as JSON, and its browser's result signs the person in")
  func sessions() async throws {
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let okta = SimulatedOktaVerify(of: Self.login, at: org)
    let sessions = OpenSignIns(
      client: org.client, configuration: org.configuration,
      handlers: .showing(Screens(fastPass: .asks)),
      now: { org.now }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    let page = try await require(sessions.start().page)
    let json = try JSONValue(parsing: require(page.screen.deviceChallenge).json.utf8)
    expectEqual(json["addresses"]?.array?.count, 4)
    expectEqual(json["probeTimeout"], 900)
    expectEqual(json["answerTimeout"], 300_000)
    let body: JSONValue = ["challengeRequest": json["request"] ?? .null]
    let status = try await okta.send(
      TransportRequest(
        method: "POST", url: require(URL(string: "http://localhost:6511/challenge")),
        headers: ["Origin": "https://demo.okta.example"], body: body.bytes)
    ).status
    expectEqual(status, 200)
    let reply = try require(Reply(fastPassJSON: #"{"result": "delivered"}"#))
    guard case .signedIn(let signIn) = try await sessions.reply(reply, to: page.id, revision: 0)
    else {
      Issue.record("The person must be signed in.")
      return
    }
    expectEqual(signIn.credential.username, Self.login)
  }

  @Test(
    "The result of a page is read, and anything else is refused",
    arguments: [
      (#"{"result": "unreachable"}"#, .fastPass(.unreachable)),
      (#"{"result": "refused", "status": 500}"#, .fastPass(.refused(status: 500))),
      (#"{"result": "refused", "status": 99999}"#, .fastPass(.refused(status: nil))),
      (#"{"result": "refused"}"#, .fastPass(.refused(status: nil))),
      (#"{"result": "signed in"}"#, nil), ("TypeError", nil), ("", nil),
    ] as [(String, Reply?)])
  func pageResults(text: String, reply: Reply?) {
    expectEqual(Reply(fastPassJSON: text), reply)
  }

  @Test("Okta Verify refuses a request from a page of another org")
  func otherOrigin() async throws {
    let org = SharedSignIn.org(OrgScenario["device-challenge"])
    let okta = SimulatedOktaVerify(of: Self.login, at: org)
    let state = try await org.client.start(org.configuration)
    let request = try require(state.response.deviceChallenge?.request)
    let body: JSONValue = ["challengeRequest": .string(request.revealed)]
    let response = try await okta.send(
      TransportRequest(
        method: "POST", url: require(URL(string: "http://localhost:6511/challenge")),
        headers: ["Origin": "https://evil.example"], body: body.bytes))
    expectEqual(response.status, 403)
    try await expect(!org.client.poll(state).isSignedIn)
  }

  @Test(
    "A challenge of another org is not passed on, and the person sees why", .promise("fastpass-org")
  )
  func otherOrg() async throws {
    let other = SimulatedOrg(
      OrgScenario["device-challenge"], issuer: "https://other.okta.example/oauth2/default", seed: 2)
    let request = try await require(
      other.client.start(other.configuration).response.deviceChallenge?.request)
    let document = Wire.document(challenge: [
      "challengeMethod": "LOOPBACK", "challengeRequest": .string(request.revealed),
      "domain": "http://localhost", "ports": ["6511"],
      "cancel": Wire.form("cancel-polling"),
    ])
    let handlers = Handlers.showing(Screens(fastPass: .always))
    let screen = try await require(handlers.decide(Wire.step(document)).screen)
    expect(screen.deviceChallenge == nil && screen.wait == nil && !screen.startsByItself)
    expectEqual(screen.action.label, "Continue without it")
    expect(screen.messages.contains { $0.text.contains("another org has issued its request") })
  }
}

/// A server whose Okta Verify has another key, as if its methods were authenticators of their own.
private struct OtherKeys: Transport {
  let transport: any Transport

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.send(request)
    let text = String(decoding: response.body, as: UTF8.self)
    response.body = Array(text.replacing("\"okta_verify\"", with: "\"okta_verify_device\"").utf8)
    return response
  }
}

/// A provider that always has the same result.
private struct FixedResult: FastPassProvider {
  let result: FastPassResult

  func pass(_ challenge: LoopbackChallenge) async throws -> FastPassResult { result }
}

/// A server that says something new with each response to a poll.
private struct ChangingMessages: Transport {
  let transport: any Transport
  let count = Locked(0)

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await transport.send(request)
    guard request.url.path.hasSuffix("/poll"), let json = try? JSONValue(parsing: response.body)
    else { return response }
    let messages = Wire.messages("news.\(count.increment())", kind: "INFO")
    response.body = json.adding("messages", messages).bytes
    return response
  }
}

/// A front-end that replies with a closure.
struct ReplyingFrontEnd: FrontEnd {
  let body: @Sendable (Screen) async throws -> Reply

  init(_ body: @escaping @Sendable (Screen) async throws -> Reply) { self.body = body }

  func reply(to screen: Screen) async throws -> Reply { try await body(screen) }
}

extension LoopbackFastPass {
  /// Waits for each program as long as it takes.
  static func patient(over transport: any Transport) -> LoopbackFastPass {
    LoopbackFastPass(transport: transport) { _ in await waitForever() }
  }
}

/// Returns only if the task is cancelled.
private func waitForever() async {
  let never = AsyncStream<Void> { _ in }
  for await _ in never {}
}
