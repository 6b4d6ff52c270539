import Expectations
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import Testing

/// Signs in with the number on a badge.
private struct BadgeClient: FlowClient {
  let tokens: TokenClient
  /// Returns tokens for the correct number, and nil for a wrong one.
  let ask: @Sendable (_ name: String, _ number: String) async throws -> Tokens?

  func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState {
    await tokens.prefetchKeys(for: configuration)
    return try FlowState(
      signInProtocol: "badge", configuration: configuration, draft: form(at: configuration))
  }

  func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    try state.check(for: "badge")
    let body = try submission.body()
    let name = body["identifier"]?.string ?? ""
    let number = body["credentials"]?["passcode"]?.string ?? ""
    guard let issued = try await ask(name, number) else {
      var draft = form(at: state.configuration)
      draft.messages = [IDXMessage.Draft("That is not the number of your badge.")]
      return try state.advanced(to: draft, status: 403)
    }
    var draft = IDXResponse.Draft()
    draft.username = name
    return try state.advanced(to: draft, success: .tokens(issued))
  }

  func refresh(_ state: FlowState) async throws -> FlowState { state }

  func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    guard case .tokens(let issued)? = state.success else { throw state.notOffered(.issue) }
    return try await tokens.credential(
      for: issued, of: state.configuration, nonce: nil, maximumAge: nil, username: username)
  }

  private func form(at configuration: FlowConfiguration) -> IDXResponse.Draft {
    let number = Remediation.Field.Draft(
      "passcode", label: "Number", isRequired: true, isSecret: true)
    var draft = IDXResponse.Draft()
    draft.remediations = [
      Remediation.Draft(
        .identify, href: configuration.issuer.absoluteString,
        fields: [
          Remediation.Field.Draft("identifier", label: "Name", isRequired: true),
          Remediation.Field.Draft("credentials", form: [number]),
        ])
    ]
    return draft
  }
}

/// Custom clients.
struct OwnClientTests {
  @Test("A custom client works with the built-in handlers, and its tokens are checked")
  func ownClient() async throws {
    let org = SharedSignIn.org(OrgScenario["password"])
    let signIn = SharedSignIn(.direct, to: org)
    let issued = try await signIn.credential().tokens
    let client = BadgeClient(tokens: org.tokenClient) { name, number in
      name == SharedSignIn.login && number == "4711" ? issued : nil
    }
    let person = ScriptedFrontEnd([
      .answer("identifier", .text(SharedSignIn.login)), .answer("credentials.passcode", "1"),
      .answer("credentials.passcode", "4711"),
    ])
    let outcome = try await FlowCoordinator(client: client, handlers: .showing(on: person))
      .run(try signIn.configuration)
    guard case .signedIn(let end) = outcome else {
      Issue.record("It ended otherwise.")
      return
    }
    try await person.finish()
    expect(end.credential.id.subject != nil)
    expectEqual(end.state.signInProtocol, "badge")
  }
}
