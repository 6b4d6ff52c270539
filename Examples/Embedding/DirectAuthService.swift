import IDXDirectAuth
import IDXFlow
import Observation

/// Signs in with a password, and a push if the org wants one.
///
/// A view observes the phase: it is idle or authenticating, waits for a push with its number, has a credential, or failed
/// with a message.
@MainActor @Observable
final class DirectAuthService {
  private(set) var phase = FlowPhase.idle

  private let client: DirectAuthClient
  private let configuration: FlowConfiguration
  /// Waits between two questions whether the push is answered; a test replaces it.
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  init(client: DirectAuthClient, configuration: FlowConfiguration) {
    self.client = client
    self.configuration = configuration
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
