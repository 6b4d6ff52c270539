import Foundation
import IDX
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXOAuth
import IDXStorage

/// `idx-flow signout`: revokes the tokens and deletes the credential.
struct SignOutCommand: Command {
  static let name = "signout"
  static let aliases = ["logout"]
  static let group = CommandGroup.signIn
  static let summary = "Revoke the tokens and delete the credential."
  static let purpose = """
    Revoke the refresh token and the access token, and delete the credential. If the server cannot be
    reached, the credential is deleted too, and the command says which tokens are still valid.
    """
  static let options = [all, damaged, forgetDevice] + CredentialAccess.requestOptions
  static let examples = [
    Example("Sign out the current user", "idx-flow signout"),
    Example("Sign out everybody", "idx-flow signout --all"),
    Example("Be a new device for an org", "idx-flow signout --forget-device --issuer URL"),
  ]
  static let notes: String? = """
    The exit status is 0 if all tokens were revoked; otherwise it says why the first one was not.
    Without --all, other credentials are not changed; idx-flow list shows them. The sessions of the org
    that were kept (--keep-session) end too, and keys of AWS for SAML are deleted.

    The cookie by which an org recognizes this computer is kept, so that the next sign-in is not one
    from a new device. --forget-device deletes those of all orgs, of the org of --issuer, or of a
    profile, also if nobody is signed in.
    """

