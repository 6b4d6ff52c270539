import IDXBase
import IDX

/// `idx-flow status`: who is signed in, by what is kept; asks no server.
struct StatusCommand: Command {
  static let name = "status"
  static let summary = "Tell who is signed in, where, and until when."
  static let help = CommandHelp(
    purpose: """
      Tell who is signed in, where, until when and for what, and where the credential is kept. The
      server is not asked; idx-flow whoami does that.
      """,
    usage: ["status [OPTION...]"],
    options: CredentialAccess.choiceOptions + CredentialAccess.placeOptions,
    notes: """
      The exit status is 8 where nobody is signed in, or where the access token has expired and there
      is no refresh token.
      """)

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let text = CredentialText(try await access.selected())
    let lines = text.lines + ["kept in   \(access.store.location)"]
    try call.result(
      lines.joined(separator: "\n"),
      text.json.adding("store", .string(access.store.location)))
    return text.isUsable ? .done : .signInNeeded
  }
}
