import IDXFlow

func pollingHandlers(
  show: @escaping @Sendable (String) async -> Void,
  askForCode: @escaping @Sendable () async throws -> String
) -> Handlers {
  var handlers = Handlers.answering(
    ["identifier": "ada@example.com", "credentials.passcode": "Analytical-1843"],
    choosing: [.oktaVerify(.push)])
  handlers.on(.challengePoll) { step in
    if step.polls == 0, let number = step.authenticator?.numberChallenge {
      await show("Choose \(number) on your phone.")
    }
    return step.messages.contains(where: \.isError) ? .decline : .poll()
  }
  struct EmailCode: StepHandler {
    let askForCode: @Sendable () async throws -> String

    func decide(_ step: Step) async throws -> Decision {
      .submit(["credentials.passcode": .text(try await askForCode())])
    }
    func poll(for step: Step) -> Remediation? { step.authenticator?[.poll] }
  }
  handlers.register(EmailCode(askForCode: askForCode), for: .challengeAuthenticator, .email)
  return handlers
}

func waitForPush(
  from start: FlowState, with client: any FlowClient, show: (String) async -> Void
) async throws -> FlowState {
  var state = start
  if let number = state.response.currentAuthenticator?.numberChallenge {
    await show("Choose \(number) in Okta Verify.")
  }
  while let form = state.response.remediations.first, form.isPolled {
    try await Task.sleep(for: form.pollInterval)
    state = try await client.poll(state)
  }
  return state
}

@MainActor final class Typed { var code: String? }

@MainActor func answerEmail(
  from start: FlowState, with client: any FlowClient,
  askForCode: @escaping @Sendable () async throws -> String
) async throws -> FlowState {
  var state = start
  let typed = Typed()
  let question = Task { typed.code = try await askForCode() }
  // The link was opened, or there is an error: close the question.
  defer { question.cancel() }
  while let form = state.response.currentAuthenticator?[.poll] {
    try await Task.sleep(for: form.pollInterval)
    if let code = typed.code {
      return try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(code)], from: state)
    }
    state = try await client.poll(state)
  }
  return state
}
