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

  /// The kept keys of the role that is named, or new ones.
  func keys() async throws -> AWSKeys {
    let role = try AWSRole.ifNamed(call, or: signIn.isOtherApp ? nil : signIn.profile)
    if let role, let kept = try await kept(of: role) { return kept }
    // The AWS tools may start several of these commands at once: only one of them asks the person.
    return try await access.store.withLock(on: .lock(on: "sign-in for aws")) {
      if let role, let kept = try await kept(of: role) { return kept }
      return try await withAssertion(isPersonNeeded: { role == nil && $0.roles.count > 1 }) {
        assertion, hasSignedIn, streams in
        let chosen = try await choose(role, of: assertion, streams)
        let keys = try await newKeys(of: chosen, assertion)
        await keep(keys, assertion, chosen.role, creating: hasSignedIn)
        return keys
      }
    }
  }

  /// The roles that the org lets the person use.
  func roles() async throws -> [AWSSAMLRole] {
    try await withAssertion(isPersonNeeded: { _ in false }) { assertion, _, _ in
      await signIn.remember(nil, username: assertion.sessionName)
      return assertion.roles
    }
  }

  // MARK: Private

  private var credentials: OrgCredentials { signIn.credentials(in: access.store) }

  private func kept(of role: AWSRole) async throws -> AWSKeys? {
    try await AWSKeyCache(store: access.store).keys(
      for: AWSKeyRequest(call, role: role, for: signIn.app),
      among: credentials.all(of: call[Selection.user]))
  }

  /// Uses what the org says for a session that is kept, or after a sign-in.
  ///
  /// The terminal is taken over only for a sign-in, or if `isPersonNeeded`: a command that asks nothing may run in the
  /// background. `body` also gets whether the person has just signed in.
  private func withAssertion<Result: Sendable>(
    isPersonNeeded: (AWSAssertion) -> Bool,
    _ body: @escaping @Sendable (AWSAssertion, Bool, Streams) async throws -> Result
  ) async throws -> Result {
    let session = try signIn.session(in: access.store)
    let known = try await signIn.response(of: session, username: call[Selection.user])
      .map(AWSAssertion.init)
    guard signIn.hasAnswers || known != nil else { throw signInNeeded }
    // Standard output may go to another program.
    var streams = call.streams
    streams.results = STDERR_FILENO
    streams.terminal = known.map(isPersonNeeded) ?? true ? signIn.terminal : nil
    return try await TerminalTask.run(at: streams.terminal) { [call, signIn, streams] in
      let assertion =
        if let known { known } else {
          try AWSAssertion(try await signIn.response(streams, keeping: session))
        }
      if let user = call[Selection.user], user != assertion.sessionName {
        throw CommandFailure(
          .refused, "Another person than \(user.sanitized) has signed in.", code: "other_person")
      }
      return try await body(assertion, known == nil, streams)
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

  /// Keeps keys; without a sign-in just now (`creating`), somebody may have signed out in the meantime.
  private func keep(
    _ keys: AWSKeys, _ assertion: AWSAssertion, _ role: AWSRole, creating: Bool
  ) async {
    do {
      try await credentials.change(of: assertion.sessionName, creating: creating) { credential in
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
      "There are neither kept keys that are valid nor a session that the org accepts, and nobody can be asked to sign in.",
      remedy: "At a terminal, run idx-flow aws with the same options, or answer with --script FILE."
    )
  }
}
