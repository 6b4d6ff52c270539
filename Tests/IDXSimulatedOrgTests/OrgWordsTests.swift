import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// The language of the org.
struct OrgWordsTests {
  private struct Seen: Sendable {
    var labels: Set<String> = []
    var messages: [IDXMessage] = []
    var mail: String?
  }

  /// Signs in with a wrong password first, until an email with a code arrives, and returns the texts on the way.
  private func signIn(_ language: String?) async throws -> Seen {
    let org = SimulatedOrg(OrgScenario["email"], seed: 7)
    let transport: any Transport = language.map { LanguageTransport(org, language: $0) } ?? org
    let passwords = Locked(["Analytical-1843", "wrong"])
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
    handlers.on(.challengeAuthenticator) { step in
      guard step.authenticator?.key == .password else { return .cancel }
      let password = passwords.withLock { $0.popLast() } ?? ""
      return .submit(["credentials.passcode": .text(password)])
    }
    handlers.on(.authenticatorVerificationData) { _ in .submit([:]) }
    let seen = Locked(Seen())
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: transport), handlers: handlers,
      observe: { event in
        guard case .received(let state) = event else { return }
        seen.withLock { seen in
          seen.messages += state.response.allMessages
          for form in state.response.remediations {
            seen.labels.formUnion(form.form.fields.compactMap(\.label))
          }
        }
      })
    _ = try await coordinator.run(org.configuration)
    var all = seen.withLock { $0 }
    all.mail = await org.mailbox.messages.last?.text
    return all
  }

  @Test(
    "A client that asks for German gets German texts with the same keys, and for others English ones"
  )
  func german() async throws {
    let (english, german) = (try await signIn(nil), try await signIn("de-AT"))
    expect(english.labels.contains("Username") && german.labels.contains("Benutzername"))
    expectEqual(german.messages.map(\.text), ["Das Passwort ist falsch."])
    expectEqual(german.messages.map(\.key), english.messages.map(\.key))
    expectEqual(german.mail?.hasPrefix("Ihr Code für demo.okta.example ist "), true)
    expectEqual(english.mail?.hasPrefix("Your code for demo.okta.example is "), true)
    for language in ["en", "fr", "den"] {
      try await expectEqual(
        signIn(language).messages.map(\.text), ["The password is wrong."], "\(language)")
    }
  }
}
