import IDX

/// `idx-flow use`: makes a credential the current one.
struct UseCommand: Command {
  static let name = "use"
  static let summary = "Make one of the credentials the current one."
  static let help = CommandHelp(
    purpose: "Make one of the credentials the current one, which the other commands then mean.",
    usage: ["use USER [OPTION...]"],
    options: CredentialAccess.choiceOptions.filter { $0.name != "--user" }
      + CredentialAccess.placeOptions)

  private let options: CommandLineOptions
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) throws {
    guard options.operands.count == 1 else {
      throw CommandFailure(
        .usage, "use takes one USER, by user name or id. See: idx-flow list")
    }
    self.options = options
    self.environment = environment
  }

  func run(_ streams: Streams) async throws -> ExitCode {
    let access = try await CredentialAccess(options, environment, user: options.operands.first)
    let credential = try await access.selected(streams)
    try await access.store.makeCurrent(credential.id)
    let text = CredentialText(credential)
    try streams.result(
      options.flags.contains("--json") ? text.json.text : "Now current: \(text.place)")
    return .done
  }
}
