import Expectations
import IDXDirectAuth
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import Embedding

@Suite("A service for DirectAuth") @MainActor
struct DirectAuthServiceTests {
  /// The numbers of the pushes that a service waits for.
  @MainActor private final class Waits {
    weak var service: DirectAuthService?
    var numbers: [String?] = []

    nonisolated init() {}

    func add() {
      if case .waiting(let wait)? = service?.phase { numbers.append(wait.number) }
    }
  }

  private func service(_ org: SimulatedOrg) -> DirectAuthService {
    DirectAuthService(
      client: DirectAuthClient(transport: org, tokens: org.tokenClient),
      configuration: org.configuration)
  }

  /// The phase after a sign-in, and the numbers while it waited.
  private func signIn(
    _ org: SimulatedOrg, _ secret: String = password
  ) async -> (end: FlowPhase, numbers: [String?]) {
    let waits = Waits()
    let service = service(org)
    waits.service = service
    service.sleep = {
      await waits.add()
      org.advance(by: $0 / .seconds(1))
    }
    expectEqual(service.phase, .idle)
    await service.signIn(username: login, password: secret)
    return (service.phase, waits.numbers)
  }

  private func expectSignedIn(_ phase: FlowPhase) {
    guard case .signedIn(let credential) = phase else {
      Issue.record("\(phase): \(phase.message ?? "")")
      return
    }
    expectEqual(credential.username, login)
  }

  @Test(
    "A password signs in, with a push if the org requires one, also as one of many factors",
    arguments: ["password", "push", "choose-factor"])
  func signsIn(scenario: String) async {
    let (end, numbers) = await signIn(SimulatedOrg(OrgScenario[scenario]))
    expectSignedIn(end)
    expectEqual(numbers.isEmpty, scenario == "password")
    expect(numbers.allSatisfy { $0 == nil })
  }

  @Test("The number of a push is shown until the person chooses it")
  func number() async throws {
    let (end, numbers) = await signIn(SimulatedOrg(OrgScenario["push-number"]))
    expectSignedIn(end)
    let number = try require(numbers.first)
    expect(number.flatMap { Int($0) } != nil && numbers.allSatisfy { $0 == number })
  }

  @Test("A rejected push ends with the reason, and can be tried again")
  func rejected() async {
    let org = SimulatedOrg(OrgScenario["push-rejected"])
    let (end, numbers) = await signIn(org)
    expectContains(end.message ?? "", "reject")
    expect(!numbers.isEmpty)
    expectSignedIn(await signIn(org).end)
  }

  @Test("A wrong password is sent once, and the message is the server's own")
  func wrongPassword() async {
    let org = SimulatedOrg(OrgScenario["password"])
    let (end, numbers) = await signIn(org, "wrong")
    expectEqual(end.message, "Sign-in failed. Check your username and password.")
    expectEqual(numbers, [])
    await expectEqual(org.count(of: "/token"), 1)
  }

  @Test("Without a network, the message says so")
  func offline() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    await org.inject(.unreachable, at: "/token")
    let message = await signIn(org).end.message
    expectContains(try require(message), "cannot be reached")
  }

  @Test("A task can be cancelled while a push waits")
  func cancelled() async {
    let (waits, started) = AsyncStream.makeStream(of: Void.self)
    let service = service(SimulatedOrg(OrgScenario["push"]))
    service.sleep = { _ in
      started.yield()
      try await Task.sleep(for: patience)
    }
    let task = Task { await service.signIn(username: login, password: password) }
    for await _ in waits { break }
    expectEqual(service.phase.description, "waiting")
    task.cancel()
    await task.value
    expectEqual(service.phase, .cancelled)
  }
}
