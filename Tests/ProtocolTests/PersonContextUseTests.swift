import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// The context of a person in the requests of each protocol.
struct PersonContextUseTests {
  private static let context = Result {
    try PersonContext(
      address: "203.0.113.7", browser: "Mozilla/5.0", deviceToken: "DT-1843", language: "de")
  }

  @Test(
    "Every request of a sign-in carries it, also that for the tokens", arguments: SignInProtocol.all
  )
  func everyRequest(signInProtocol: SignInProtocol) async throws {
    let org = SharedSignIn.org(OrgScenario["password"])
    await signInProtocol.prepare(org)
    let client = signInProtocol.client(over: org, org.tokenClient).acting(
      for: try Self.context.get())
    _ = try await client.redeem(client.afterPassword(org.configuration))
    let (requests, contexts) = await (org.requests, org.contexts)
    for (request, context) in zip(requests, contexts) where !request.hasSuffix("/keys") {
      expectEqual(context.address, "203.0.113.7", "\(request)")
      expectEqual(context.userAgent, "Mozilla/5.0", "\(request)")
      expectEqual(context.deviceToken, "DT-1843", "\(request)")
      expectEqual(context.language, "de", "\(request)")
    }
  }

  @Test(
    "Without one, requests say which client sends them and no address, and an org that demands one refuses them"
  )
  func own() async throws {
    let org = SharedSignIn.org(OrgScenario["password"])
    await org.changeRequests { $0.demands = [.origin, .userAgent] }
    _ = try await SharedSignIn(.idx, to: org).credential()
    let contexts = await org.contexts
    expect(contexts.allSatisfy { $0.userAgent?.hasPrefix("idx-flow/") == true })
    expect(contexts.allSatisfy { $0.address == nil })
    expect(contexts.contains { $0.origin == "https://demo.okta.example" })
    let app = try PersonContext(app: "Shop/2.1")
    _ = try await org.client.acting(for: app).start(org.configuration)
    await expectEqual(org.contexts.last?.userAgent?.hasSuffix(" Shop/2.1"), true)
    let demanding = SharedSignIn.org(OrgScenario["password"])
    await demanding.changeRequests { $0.demands = [.address] }
    let state = try await demanding.client.start(demanding.configuration)
    expectEqual(state.status, 400)
    let context = try Self.context.get()
    let accepted = try await demanding.client.acting(for: context).start(demanding.configuration)
    expectEqual(accepted.status, 200)
  }

  @Test("A web session sends the context of each request")
  func sessions() async throws {
    let org = SharedSignIn.org(OrgScenario["password"])
    let sessions = OpenSignIns(
      client: org.client, configuration: org.configuration, now: { org.now },
      sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    let first = try PersonContext(address: "203.0.113.7")
    let second = try PersonContext(address: "203.0.113.8")
    let page = try await require(sessions.start(for: first).page)
    // The keys of the issuer are for everybody.
    let requests = zip(await org.requests, await org.contexts).filter { !$0.0.hasSuffix("/keys") }
    expect(requests.allSatisfy { $0.1.address == "203.0.113.7" })
    _ = try await sessions.reply(
      .submit(["identifier": Secret(SharedSignIn.login)]), to: page.id, revision: 0, for: second)
    await expectEqual(org.contexts.last?.address, "203.0.113.8")
  }

  @Test("The classic API gets a device token of at most 32 characters in the body")
  func classic() async throws {
    for (token, isSent) in [("DT-1843", true), (String(repeating: "a", count: 33), false)] {
      let org = SharedSignIn.org(OrgScenario["password"])
      let log = RequestLog(org)
      let context = try PersonContext(deviceToken: Secret(token))
      let client = SignInProtocol.classic.client(over: log, org.tokenClient).acting(for: context)
      _ = try await client.afterPassword(org.configuration)
      let body = try await require(log.requests.first { $0.url.path == "/api/v1/authn" }?.json)
      expectEqual(body["context"]?["deviceToken"]?.string, isSent ? token : nil)
    }
  }
}
