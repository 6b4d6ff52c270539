import IDXFlow

func passkeyHandlers(_ provider: any PasskeyProvider, over handlers: Handlers) -> Handlers {
  var handlers = handlers
  handlers.screens.canUsePasskeys = true
  handlers.on(.challengeAuthenticator, .webAuthn) { step in
    guard case .ask(let screen, _) = try await step.builtInDecision(),
      let request = screen.passkey
    else { return .decline }
    return try screen.decision(on: try await request.reply(from: provider))
  }
  return handlers
}
