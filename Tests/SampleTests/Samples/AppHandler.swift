import IDXFlow

/// Signs Ada in, and sets up an authenticator app: shows its key, and asks for the first code.
func handlers(
  asking ask: @escaping @Sendable (_ question: String) async -> String
) -> Handlers {
  var handlers = Handlers.answering(
    ["identifier": "ada@example.com", "credentials.passcode": "Analytical-1843"],
    settingUp: [AuthenticatorChoice(.googleAuthenticator)])
  handlers.on(.enrollAuthenticator, .googleAuthenticator) { step in
    guard let app = step.authenticatorApp else { return .decline }
    if step.attempt == 1 {
      print("Key of \(app.name): \(app.keyInGroups ?? "in the QR code")")
      if let address = app.uri?.text.revealed { print("Address: \(address)") }
    }
    for text in step.messages.compactMap(\.text) { print("The org says:", text) }
    let code = await ask("Code (empty to skip):")
    if code.isEmpty, let skip = step.response[.skip] { return .submit([:], to: skip) }
    return .submit(["credentials.passcode": .text(code)])
  }
  return handlers
}
