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
    notes: "The exit status is 8 where nobody is signed in, or where only a new sign-in helps.")

  private let options: CommandLineOptions
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) throws {
    try options.refuseOperands(of: Self.name)
    self.options = options
    self.environment = environment
  }

  func run(_ streams: Streams) async throws -> ExitCode {
    let access = try await CredentialAccess(options, environment)
    let text = CredentialText(try await access.selected(streams))
    if options.flags.contains("--json") {
      var object = text.json.object ?? JSON.Object()
      object["store"] = .string(access.store.location)
      try streams.result(JSON.object(object).text)
    } else {
      let lines = text.lines + ["kept in   \(access.store.location)"]
      try streams.result(lines.joined(separator: "\n"))
    }
    return text.isUsable ? .done : .signInNeeded
  }
}
