import IDXBrowserAuth
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow

func signInWithDirectAuth(
  to configuration: FlowConfiguration, over transport: any Transport, _ handlers: Handlers
) async throws -> Outcome {
  let client = DirectAuthClient(transport: transport, factors: [.push, .otp])
  let coordinator = FlowCoordinator(client: client, handlers: handlers)
  let outcome = try await coordinator.run(configuration)
  return outcome
}

func signInWithClassicAPI(
  to configuration: FlowConfiguration, over transport: any Transport, _ handlers: Handlers
) async throws -> Outcome {
  let client = ClassicAuthClient(transport: transport)
  let coordinator = FlowCoordinator(client: client, handlers: handlers)
  let outcome = try await coordinator.run(configuration)
  return outcome
}

func signInWithBrowser(
  to configuration: FlowConfiguration, over transport: any Transport, _ handlers: Handlers
) async throws -> Outcome {
  let client = BrowserClient(transport: transport, prompt: .login)
  let coordinator = FlowCoordinator(client: client, handlers: handlers)
  let outcome = try await coordinator.run(configuration)
  return outcome
}
