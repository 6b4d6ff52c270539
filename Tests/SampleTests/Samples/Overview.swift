import IDXFlow

func signInOfOverview(
  to configuration: FlowConfiguration, over transport: any Transport
) async throws -> Outcome {
  let handlers = Handlers.answering(
    ["identifier": "ada@example.com", "credentials.passcode": "Analytical-1843"],
    choosing: [.oktaVerify(.push)])
  let client = IDXClient(transport: transport)
  let coordinator = FlowCoordinator(client: client, handlers: handlers)
  let outcome = try await coordinator.run(configuration)
  if case .signedIn(let signIn) = outcome {
    print("Signed in as \(signIn.user?.identifier ?? "somebody")")
  }
  return outcome
}
