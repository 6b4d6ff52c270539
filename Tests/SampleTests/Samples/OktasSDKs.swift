import IDXFlow

/// The views of an app.
protocol Views: Sendable {
  /// Shows texts.
  func show(_ texts: [String]) async
  /// Asks for a value; nil if the person cancels.
  func ask(_ label: String) async -> Secret?
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
  // Polls, skips what is optional, and cancels a search for Okta Verify on this device.
  var handlers = Handlers.answering([:])
  handlers.on(.identify) { step in
    await views.show(step.messages.compactMap(\.text))
    guard let username = await views.ask("Username") else { return .cancel }
    var answers: Answers = ["identifier": .text(username)]
    // Some orgs ask for both at once.
    if step.remediation["credentials.passcode"] != nil {
      guard let password = await views.ask("Password") else { return .cancel }
      answers["credentials.passcode"] = .text(password)
    }
    return .submit(answers)
  }
  for name in [Remediation.Name.challengeAuthenticator, .enrollAuthenticator] {
    handlers.on(name) { step in
      await views.show(step.messages.compactMap(\.text))
      // An authenticator app to set up; `qrCodePNG()` is its QR code.
      if let app = step.authenticatorApp { await views.show([app.name, app.keyInGroups ?? ""]) }
      // A password, or a code by email, by phone or of an app.
      let label = step.authenticator?.displayName ?? "Code"
      guard let code = await views.ask(label) else { return .cancel }
      return .submit(["credentials.passcode": .text(code)])
    }
  }
  let choices: [Remediation.Name] = [
    .selectAuthenticatorAuthenticate, .selectAuthenticatorEnroll, .authenticatorVerificationData,
  ]
  for name in choices {
    handlers.on(name) { step in
      // An authenticator, then its method, such as a push.
      var answers = Answers()
      func next() -> Remediation.Input? {
        step.remediation.form.inputs(answering: answers).first {
          !$0.field.choices.isEmpty && answers[$0.path] == nil
        }
      }
      while let input = next() {
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
    // A push that was rejected or has expired.
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
  of coordinator: FlowCoordinator, to configuration: FlowConfiguration,
  on view: any FrontEnd
) async throws -> Outcome {
  var run = try await coordinator.begin(configuration)
  while true {
    switch try await run.next() {
    case .show(let pending):
      // Nil if there is news, such as an approved push.
      guard let reply = try await run.reply(to: pending, on: view) else { continue }
      run.take(reply, to: pending)
    case .end(let outcome): return outcome
    }
  }
}
