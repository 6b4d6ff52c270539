import IDX
import IDXBase
import IDXOAuth
import IDXPrompt
import IDXFlow

/// `idx-flow use`: makes a credential the current one.
struct UseCommand: Command {
  static let name = "use"
  static let group = CommandGroup.credentials
  static let summary = "Make a credential the current one."
  static let purpose = """
    Make a credential the current one, which the other commands use by default. The beginning of a
    username is enough. If several credentials match, or if nothing is named, you choose at the
    terminal.
    """
  static let options = Selection.appOptions + CredentialAccess.storeOptions
  static let operand: OperandSpec? = OperandSpec("USER", of: .user)
  static let examples = [
    Example("Choose one of the credentials", "idx-flow use"),
    Example("Use the credential of ada@example.com", "idx-flow use ada"),
  ]

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let (selected, isComplete) = try await access.allSelected()
    let name = call.options.operands.first
    let matches = name.map { Self.matches($0, selected) } ?? selected
    guard let first = matches.first else {
      throw isComplete ? try await access.noMatch() : CredentialAccess.unreadable
    }
    let terminal = call.openTerminal()
    let credential: Credential
    switch (matches.count, terminal) {
    case (1, _) where try name != nil || !access.selection.isEmpty: credential = first
    case (_, let terminal?):
      let current = try await access.store.currentID()
      let words = call.streams.words
      credential = matches[try await choose(among: matches, current, at: terminal, words)]
    case (_, nil):
      throw name == nil
        ? CommandFailure(.usage, "use needs a USER: idx-flow use USER [OPTION...]")
        : CredentialAccess.severalMatch(matches)
    }
    try await access.store.makeCurrent(credential.id)
    let text = CredentialText(credential)
    try call.result(call.text("Current credential: \(text.line)"), text.json)
    return .done
  }

  /// Lets the person choose at a terminal, and returns the position.
  private static func choose(
    among credentials: [Credential], _ current: Credential.ID?, at terminal: InteractiveTerminal,
    _ words: Words
  ) async throws -> Int {
    // The host is enough, unless it is the same for two credentials of a user.
    let short = credentials.map { CredentialText($0).userAndHost }
    let areDistinct = Set(short).count == short.count
    let labels = zip(credentials, short).map { credential, short in
      let name = areDistinct ? short : Sentence(text: CredentialText(credential).line)
      return credential.id == current ? "\(name) (current)" : name
    }
    return try await TerminalTask.run(at: terminal) {
      try await TerminalDialog(terminal: terminal, words: words).choose(among: labels)
    }
  }

  /// The credentials with this username or user ID; without one, those whose name begins so.
  private static func matches(_ name: String, _ credentials: [Credential]) -> [Credential] {
    let exact = credentials.filter { $0.username == name || $0.id.subject == name }
    guard exact.isEmpty, !name.isEmpty else { return exact }
    let start = name.lowercased()
    return credentials.filter { credential in
      [credential.username, credential.id.subject].contains {
        $0?.lowercased().hasPrefix(start) == true
      }
    }
  }
}
