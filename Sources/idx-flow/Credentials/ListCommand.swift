import IDX
import IDXBase
import IDXOAuth

/// `idx-flow list`: lists the saved credentials.
struct ListCommand: Command {
  static let name = "list"
  static let group = CommandGroup.credentials
  static let summary = "List the saved credentials."
  static let purpose = "List the saved credentials. A star marks the current one."
  static let options = [Selection.profile] + CredentialAccess.storeOptions
  static let notes: String? = "The exit status is 9 if a credential cannot be read."

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let (credentials, isComplete) = try await access.allSelected()
    let current: Credential.ID?
    do { current = try await access.current()?.id } catch let error as CredentialStoreError {
      // The list is useful without it, and another credential can be made the current one.
      call.streams.note("idx-flow: \(error.message) See: idx-flow use --help")
      current = nil
    }
    if call.asJSON {
      let entries = credentials.map {
        CredentialText($0).json.adding("is_current", .bool($0.id == current))
      }
      try call.streams.result(JSONValue.array(entries))
    } else if !credentials.isEmpty {
      let lines = credentials.map { credential in
        let text = access.text(of: credential)
        let mark = credential.id == current ? "*" : " "
        return "\(mark) \(text.user)  \(call.text(text.validity))\n    \(text.app)"
      }
      try call.streams.result(text: lines.joined(separator: "\n"))
    } else if isComplete {
      call.streams.note(
        try access.selection.profile == nil
          ? "There are no credentials in \(access.store.place)."
          : await access.noMatch().sentence)
    }
    await access.noteKeptSessions()
    if let limit = try access.limit() { call.streams.note(limit) }
    return isComplete ? .done : .storeFailed
  }
}
