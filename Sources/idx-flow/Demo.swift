import Foundation
import IDX
import IDXFlow
import IDXTesting

/// An org simulated in memory, and what a person needs to know to sign in to it.
struct Demo {
  let org: SimulatedOrg
  let configuration: FlowConfiguration

  private static let login = "ada@example.com"
  private static let password = "Analytical-1843"

  private let streams: Streams

  init(_ streams: Streams, _ settings: SignInSettings) throws {
    self.streams = streams
    org = SimulatedOrg(
      users: [SimulatedUser(login: Self.login, password: .init(Self.password))],
      onMessage: { message in
        streams.note("mailbox: \(message.method) to \(message.recipient): \(message.text)")
      })
    configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: settings.demoScopes())
  }

  func greet() {
    streams.note(
      """
      demo: this org lives in the memory of this program; nothing leaves your machine.
      demo: the user is \(Self.login), the password \(Self.password)
      """)
  }

  /// A prompter that also tells what the person's phone would show.
  func helping(_ prompter: any Prompter) -> any Prompter {
    HelpingPrompter(prompter: prompter, streams: streams) {
      await org.authenticatorCode(for: Self.login)
    }
  }
}

private struct HelpingPrompter: Prompter {
  let prompter: any Prompter
  let streams: Streams
  let code: @Sendable () async -> String?

  func show(_ notice: Notice) async throws { try await prompter.show(notice) }

  func choose(_ forms: [Remediation], at step: Step) async throws -> Reply {
    try await prompter.choose(forms, at: step)
  }

  func wait(at step: Step) async throws -> Reply { try await prompter.wait(at: step) }

  func visit(_ page: RedirectPage) async throws -> Reply { try await prompter.visit(page) }

  func ask(_ question: Question) async throws -> Reply {
    if question.step.authenticator?.key == .googleAuthenticator, question.field.name == "passcode",
      let code = await code()
    {
      streams.note("demo: the app shows \(code)")
    }
    return try await prompter.ask(question)
  }
}
