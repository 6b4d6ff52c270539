import Expectations
import IDXDirectAuth
import IDXFlow
import IDXSimulatedOrg
import Testing

@testable import Embedding

@Suite("A service for DirectAuth") @MainActor
struct DirectAuthServiceTests {
  /// The statuses of a service while it waits.
  @MainActor private final class Waits {
    weak var service: DirectAuthService?
    var seen: [DirectAuthService.Status] = []

    nonisolated init() {}

    func add() { if let status = service?.status { seen.append(status) } }
  }

  private func service(
    _ org: SimulatedOrg, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) -> DirectAuthService {
    DirectAuthService(
      client: DirectAuthClient(transport: org, tokens: org.tokenClient),
      configuration: org.configuration, sleep: sleep)
  }

  /// The status after a sign-in, and those while it waited.
  private func signIn(
    _ org: SimulatedOrg, _ secret: String = password
  ) async -> (end: DirectAuthService.Status, waits: [DirectAuthService.Status]) {
    let waits = Waits()
    let service = service(org) {
      await waits.add()
      org.advance(by: $0 / .seconds(1))
    }
    waits.service = service
    expectEqual(service.status, .idle)
    await service.signIn(username: login, password: secret)
    return (service.status, waits.seen)
  }

  private func expectAuthorized(_ status: DirectAuthService.Status) {
    guard case .authorized(let credential) = status else {
      Issue.record("\(status)")
      return
    }
    expectEqual(credential.username, login)
  }

  @Test("A password alone")
  func passwordOnly() async {
    let (end, waits) = await signIn(SimulatedOrg(.password))
    expectAuthorized(end)
    expectEqual(waits, [])
  }

  @Test(
    "A password and a push, which may be one of many factors",
    arguments: [OrgScenario.push, .severalFactors])
  func push(scenario: OrgScenario) async {
    let (end, waits) = await signIn(SimulatedOrg(scenario))
    expectAuthorized(end)
    expect(!waits.isEmpty && waits.allSatisfy { $0 == .waitingForPush(number: nil) })
  }

  @Test("A push with a number, which is shown until the person chooses it")
  func number() async throws {
    let org = SimulatedOrg(.pushWithNumberChallenge, seed: 1)
    let (end, waits) = await signIn(org)
    expectAuthorized(end)
    let first = try require(waits.first)
    guard case .waitingForPush(let number?) = first else {
      Issue.record("\(first)")
      return
    }
    expect(Int(number) != nil && waits.allSatisfy { $0 == first })
  }

  @Test("A rejected push ends with the reason, and can be tried again")
  func rejected() async {
    let org = SimulatedOrg(.rejectedPush)
    let (end, waits) = await signIn(org)
    guard case .failed(let message) = end else {
      Issue.record("\(end)")
      return
    }
    expectContains(message, "reject")
    expect(!waits.isEmpty)
    expectAuthorized(await signIn(org).end)
  }

  @Test("A wrong password is sent once, and the message is the server's own")
  func wrongPassword() async {
    let org = SimulatedOrg(.password)
    let (end, waits) = await signIn(org, "wrong")
    expectEqual(end, .failed(message: "Sign-in failed. Check your username and password."))
    expectEqual(waits, [])
    await expectEqual(org.count(of: "/token"), 1)
  }

  @Test("Without a network, the message says so")
  func offline() async {
    let org = SimulatedOrg(.password)
    await org.inject(.unreachable, at: "/token")
    guard case .failed(let message) = await signIn(org).end else {
      Issue.record("It did not fail.")
      return
    }
    expect(!message.isEmpty)
  }

  @Test("Canceling the task while a push waits")
  func cancelled() async throws {
    let (waits, started) = AsyncStream.makeStream(of: Void.self)
    let service = service(SimulatedOrg(.push)) { _ in
      started.yield()
      try await Task.sleep(for: patience)
    }
    let task = Task { await service.signIn(username: login, password: password) }
    for await _ in waits { break }
    expectEqual(service.status, .waitingForPush(number: nil))
    task.cancel()
    await task.value
    expectEqual(service.status, .idle)
  }
}
