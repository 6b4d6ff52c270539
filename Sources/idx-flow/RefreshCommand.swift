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

  private let options: CommandLineOptions
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) throws {
    try options.refuseOperands(of: Self.name)
    self.options = options
    self.environment = environment
  }

  func run(_ streams: Streams) async throws -> ExitCode {
    let access = try await CredentialAccess(options, environment)
    let selected = try await access.selected(streams)
    let text = CredentialText(try await access.session(for: selected).refresh())
    try streams.result(
      options.flags.contains("--json")
        ? text.json.text : "Refreshed for \(text.user): \(text.validity).")
    return .done
  }
}