  private static let all = OptionSpec(
    "--all", "sign out all users, or all that the other options select")
  private static let damaged = OptionSpec(
    "--damaged", "set damaged files of credentials aside, and sign out nobody")
  private static let forgetDevice = OptionSpec(
    "--forget-device", "also delete the cookies by which orgs recognize this computer")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    if call.has(damaged) { return try await setDamagedAside(call) }
    // Also if nobody is signed in any more.
    let isForgotten = call.has(forgetDevice) ? try await forget(call) : false
    let access = try await CredentialAccess(call)
    if call.has(forgetDevice), !call.has(all) {
      do {
        guard try await isSignedIn(access) else { return try endWithNobody(call) }
      } catch let failure as CommandFailure where isForgotten && failure.exitCode == .usage {
        // Nothing else was left of a profile that was removed.
        return try endWithNobody(call)
      }
    }
    let kept = try await removeKept(access, call)
    if kept.isRemoved, try await access.allSelected().credentials.isEmpty {
      return try endWithNobody(call, kept.exitCode)
    }
    guard call.has(all) else {
      let end = try await signOut(try await access.selected(), access, call)
      try call.result(end.text, end.json)
      await listOthers(access, call)
      await access.noteKeptSessions()
      return end.exitCode == .done ? kept.exitCode : end.exitCode
    }
    let (credentials, isComplete) = try await access.allSelected()
    var exitCode: ExitCode = isComplete ? kept.exitCode : .storeFailed
    var ends: [JSONValue] = []
    for credential in credentials {
      do {
        let end = try await signOut(credential, access, call)
        if call.asJSON { ends.append(end.json) } else { try call.streams.result(text: end.text) }
        if exitCode == .done { exitCode = end.exitCode }
      } catch is CancellationError { throw CancellationError() } catch {
        // The others are signed out even so.
        let failure = CommandFailure(error)
        call.streams.note("idx-flow: \(CredentialText(credential).user): \(failure.sentence)")
        if exitCode == .done { exitCode = failure.exitCode }
      }
    }
    if call.asJSON { try call.streams.result(JSONValue.array(ends)) }
    if credentials.isEmpty, isComplete {
      call.streams.note(
        "Nobody is signed in: there are no such credentials in \(access.store.place).")
    }
    return exitCode
  }

  /// Writes that no user was signed out, for `--json`; the notes say what else was done.
  private static func endWithNobody(
    _ call: CommandCall, _ exitCode: ExitCode = .done
  ) throws -> ExitCode {
    if call.asJSON {
      let nobody: JSONValue = ["status": "signed_out", "revoked": [], "not_revoked": []]
      try call.streams.result(call.has(all) ? [] : nobody)
    }
    return exitCode
  }

  /// Renames the damaged files, which keep their content.
  private static func setDamagedAside(_ call: CommandCall) async throws -> ExitCode {
    if let other = ([all, forgetDevice, Selection.user] + Selection.appOptions).first(
      where: call.has)
    {
      throw CommandFailure(.usage, "\(damaged.name) and \(other.name) cannot be used together.")
    }
    let store = try await CredentialAccess(call).store
    guard let files = store as? FileCredentialStore else {
      throw CommandFailure(
        .usage,
        "Credentials in \(store.place) are no files. Remove a damaged one with its own program.")
    }
    let paths = try await files.setDamagedAside()
    let sentences = paths.map { path -> Sentence in "Set aside: \(path.sanitized)" }
    try call.result(
      paths.isEmpty
        ? call.text("No credential is damaged.") : sentences.map(call.text).joined(separator: "\n"),
      ["set_aside": .array(paths.map(JSONValue.string))])
    if paths.contains(where: { $0.contains("/credentials/") }) {
      call.streams.note(
        "The renamed files may contain tokens that are still valid. Delete them when nobody needs them."
      )
    }
    return .done
  }

  /// Deletes what is kept beside tokens for the selected orgs, and ends their sessions; returns whether there was
  /// something, and whether each session has ended.
  private static func removeKept(
    _ access: CredentialAccess, _ call: CommandCall
  ) async throws -> (isRemoved: Bool, exitCode: ExitCode) {
    let selection = try access.selection
    let current = call.has(all) ? nil : try await access.current()?.id
    let credentials = try await access.store.entries().compactMap(\.credential)
    let selected = selection.selected(of: credentials.filter { !$0.isOfOrg })
    let found = credentials.filter { credential in
      credential.isOfOrg && selection.selects(kept: credential, beside: current, and: selected)
    }
    var exitCode = ExitCode.done
    for credential in found {
      try await access.store.withLock(on: credential.id) {
        try await access.store.remove(credential.id)
      }
      if await !endSession(of: credential, call) { exitCode = .network }
    }
    if found.contains(where: { !$0.awsKeys.isEmpty }) {
      call.streams.note("The keys of AWS that were kept for SAML are deleted.")
    }
    return (!found.isEmpty, exitCode)
  }

  /// Ends the session of an org that was kept; returns false if the org cannot be asked.
  private static func endSession(of credential: Credential, _ call: CommandCall) async -> Bool {
    guard let session = credential.keptSession,
      let transport = try? call.transport(for: credential.id),
      let configuration = try? FlowConfiguration(
        issuer: credential.id.issuer.absoluteString, clientID: credential.id.clientID)
    else { return true }
    let isEnded = await HostedClient(transport: transport).endSession(session, of: configuration)
    call.streams.note(
      isEnded
        ? "The session of the org that was kept has ended."
        : "The session of the org that was kept could not be ended, and lasts until it expires.")
    return isEnded
  }

  /// Whether there is a credential that would be signed out.
  private static func isSignedIn(_ access: CredentialAccess) async throws -> Bool {
    guard try !access.selection.isEmpty else { return try await access.current() != nil }
    let (selected, isComplete) = try await access.allSelected()
    return !selected.isEmpty || !isComplete
  }

  /// Lists the credentials that are left, if none of them is current; a failure is none of the sign-out.
  private static func listOthers(_ access: CredentialAccess, _ call: CommandCall) async {
    guard (try? await access.store.currentID()) == .some(nil),
      let entries = try? await access.store.entries()
    else { return }
    let left = entries.compactMap(\.credential).filter { !$0.isOfOrg }
      .sorted(by: CredentialText.order)
    guard !left.isEmpty else { return }
    guard left.count > 1 else {
      try? await access.makeCurrent(left[0])
      call.streams.note(
        "Still signed in, and the current one now:\n  \(CredentialText(left[0]).line)")
      return
    }
    let lines = left.map { credential in
      "\n  \(CredentialText(credential).line)\n    "
        + access.text(of: credential).useCommand(among: left)
    }.joined()
    call.streams.note(
      "Still signed in:\(lines)\nTo make one of them the current one, run the command below it.")
  }

  /// Forgets what orgs know this computer by: the org of `--issuer` or the profile, or all of them.
  ///
  /// Returns whether there was something.
  private static func forget(_ call: CommandCall) async throws -> Bool {
    let profile = call[Selection.profile]
    var text = call[Setting.issuer.option]
    if text == nil, let profile {
      text = try ProfileFile(call.environment).profile(named: profile)?[.issuer]
    }
    let issuer = text.flatMap { URL(string: IssuerText.addingScheme(to: $0)) }
    guard text == nil || issuer?.host != nil else {
      throw CommandFailure(.usage, "\((text ?? "").sanitized) is no address of an org.")
    }
    let isForgotten = try await DeviceFile(call.environment).forget(issuer, profile: profile)
    call.streams.note(
      isForgotten
        ? "This computer is forgotten: the next sign-in is one from a new device."
        : "No org recognizes this computer, so there is nothing to forget.")
    return isForgotten
  }

  private struct End {
    let text: String
    let json: JSONValue
    let exitCode: ExitCode
  }

  private static func signOut(
    _ credential: Credential, _ access: CredentialAccess, _ call: CommandCall
  ) async throws -> End {
    let name = await CredentialText(credential).name(in: access.store)
    let result = try await access.use(credential) { try await $0.signOut() }
    let failures = result.failures.map {
      (kind: $0.kind, failure: CommandFailure($0.error, refreshing: credential))
    }
    for (kind, failure) in failures {
      call.streams.note(
        "The \(kind.sentence) could not be revoked and is valid until it expires: "
          + "\(failure.sentenceWithRemedy)")
    }
    let names = result.revoked.map { kind -> Sentence in "the \(kind.sentence)" }
    let revoked = names.first.map { names.dropFirst().reduce($0) { "\($0) and \($1)" } }
    return End(
      text: call.text(
        "Signed out \(name): revoked \(revoked ?? "no tokens"), deleted the credential."),
      json: [
        "status": "signed_out", "user": .string(CredentialText(credential).user),
        "revoked": .array(result.revoked.map { .string($0.rawValue) }),
        "not_revoked": .array(failures.map { .string($0.kind.rawValue) }),
      ], exitCode: failures.first?.failure.exitCode ?? .done)
  }
}
