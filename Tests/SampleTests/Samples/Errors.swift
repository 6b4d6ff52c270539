import IDXFlow

func signInAndSayHowItEnded(
  _ coordinator: FlowCoordinator, _ configuration: FlowConfiguration,
  keep: (Credential) async -> Void, show: ([String]) async -> Void, goBack: () async -> Void,
  log: (String) -> Void
) async throws {
  do {
    switch try await coordinator.run(configuration) {
    case .signedIn(let signIn): await keep(signIn.credential)
    case .ended(let state): await show(state.response.allMessages.compactMap(\.text))
    default: await goBack()
    }
  } catch is CancellationError {
    await goBack()
  } catch let error as FlowError {
    await show([error.message])
    log("\(error.code): \(error)")
  }
}
