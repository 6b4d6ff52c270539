import IDXBase
import IDX
import IDXOAuth

/// `idx-flow list`: all credentials that are kept.
struct ListCommand: Command {
  static let name = "list"
  static let summary = "List the credentials that are kept."
  static let help = CommandHelp(
    purpose: "List the credentials that are kept; a star marks the current one.",
    usage: ["list [OPTION...]"], options: CredentialAccess.placeOptions,
    notes: "The exit status is 9 where something that is kept cannot be read.")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let (credentials, isReadable) = try await access.credentials()
    let current: Credential.ID?
    do { current = try await access.store.currentID() } catch let error as CredentialStoreError {
      // Which one is current can be chosen anew; the credentials are what is asked for.
      call.streams.note("idx-flow: \(error.message) See: idx-flow use --help")
      current = nil
    }
    if call.asJSON {
      let entries = credentials.map {
        CredentialText($0).json.adding("is_current", .bool($0.id == current))
      }
      try call.streams.result(JSONValue.array(entries).text)
    } else if !credentials.isEmpty {
      let lines = credentials.map { credential in
        let text = CredentialText(credential)
        let mark = credential.id == current ? "*" : " "
        return "\(mark) \(text.user)  \(text.validity)\n    \(text.app)"
      }
      try call.streams.result(lines.joined(separator: "\n"))
    } else if isReadable {
      call.streams.note("There is nothing in \(access.store.location).")
    }
    return isReadable ? .done : .storeFailed
  }
}
