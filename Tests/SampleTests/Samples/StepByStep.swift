import IDXFlow

func signInStepByStep(
  to configuration: FlowConfiguration, with client: IDXClient,
  show: ([Remediation.Input], [IDXMessage]) -> Void,
  answers: (Remediation) async -> Answers, keep: (Credential) -> Void
) async throws {
  var state = try await client.start(configuration)
  while !state.isSignedIn, !state.isAtEnd {
    // What to show next: an input for each field, and the server's messages.
    let remediation = state.response.remediations[0]
    show(remediation.form.inputs(), state.response.allMessages)
    if remediation.isPolled { try await Task.sleep(for: remediation.pollInterval) }
    let submission = Submission(remediation, await answers(remediation))
    state = try await client.proceed(submission, from: state)
  }
  if state.isSignedIn { keep(try await client.redeem(state)) }
}

func signInWithTwoHandlers(
  to configuration: FlowConfiguration, with client: IDXClient
) async throws -> Outcome {
  var handlers = Handlers()
  handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
  handlers.on(.challengeAuthenticator, .password) { _ in
    .submit(["credentials.passcode": "Analytical-1843"])
  }
  let coordinator = FlowCoordinator(client: client, handlers: handlers)
  let outcome = try await coordinator.run(configuration)
  return outcome
}
