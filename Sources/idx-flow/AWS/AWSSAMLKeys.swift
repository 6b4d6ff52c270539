import Foundation
import IDXBase
import IDXBrowserAuth
import IDXOAuth
import IDXPrompt

/// Keys of a role for a sign-in to the app of AWS with SAML.
struct AWSSAMLKeys {
  let signIn: SAMLSignIn
  let access: CredentialAccess
  let call: CommandCall

  /// The kept keys of the role that is named, or new ones after a sign-in.
  func keys() async throws -> AWSKeys {
    let role = try AWSRole.ifNamed(call, or: signIn.isOtherApp ? nil : signIn.profile)
    if let role, let kept = try await kept(of: role) { return kept }
    let session = try? await credentials.all(of: call[Selection.user]).lazy
      .compactMap(\.keptSession).first
    guard signIn.hasAnswers || session != nil else { throw signInNeeded }
    // The AWS tools may start several of these commands at once: only one of them asks the person.
    return try await access.store.withLock(on: .lock(on: "sign-in for aws")) {
      if let role, let kept = try await kept(of: role) { return kept }
      if let role, let session, let keys = try await keys(of: role, session) { return keys }
      guard signIn.hasAnswers else { throw signInNeeded }
      return try await signedIn { assertion, streams in
        let chosen = try await choose(role, of: assertion, streams)
        let keys = try await newKeys(of: chosen, assertion)
        await keep(keys, assertion, chosen.role)
        return keys
      }
    }
  }

  /// The roles that the org lets the person use.
  func roles() async throws -> [AWSSAMLRole] {
    guard signIn.hasAnswers else { throw signInNeeded }
    return try await signedIn { assertion, _ in
      await signIn.remember(nil, username: assertion.sessionName)
      return assertion.roles
    }
  }

  // MARK: Private

  /// Keys for a session that is kept; nil if the org asks for a sign-in.
  private func keys(of role: AWSRole, _ session: CookieJar) async throws -> AWSKeys? {
    guard let (response, cookies) = try await signIn.response(of: session) else { return nil }
    let assertion = try AWSAssertion(response)
    let chosen = try assertion.role(withARN: role.arn)
    let keys = try await newKeys(of: chosen, assertion)
    await keep(keys, assertion, chosen.role)
    try? await credentials.change(of: assertion.sessionName) { $0.keptSession = cookies }
    return keys
  }

  private var credentials: SAMLCredentials { signIn.credentials(in: access.store) }

  /// Keeps a session if the person wants it.
  private func keep(
    _ cookies: CookieJar, of response: SAMLResponse, _ streams: Streams
  ) async throws -> Bool {
    let isWanted =
      switch try signIn.settings.permission(for: .keepSession, usually: .never) {
      case .always: true
      case .asks:
        try await streams.dialog?.confirm(KeptSession.question, help: KeptSession.help) ?? false
      case .never: false
      }
    guard isWanted, let assertion = try? AWSAssertion(response) else { return false }
    do {
      try await credentials.change(of: assertion.sessionName) { $0.keptSession = cookies }
      return true
    } catch {
      streams.note(
        "idx-flow: The session is not kept. \(CommandFailure(error).sentence.sanitized)")
      return false
    }
  }

  private func kept(of role: AWSRole) async throws -> AWSKeys? {
    try await AWSKeyCache(store: access.store).keys(
      for: AWSKeyRequest(call, role: role, for: signIn.app),
      among: credentials.all(of: call[Selection.user]))
  }

  /// Signs in at the terminal itself, because standard output may go to another program.
  private func signedIn<Result: Sendable>(
    _ body: @escaping @Sendable (AWSAssertion, Streams) async throws -> Result
  ) async throws -> Result {
    var streams = call.streams
    streams.results = STDERR_FILENO
    streams.terminal = signIn.terminal
    return try await TerminalTask.run(at: streams.terminal) { [signIn, streams] in
      let response = try await signIn.response(streams) { response, cookies in
        try await keep(cookies, of: response, streams)
      }
      let assertion = try AWSAssertion(response)
      if let user = call[Selection.user], user != assertion.sessionName {
        throw CommandFailure(
          .refused,
          "Another person than \(user.sanitized) has signed in.",
          code: "other_person")
      }
      return try await body(assertion, streams)
    }
  }

  /// The role that is named, the only one, or the one that the person chooses.
  private func choose(
    _ role: AWSRole?, of assertion: AWSAssertion, _ streams: Streams
  ) async throws -> AWSSAMLRole {
    if let role { return try assertion.role(withARN: role.arn) }
    if assertion.roles.count == 1 { return assertion.roles[0] }
    guard let dialog = streams.dialog else { throw assertion.severalRoles }
    dialog.heading("Which role of AWS?")
    let position = try await dialog.choose(among: assertion.roles.map { Sentence(text: $0.label) })
    return assertion.roles[position]
  }

  private func newKeys(of role: AWSSAMLRole, _ assertion: AWSAssertion) async throws -> AWSKeys {
    let request = try AWSKeyRequest(call, role: role.role, for: signIn.app)
    do {
      return try await SecurityTokenService(call).keys(
        for: request, with: assertion.identity(for: role))
    } catch let refusal as AWSRefusal { throw refusal.failure(role, of: signIn.app) }
  }

  private func keep(_ keys: AWSKeys, _ assertion: AWSAssertion, _ role: AWSRole) async {
    do {
      try await credentials.change(of: assertion.sessionName) { credential in
        credential = try credential.adding(keys, at: Date())
      }
    } catch {
      call.streams.note(
        "idx-flow: The keys are not kept. \(CommandFailure(error).sentence.sanitized)")
    }
    await signIn.remember(role, username: assertion.sessionName)
  }

  private var signInNeeded: CommandFailure {
    CommandFailure(
      .signInNeeded,
      "There are no kept keys that are valid, and nobody can be asked to sign in.",
      remedy: "At a terminal, run idx-flow aws with the same options, or answer with --script FILE."
    )
  }
}
