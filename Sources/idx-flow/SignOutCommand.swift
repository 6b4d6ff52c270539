import IDX
import IDXFlow
import IDXOAuth

/// `idx-flow signout`: revokes the tokens and forgets them.
struct SignOutCommand: Command {
  static let name = "signout"
  static let summary = "Revoke the tokens and forget them."
  static let help = CommandHelp(
    purpose: """
      Revoke the refresh token and the access token, and forget the credential, also where the server
      cannot be reached; it is told which tokens then stand until they expire.
      """,
    usage: ["signout [OPTION...]"],
    options: CredentialAccess.choiceOptions + CredentialAccess.placeOptions,
    notes: """
      The exit status is that of the first token that was not revoked, and 0 where all were. Other
      credentials stay; idx-flow list shows them.
      """)

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let credential = try await access.selected()
    let result = try await access.use(credential) { try await $0.signOut() }
    let failures = result.failures.map { ($0.kind, ErrorText.failure(for: $0.error)) }
    for (kind, failure) in failures {
      call.streams.note(
        "The \(tokenName(kind)) was not revoked and stands until it expires: "
          + failure.message)
    }
    let names = result.revoked.map(tokenName)
    let user = CredentialText(credential).user
    let revoked = names.isEmpty ? "nothing" : "the " + names.joined(separator: " and the ")
    try call.result(
      "Signed out \(user): revoked \(revoked), forgot the credential.",
      [
        "status": "signed_out", "user": .string(user),
        "revoked": .array(result.revoked.map { .string($0.rawValue) }),
        "not_revoked": .array(failures.map { .string($0.0.rawValue) }),
      ])
    return failures.first?.1.exitCode ?? .done
  }

  private static func tokenName(_ kind: TokenKind) -> String {
    switch kind {
    case .access: "access token"
    case .refresh: "refresh token"
    case .id: "ID token"
    }
  }
}
