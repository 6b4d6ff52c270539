/// `idx-flow refresh`: new tokens, whether or not the old ones still stand.
struct RefreshCommand: Command {
  static let name = "refresh"
  static let summary = "Get new tokens now."
  static let help = CommandHelp(
    purpose: """
      Get new tokens now. There is no need to: whoami and token refresh what is about to expire.
      """,
    usage: ["refresh [OPTION...]"],
    options: CredentialAccess.choiceOptions + CredentialAccess.placeOptions,
    notes: "The exit status is 8 where the server takes the refresh token no more.")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let selected = try await access.selected()
    let text = CredentialText(try await access.use(selected) { try await $0.refresh() })
    try call.result("Refreshed for \(text.user): \(text.validity).", text.json)
    return .done
  }
}
