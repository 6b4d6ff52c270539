import IDXDirectAuth
import IDXFlow
import Observation

/// Signs in with a password, and a push if the org wants one; a view observes the status.
@MainActor @Observable
final class DirectAuthService {
  enum Status: Sendable, Equatable {
    case idle
    case authenticating
    /// The person has to approve a push, and to choose the number if there is one.
    case waitingForPush(number: String?)
    case authorized(Credential)
    case failed(message: String)
  }

  private let client: DirectAuthClient
  private let configuration: FlowConfiguration
  private let sleep: @Sendable (Duration) async throws -> Void
  private var phase = FlowPhase.idle

  init(
    client: DirectAuthClient, configuration: FlowConfiguration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    self.configuration = configuration
    self.sleep = sleep
  }

  var status: Status {
    switch phase {
    case .idle, .cancelled: .idle
    case .waiting(let wait): .waitingForPush(number: wait.number)
    case .signedIn(let credential): .authorized(credential)
    case .failed(let failure): .failed(message: failure.message)
    default: .authenticating
    }
  }

  /// Signs in; canceling the task ends it, also while a push waits.
  func signIn(username: String, password: String) async {
    phase = .authenticating
    let coordinator = FlowCoordinator(
      client: client,
      handlers: .answering(
        ["identifier": .text(username), "credentials.passcode": .text(password)],
        choosing: [.oktaVerify(.push)]),
      sleep: sleep, observe: { await self.take($0) })
    do { phase = FlowPhase(try await coordinator.run(configuration)) } catch {
      phase = FlowPhase(error)
    }
  }

  private func take(_ event: FlowEvent) { phase.take(event) }
}
