import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@Suite("Pushes in the simulated org")
struct PushTests {
  static let app = SimulatedUser.Enrollment.oktaVerify(secret: "NBQXAZDFOJSXGZLB")
  let login = OrgClient.login
  let select = "select-authenticator-authenticate"
  let data = "authenticator-verification-data"

  /// A client before the choice between push and code.
  func visit(_ org: SimulatedOrg) async throws -> OrgClient {
    let client = try await OrgClient.signedIn(org)
    #expect(client.remediations == [data, select])
    return client
  }

  func push(_ org: SimulatedOrg) async throws -> OrgClient {
    var client = try await visit(org)
    try await client.fill(
      .authenticatorVerificationData, ["authenticator.methodType": "push"])
    #expect(client.remediations == ["challenge-poll", select])
    return client
  }

  func org(
    _ enrollment: SimulatedUser.Enrollment = app,
    replies: [SimulatedUser.Device.PushReply] = [],
    _ change: (inout SignInPolicy.FactorRules) -> Void = { _ in }
  ) async -> SimulatedOrg {
    let org = makeOrg(.required(enrollment.authenticator).with(change), [enrollment])
    var ada = await org.user(login)
    ada?.device.pushReplies = replies
    if let ada { await org.update(ada) }
    return org
  }

  @Test("A push that is rejected can be sent again")
  func rejected() async throws {
    let org = await org()
    var client = try await push(org)
    await org.rejectPush(for: login)
    try await client.fill(.challengePoll)
    #expect(client.status == 200)
    #expect(client.messageKeys == ["api.authn.poll.error.push_rejected"])
    #expect(client.remediations == ["resend", select])
    #expect(client.form("challenge-poll") == nil)
    #expect(await org.pushes(for: login).isEmpty)
    try await client.fill(.resend)
    #expect(client.remediations == ["challenge-poll", select])
    #expect(client.messageKeys.isEmpty)
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    #expect(client.isDone)
  }

  @Test("A push that nobody answers times out after a minute, and not before")
  func timeOut() async throws {
    let org = await org()
    var client = try await push(org)
    org.advance(by: 59)
    try await client.fill(.challengePoll)
    #expect(client.remediations == ["challenge-poll", select])
    org.advance(by: 1)
    #expect(await org.pushes(for: login).isEmpty)
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    #expect(client.messageKeys == ["api.authn.poll.error.push_timeout"])
    #expect(client.remediations == ["resend", select])
    try await client.fill(.resend)
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    #expect(client.isDone)
  }

  @Test("The shown number must be picked, and each push has a new one")
  func number() async throws {
    let org = await org { $0.matchesNumbers = true }
    var client = try await push(org)
    let first = try #require(client.correctAnswer)
    #expect(first.count == 2)
    #expect(try client.read().currentAuthenticator?.numberChallenge == first)
    #expect(await org.pushes(for: login).map(\.number) == [first])
    await org.approvePush(for: login, choosing: first == "10" ? "11" : "10")
    try await client.fill(.challengePoll)
    #expect(client.messageKeys == ["api.authn.poll.error.push_rejected"])
    #expect(client.correctAnswer == nil)

    try await client.fill(.resend)
    let second = try #require(client.correctAnswer)
    #expect(second != first)
    await org.approvePush(for: login)
    try await client.fill(.challengePoll)
    #expect(client.remediations == ["resend", select])

    try await client.fill(.resend)
    await org.approvePush(for: login, choosing: client.correctAnswer)
    try await client.fill(.challengePoll)
    #expect(client.isDone)
  }

  @Test("A reply after a minute is ignored")
  func lateReply() async throws {
    let org = await org(replies: [.approve(after: 61)])
    var client = try await push(org)
    org.advance(by: 100)
    try await client.fill(.challengePoll)
    #expect(client.messageKeys == ["api.authn.poll.error.push_timeout"])
  }

  @Test(
    "A push takes no code and has its own address for polls",
    arguments: ["/idp/idx/challenge/answer", "/idp/idx/challenge/poll", "/idp/idx/challenge/send"])
  func notOffered(path: String) async throws {
    let org = await org()
    var client = try await push(org)
    await org.approvePush(for: login, choosing: "42")
    let body: JSONValue = ["stateHandle": .string(client.stateHandle)]
    try await client.post(path, body)
    #expect(client.status == 400)
    #expect(client.messageKeys == ["simulated.request.notOffered"])
    try await client.introspect()
    try await client.fill(.challengePoll)
    #expect(client.isDone, "Where no number is wanted, any will do")
  }

  @Test("A phone without a push does nothing")
  func noPush() async throws {
    let org = await org()
    await org.approvePush(for: login)
    await org.rejectPush(for: "nobody@shop.example")
    #expect(await org.pushes(for: login).isEmpty)
    let client = try await push(org)
    #expect(await org.pushes(for: "ADA@shop.example").count == 1)
    #expect(!client.isDone)
  }
}
