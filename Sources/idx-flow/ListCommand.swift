import IDX

/// `idx-flow list`: all credentials that are kept.
struct ListCommand: Command {
  static let name = "list"
  static let summary = "List the credentials that are kept."
  static let help = CommandHelp(
    purpose: "List the credentials that are kept; a star marks the current one.",
    usage: ["list [OPTION...]"], options: CredentialAccess.placeOptions)

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let credentials = try await access.credentials()
    let current = try await access.store.currentID()
    if call.asJSON {
      let entries = credentials.map {
        CredentialText($0).json.adding("is_current", .bool($0.id == current))
      }
      try call.streams.result(JSON.array(entries).text)
    } else if credentials.isEmpty {
      call.streams.note("There is nothing in \(access.store.location).")
    } else {
      let lines = credentials.map { credential in
        let text = CredentialText(credential)
        return "\(credential.id == current ? "*" : " ") \(text.place)  \(text.validity)"
      }
      try call.streams.result(lines.joined(separator: "\n"))
    }
    return .done
  }
}
