import IDX
import IDXFlow

/// `idx-flow signout`: revokes the tokens and deletes the credential.
struct SignOutCommand: Command {
  static let name = "signout"
  static let summary = "Revoke the tokens and delete the credential."
  static let purpose = """
    Revoke the refresh token and the access token, and delete the credential. If the server cannot be
    reached, the credential is deleted too, and the command says which tokens are still valid.
    """
  static let options = CredentialAccess.selectionOptions + CredentialAccess.storeOptions
  static let notes: String? = """
    The exit status is 0 if all tokens were revoked; otherwise it says why the first one was not.
    Other credentials are not changed; idx-flow list shows them.
    """

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let credential = try await access.selected()
    let result = try await access.use(credential) { try await $0.signOut() }
    let failures = result.failures.map { (kind: $0.kind, failure: CommandFailure($0.error)) }
    for (kind, failure) in failures {
      call.streams.note(
        "The \(kind.displayName) could not be revoked and is valid until it expires: "
          + failure.message)
    }
    let names = result.revoked.map(\.displayName)
    let user = CredentialText(credential).user
    let revoked = names.isEmpty ? "no tokens" : "the " + names.joined(separator: " and the ")
    try call.result(
      "Signed out \(user): revoked \(revoked), deleted the credential.",
      [
        "status": "signed_out", "user": .string(user),
        "revoked": .array(result.revoked.map { .string($0.rawValue) }),
        "not_revoked": .array(failures.map { .string($0.kind.rawValue) }),
      ])
    return failures.first?.failure.exitCode ?? .done
  }
}
