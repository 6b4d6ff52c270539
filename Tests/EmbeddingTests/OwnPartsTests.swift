import Expectations
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@testable import Embedding

/// Parts of one's own.
struct OwnPartsTests {
  @Test("The store keeps the contract of stores", arguments: CredentialStoreContract.checks)
  func store(check: CredentialStoreContract.Check) async throws {
    try await check.run(on: TableStore())
  }

  private static let answers: Answers = [
    "identifier": .text(login), "credentials.passcode": .text(password),
  ]

  @Test("A credential of a sign-in is refreshed in the store")
  func refresh() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: ["openid", "offline_access"])
    let coordinator = FlowCoordinator(client: org.client, handlers: .answering(Self.answers))
    let credential = try require(await coordinator.run(configuration).credential)
    let store = TableStore()
    try await store.save(credential)
    let session = CredentialSession(credential.id, store: store, client: org.tokenClient)
    org.advance(by: 7200)
    let refreshed = try await session.valid()
    expect(refreshed.tokens.accessToken != credential.tokens.accessToken)
    try await expectEqual(store.credential(credential.id), refreshed)
  }

  /// Forwards requests and keeps their traces.
  private actor Traces: Transport {
    let org: SimulatedOrg
    private(set) var ids: [String?] = []

    init(_ org: SimulatedOrg) { self.org = org }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      ids.append(request.headers["X-Trace-ID"])
      return try await org.send(request)
    }
  }

  @Test("The transport adds its header field to each request, and counts them")
  func transport() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    let traces = Traces(org)
    let transport = TracingTransport(traces, traceID: "trace-7")
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: transport), handlers: .answering(Self.answers))
    try await expect(coordinator.run(org.configuration).credential != nil)
    let ids = await traces.ids
    await expectEqual(transport.count, ids.count)
    expect(ids.count > 4 && ids.allSatisfy { $0 == "trace-7" })
  }

  private static let staff = ["1815": login]

  @Test("An app's own screen works in a front-end", arguments: SignInPolicy.Start.allCases)
  func staffNumber(start: SignInPolicy.Start) async throws {
    let org = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: start))
    let isTogether = start == .withPassword
    let person = ScriptedFrontEnd(
      [.answer("staff", "7")] + (isTogether ? [.answer("credentials.passcode", "wrong")] : [])
        + [.answer("staff", "1815"), .answer("credentials.passcode", .text(password))])
    var handlers = Handlers.showing(on: person)
    handlers.askForStaffNumber { Self.staff[$0] }
    let coordinator = FlowCoordinator(client: org.client, handlers: handlers)
    try await expect(coordinator.run(org.configuration).credential != nil)
    try await person.finish()
    let problems = await person.questions.map(\.input.problem)
    expectContains(problems, "Nobody has this number.")
  }

  @Test("Quitting an app's own screen cancels the sign-in")
  func quitting() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    let person = ScriptedFrontEnd([.cancel("staff")])
    var handlers = Handlers.showing(on: person)
    handlers.askForStaffNumber { Self.staff[$0] }
    let coordinator = FlowCoordinator(client: org.client, handlers: handlers)
    try await expect(coordinator.run(org.configuration).isCancelled)
  }

  @Test("An app's own screen works on a web site")
  func web() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    var handlers = Handlers.showing()
    handlers.askForStaffNumber { Self.staff[$0] }
    var browser = Browser(
      SignInServer(
        signIns: OpenSignIns(
          client: org.client, configuration: org.configuration, handlers: handlers,
          keep: { $0.credential.username })))
    try await browser.open()
    try await browser.post(["staff": ""])
    try await browser.post(["staff": "7"])
    expectContains(browser.response.html, "Nobody has this number.")
    try await browser.post(["staff": "1815"])
    try await browser.post(["credentials.passcode": password])
    expectEqual(browser.cookies, ["account": login])
  }
}
