import IDXFlow

/// The views of an app.
protocol Views: Sendable {
  /// Shows texts.
  func show(_ texts: [String]) async
  /// Asks for the value of a field; nil if the person cancels.
  func ask(_ field: Remediation.Field) async -> Secret?
  /// Asks for one of several; nil for none of them.
  func choose(_ labels: [String]) async -> Int?
}

func signInWithKnownAnswers(
  _ username: String, _ password: String, code: @escaping @Sendable () async -> Secret,
  to configuration: FlowConfiguration, with client: any FlowClient
) async throws -> Outcome {
  let handlers = Handlers.answering(
    ["identifier": .text(username), "credentials.passcode": .text(password)],
    choosing: [.oktaVerify(.push), .email { _ in await code() }])
  let coordinator = FlowCoordinator(client: client, handlers: handlers)
  let outcome = try await coordinator.run(configuration)
  return outcome
}

func handlers(with views: any Views) -> Handlers {
  var handlers = Handlers.answering([:])
  for name: Remediation.Name in [.identify, .challengeAuthenticator, .enrollAuthenticator] {
    handlers.on(name) { step in
      await views.show(step.messages.compactMap(\.text))
      // An authenticator app to set up; `qrCodePNG()` is its QR code.
      if let app = step.authenticatorApp { await views.show([app.name, app.keyInGroups ?? ""]) }
      var answers = Answers()
      // Some orgs ask for both at once.
      for path in ["identifier", "credentials.passcode"] {
        guard let field = step.remediation[path] else { continue }
        guard let text = await views.ask(field) else { return .cancel }
        answers[path] = .text(text)
      }
      return answers.entries.isEmpty ? .decline : .submit(answers)
    }
  }
  for name: Remediation.Name in [
    .selectAuthenticatorAuthenticate, .selectAuthenticatorEnroll, .authenticatorVerificationData,
  ] {
    handlers.on(name) { step in
      var answers = Answers()
      // An authenticator, then its method, such as a push.
      while let input = step.remediation.form.inputs(answering: answers).first(where: {
        !$0.field.choices.isEmpty && answers[$0.path] == nil
      }) {
        guard let number = await views.choose(input.field.choices.map { $0.label ?? "" }) else {
          return step.response[.skip].map { .submit([:], to: $0) } ?? .cancel
        }
        answers[input.path] = .option(number)
      }
      return .submit(answers)
    }
  }
  handlers.on(.challengePoll) { step in
    await views.show(step.messages.compactMap(\.text))
    guard !step.messages.contains(where: \.isError) else { return .end }
    if step.polls == 0, let number = step.authenticator?.numberChallenge {
      await views.show(["Choose \(number) on your phone."])
    }
    return .poll()
  }
  handlers.on(.keepMeSignedIn) { _ in
    let isYes = await views.choose(["Stay signed in", "Not on this device"]) == 0
    return .submit(["keepMeSignedIn": .value(.bool(isYes))])
  }
  return handlers
}

func signInWithLoop(
  to configuration: FlowConfiguration, with client: any FlowClient, on view: any FrontEnd
) async throws -> Outcome? {
  let coordinator = FlowCoordinator(client: client, handlers: .showing())
  var run = try await coordinator.begin(configuration)
  var end: Outcome?
  while end == nil {
    switch try await run.next() {
    case .show(let pending):
      // Nil if there is news, such as an approved push.
      guard let reply = try await run.reply(to: pending, on: view) else { continue }
      run.take(reply, to: pending)
    case .end(let outcome): end = outcome
    }
  }
  return end
}
