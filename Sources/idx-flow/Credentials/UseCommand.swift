import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXPrompt
import IDXFlow

/// `idx-flow use`: makes a credential, or a profile, the current one.
struct UseCommand: Command {
  static let name = "use"
  static let group = CommandGroup.credentials
  static let summary = "Make a credential or a profile the current one."
  static let purpose = """
    Make a credential the current one, and its profile with it. The other commands use them if nothing
    is named. NAME is a username, its beginning, the host of an org, or a profile, in which nobody need
    be signed in yet. If several credentials match, or if nothing is named, you choose at the terminal.
    """
  static let options = Selection.appOptions + CredentialAccess.storeOptions
  static let operand: OperandSpec? = OperandSpec("NAME", of: .userOrProfile)
  static let examples = [
    Example("Choose one of the credentials", "idx-flow use"),
    Example("Use the credential of ada@example.com", "idx-flow use ada"),
    Example("Use the profile work", "idx-flow use work"),
  ]

  /// What can be the current one.
  private enum Choice {
    case credential(Credential)
    /// A profile in which nobody is signed in.
    case profile(Profile)
  }

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let (selected, isComplete) = try await access.allSelected()
    guard let name = call.options.operands.first else {
      let isNamed = try !access.selection.isEmpty
      let others = isNamed ? [] : profiles(withoutCredentialIn: selected, call)
      let choices = selected.map(Choice.credential) + others.map(Choice.profile)
      guard !choices.isEmpty else {
        throw isComplete ? try await access.noMatch() : CredentialAccess.unreadable
      }
      return try await use(choices, isClear: isNamed, access, call)
    }
    let exact = selected.filter { $0.username == name || $0.id.subject == name }
    if exact.isEmpty, !call.has(CredentialAccess.demo),
      try ProfileFile(call.environment).profile(named: name) != nil
    {
      return try await use(profileNamed: name, call, notesUnreadable: false)
    }
    var matches = exact.isEmpty ? starting(with: name, selected) : exact
    if matches.isEmpty { matches = selected.filter { isAddress(name, of: $0.id.issuer) } }
    guard !matches.isEmpty else {
      guard isComplete else { throw CredentialAccess.unreadable }
      throw try await access.noMatch().adding(remedy: hint(for: name, selected, call))
    }
    return try await use(matches.map(Choice.credential), isClear: true, access, call)
  }

  /// Makes a profile the current one, with the credential of a person who is signed in with it.
  static func use(
    profileNamed name: String, _ call: CommandCall, notesUnreadable: Bool = true
  ) async throws -> ExitCode {
    var call = call
    call.options.set(Selection.profile, to: name)
    let access = try await CredentialAccess(call, notesUnreadable: notesUnreadable)
    let (found, isComplete) = try await access.allSelected()
    guard found.isEmpty else {
      return try await use(found.map(Choice.credential), isClear: true, access, call)
    }
    guard isComplete else { throw CredentialAccess.unreadable }
    let profile = try ProfileFile(call.environment).existingProfile(named: name)
    return try await use([.profile(profile)], isClear: true, access, call)
  }

  /// Makes one of some choices the current one; a single one needs no question if it `isClear` which one is meant.
  private static func use(
    _ choices: [Choice], isClear: Bool, _ access: CredentialAccess, _ call: CommandCall
  ) async throws -> ExitCode {
    let credentials = choices.compactMap { choice -> Credential? in
      if case .credential(let credential) = choice { credential } else { nil }
    }
    let choice: Choice
    if choices.count == 1, isClear {
      choice = choices[0]
    } else if let terminal = call.openTerminal() {
      let current = try await access.current()?.id
      choice = choices[try await choose(among: choices, current, at: terminal, call.streams.words)]
    } else {
      throw isClear
        ? CredentialAccess.severalMatch(credentials)
        : CommandFailure(.usage, "use needs a NAME: idx-flow use NAME [OPTION...]")
    }
    switch choice {
    case .credential(let credential):
      try await access.makeCurrent(credential)
      noteVariable(insteadOf: credential.id.label ?? Profile.defaultName, call)
      let text = CredentialText(credential)
      try call.result(call.text("Current credential: \(text.line)"), text.json)
    case .profile(let profile):
      try await ProfileFile(call.environment).makeCurrent(profile.name)
      noteVariable(insteadOf: profile.name, call)
      try call.result(
        call.text("Current profile: \(profile.name.sanitized)  \(profile.place)"),
        ["profile": .string(profile.name)])
      let signIn = Profile.signInCommand(profile.name, in: call.environment)
      call.streams.note("Nobody is signed in with it yet. Sign in: \(signIn)")
    }
    return .done
  }

  /// Says that a variable counts for more than what was chosen.
  private static func noteVariable(insteadOf name: String, _ call: CommandCall) {
    guard !call.has(CredentialAccess.demo), let chosen = Profile.chosen(in: call.environment),
      chosen != name
    else { return }
    call.streams.note(
      "IDX_FLOW_PROFILE is set: commands still use the profile “\(chosen.sanitized)”. To use this one, unset the variable."
    )
  }

  /// The profiles in which none of the credentials is; without a usable file there is none.
  private static func profiles(
    withoutCredentialIn credentials: [Credential], _ call: CommandCall
  ) -> [Profile] {
    guard !call.has(CredentialAccess.demo) else { return [] }
    let labels = Set(credentials.map { $0.id.label ?? Profile.defaultName })
    return ((try? ProfileFile(call.environment).profiles()) ?? []).filter {
      !labels.contains($0.name)
    }
  }

  /// Lets the person choose at a terminal, and returns the position.
  private static func choose(
    among choices: [Choice], _ current: Credential.ID?, at terminal: InteractiveTerminal,
    _ words: Words
  ) async throws -> Int {
    // The host is enough, unless it is the same for two credentials of a user.
    let short = choices.map { choice -> Sentence in
      switch choice {
      case .credential(let credential): CredentialText(credential).userAndHost
      case .profile(let profile): "\(profile.name.sanitized) (nobody is signed in)"
      }
    }
    let areDistinct = Set(short).count == short.count
    let labels = zip(choices, short).map { choice, short -> Sentence in
      guard case .credential(let credential) = choice else { return short }
      let name = areDistinct ? short : Sentence(text: CredentialText(credential).line)
      return credential.id == current ? "\(name) (current)" : name
    }
    return try await TerminalTask.run(at: terminal) {
      try await TerminalDialog(terminal: terminal, words: words).choose(among: labels)
    }
  }

  /// Whether a text is the address of an org or of an authorization server, without the parts that were not typed.
  private static func isAddress(_ text: String, of issuer: URL) -> Bool {
    guard !text.contains("@"),
      let url = URL(string: IssuerText.addingScheme(to: IssuerText.ascii(text)))
    else { return false }
    return url.host != nil && url.host == issuer.host
      && (url.port == nil || url.port == issuer.port)
      && (["", "/"].contains(url.path) || url.path == issuer.path)
  }

  /// The names that may be meant; nil if there is none.
  private static func hint(
    for name: String, _ credentials: [Credential], _ call: CommandCall
  ) -> Sentence? {
    let profiles =
      call.has(CredentialAccess.demo) ? nil : try? ProfileFile(call.environment).names()
    let names = credentials.compactMap(\.username) + (profiles ?? [])
    let similar = Spelling.similar(to: name, among: names).map(\.sanitized)
    return similar.isEmpty ? nil : "Did you mean \(similar.alternatives)?"
  }

  /// The credentials whose username or user ID begins with a text.
  private static func starting(with name: String, _ credentials: [Credential]) -> [Credential] {
    let start = name.lowercased()
    guard !start.isEmpty else { return [] }
    return credentials.filter { credential in
      [credential.username, credential.id.subject].contains {
        $0?.lowercased().hasPrefix(start) == true
      }
    }
  }
}
