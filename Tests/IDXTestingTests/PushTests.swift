import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@Suite("Pushes in the simulated org")
struct PushTests {
  static let app = SimulatedUser.Enrollment.oktaVerify(secret: "NBQXAZDFOJSXGZLB")
  let login = Visitor.login
  let select = "select-authenticator-authenticate"
  let data = "authenticator-verification-data"

  /// A visitor before the choice between push and code.
  func visit(_ org: SimulatedOrg) async throws -> Visitor {
    let visitor = try await Visitor.signedIn(org)
    #expect(visitor.remediations == [data, select])
    return visitor
  }

  func push(_ org: SimulatedOrg) async throws -> Visitor {
    var visitor = try await visit(org)
    try await visitor.fill(
      .authenticatorVerificationData, ["authenticator.methodType": "push"])
    #expect(visitor.remediations == ["challenge-poll", select])
    return visitor
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
    var visitor = try await push(org)
    await org.rejectPush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.status == 200)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_rejected"])
    #expect(visitor.remediations == ["resend", select])
    #expect(visitor.form("challenge-poll") == nil)
    #expect(await org.pushes(for: login).isEmpty)
    try await visitor.fill(.resend)
    #expect(visitor.remediations == ["challenge-poll", select])
    #expect(visitor.messageKeys.isEmpty)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("A push that nobody answers times out after a minute, and not before")
  func timeOut() async throws {
    let org = await org()
    var visitor = try await push(org)
    org.advance(by: 59)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["challenge-poll", select])
    org.advance(by: 1)
    #expect(await org.pushes(for: login).isEmpty)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_timeout"])
    #expect(visitor.remediations == ["resend", select])
    try await visitor.fill(.resend)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("The number that the sign-in shows has to be picked, and each push has a new one")
  func number() async throws {
    let org = await org { $0.matchesNumbers = true }
    var visitor = try await push(org)
    let first = try #require(visitor.correctAnswer)
    #expect(first.count == 2)
    #expect(try visitor.read().currentAuthenticator?.numberChallenge == first)
    #expect(await org.pushes(for: login).map(\.number) == [first])
    await org.approvePush(for: login, choosing: first == "10" ? "11" : "10")
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_rejected"])
    #expect(visitor.correctAnswer == nil)

    try await visitor.fill(.resend)
    let second = try #require(visitor.correctAnswer)
    #expect(second != first)
    await org.approvePush(for: login)
    try await visitor.fill(.challengePoll)
    #expect(visitor.remediations == ["resend", select])

    try await visitor.fill(.resend)
    await org.approvePush(for: login, choosing: visitor.correctAnswer)
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone)
  }

  @Test("A reply that comes too late is none")
  func lateReply() async throws {
    let org = await org(replies: [.approve(after: 61)])
    var visitor = try await push(org)
    org.advance(by: 100)
    try await visitor.fill(.challengePoll)
    #expect(visitor.messageKeys == ["api.authn.poll.error.push_timeout"])
  }

  @Test(
    "A push takes no code and is polled at its own address",
    arguments: ["/idp/idx/challenge/answer", "/idp/idx/challenge/poll", "/idp/idx/challenge/send"])
  func notOffered(path: String) async throws {
    let org = await org()
    var visitor = try await push(org)
    await org.approvePush(for: login, choosing: "42")
    let body: JSONValue = ["stateHandle": .string(visitor.stateHandle)]
    try await visitor.post(path, body)
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == ["simulated.request.notOffered"])
    try await visitor.introspect()
    try await visitor.fill(.challengePoll)
    #expect(visitor.isDone, "Where no number is wanted, any will do")
  }

  @Test("A phone without a push does nothing")
  func noPush() async throws {
    let org = await org()
    await org.approvePush(for: login)
    await org.rejectPush(for: "nobody@shop.example")
    #expect(await org.pushes(for: login).isEmpty)
    let visitor = try await push(org)
    #expect(await org.pushes(for: "ADA@shop.example").count == 1)
    #expect(!visitor.isDone)
  }
}
