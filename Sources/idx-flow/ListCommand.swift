import IDX

/// `idx-flow list`: all credentials that are kept.
struct ListCommand: Command {
  static let name = "list"
  static let summary = "List the credentials that are kept."
  static let help = CommandHelp(
    purpose: "List the credentials that are kept; a star marks the current one.",
    usage: ["list [OPTION...]"], options: CredentialAccess.placeOptions)

  private let options: CommandLineOptions
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) throws {
    try options.refuseOperands(of: Self.name)
    self.options = options
    self.environment = environment
  }

  func run(_ streams: Streams) async throws -> ExitCode {
    let access = try await CredentialAccess(options, environment)
    let credentials = try await access.credentials(streams)
    let current = try await access.store.currentID()
    if options.flags.contains("--json") {
      let entries = credentials.map { credential in
        var object = CredentialText(credential).json.object ?? JSON.Object()
        object["is_current"] = .bool(credential.id == current)
        return JSON.object(object)
      }
      try streams.result(JSON.array(entries).text)
    } else if credentials.isEmpty {
      streams.note("There is nothing in \(access.store.location).")
    } else {
      let lines = credentials.map { credential in
        let text = CredentialText(credential)
        return "\(credential.id == current ? "*" : " ") \(text.place)  \(text.validity)"
      }
      try streams.result(lines.joined(separator: "\n"))
    }
    return .done
  }
}
