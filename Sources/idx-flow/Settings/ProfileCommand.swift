import Foundation
import IDXBase
import IDXNetwork
import IDXOAuth
import IDXPrompt

/// `idx-flow profile`: lists, shows, changes, shares and removes saved settings.
struct ProfileCommand: Command {
  static let name = "profile"
  static let summary = "List, show, change or share saved settings of orgs and apps."
  static let purpose = """
    List the saved settings of orgs and apps, or show, change or remove those with a name. With export
    and import, a team shares one file or one address. Removing a profile does not sign you out.
    A star marks the current profile, which all commands use if none is named: that of the last sign-in,
    or of use, unless the variable IDX_FLOW_PROFILE names another. show without a name shows it.
    """
  static let usage = [
    "profile [--json]", "profile show [NAME] [--json]", "profile use NAME [--json]",
    "profile set NAME OPTION...",
    "profile export [NAME]", "profile import FILE|URL [--force]", "profile remove NAME [--json]",
  ]
  static let options =
    Setting.allCases.filter { $0 != .username }.map(\.option) + [
      Setting.username.option.with(help: "the username that signin offers"), force,
      NetworkOptions.caFile, StoreChoice.option, LanguageChoice.option, .json,
    ]
  static let group = CommandGroup.signIn
  static let operand: OperandSpec? = OperandSpec(
    "ACTION", maximum: 2, of: .oneOf(actions.map(\.name)), then: .profile)
  static let examples = [
    Example(
      "Stay signed in: get a refresh token at the next sign-in",
      "idx-flow profile set default --scope \"openid profile offline_access\""),
    Example("Remove a setting", "idx-flow profile set default --scope="),
    Example("Share a profile", "idx-flow profile export work > work.json"),
    Example(
      "Use what a team shares", "idx-flow profile import https://intranet.example.com/work.json"),
  ]
  static let notes: String? = """
    signin remembers a profile after the first sign-in with new settings. Profiles contain no secrets.
    They are in profiles.json in $XDG_CONFIG_HOME/idx-flow or ~/.config/idx-flow, which you may edit:

      {"profiles": {"default": {"issuer": "https://dev-1234.okta.com", "clientId": "0oa...",
        "redirectUri": "com.example.app:/callback", "scopes": "openid profile", "flow": "idx"}}}

    A profile decides where passwords are sent. So set asks before the org of a profile changes, and
    import before anything is saved, about each change that can harm by itself. A setting that an
    imported file does not have stays. export leaves out, and import does not read, what each person
    decides: fastPass, rememberMe and username.
    """

  private static let force = OptionSpec(
    "--force", "set, import: change where passwords are sent without asking")

  /// What the first operand selects.
  private struct Action: Sendable {
    let name: String
    /// What it needs as the second operand; nil if that may be missing.
    var needs: String?
    let run: @Sendable (_ name: String?, ProfileFile, CommandCall) async throws -> Void
  }

  private static let actions = [
    Action(name: "list", run: list), Action(name: "show", run: show),
    Action(name: "use", needs: "the NAME of a profile", run: use),
    Action(name: "set", needs: "the NAME of a profile", run: set),
    Action(name: "export", run: export),
    Action(name: "import", needs: "a FILE or a URL", run: load),
    Action(name: "remove", needs: "the NAME of a profile", run: remove),
  ]

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let words = call.options.operands
    let name = words.first ?? "list"
    guard let action = actions.first(where: { $0.name == name }) else {
      let hint = Spelling.hint(for: name, among: actions.map(\.name))
      throw CommandFailure(
        .usage, "profile has no action “\(name.sanitized)”.\(hint) See: idx-flow profile --help")
    }
    if let needed = action.needs, words.count < 2 {
      throw CommandFailure(.usage, "profile \(name) needs \(needed).")
    }
    if name != "set", let given = Setting.allCases.first(where: { call.has($0.option) }) {
      throw CommandFailure(
        .usage, "Only profile set takes \(given.option.name). See: idx-flow profile --help")
    }
    try await action.run(words.dropFirst().first, ProfileFile(call.environment), call)
    return .done
  }

  // MARK: Reading

  private static func list(_ name: String?, _ file: ProfileFile, _ call: CommandCall) throws {
    guard name == nil else { throw CommandFailure(.usage, "profile list takes no name.") }
    let profiles = try file.profiles()
    let current = Profile.usual(in: call.environment)
    guard !profiles.isEmpty || call.asJSON else {
      return call.streams.note(
        "There are no profiles in \(file.path.sanitized). To create one: idx-flow signin")
    }
    try call.result(
      twoColumns(
        profiles.map { ("\($0.name == current ? "*" : " ") \($0.name.sanitized)", $0.place) }),
      .array(profiles.map { json(of: $0).adding("is_current", .bool($0.name == current)) }))
  }

  private static func use(_ name: String?, _ file: ProfileFile, _ call: CommandCall) async throws {
    _ = try await UseCommand.use(profileNamed: name ?? "", call)
  }

  private static func show(_ name: String?, _ file: ProfileFile, _ call: CommandCall) throws {
    let name = name ?? Profile.usual(in: call.environment)
    let profile = try file.existingProfile(named: name)
    try call.result(text(of: profile), json(of: profile))
  }

  private static func export(_ name: String?, _ file: ProfileFile, _ call: CommandCall) throws {
    let profiles = try name.map { [try file.existingProfile(named: $0)] } ?? file.profiles()
    let members = profiles.map { JSONValue.Object.Member($0.name, $0.shared.json) }
    let json: JSONValue = ["profiles": .object(JSONValue.Object(members))]
    try call.streams.result(call.asJSON ? json.visibleText : json.indentedText)
  }

  private static func text(of profile: Profile) -> String {
    twoColumns(
      Setting.allCases.compactMap { setting in
        profile[setting].map { (setting.key, $0.sanitized) }
      })
  }

  private static func json(of profile: Profile) -> JSONValue {
    let name = JSONValue.Object.Member("name", .string(profile.name))
    let settings = profile.json.object?.members ?? []
    return .object(JSONValue.Object([name] + settings))
  }

  // MARK: Changing

  private static func set(_ name: String?, _ file: ProfileFile, _ call: CommandCall) async throws {
    let name = name ?? ""
    let changes = Setting.allCases.compactMap { setting in
      call[setting.option].map { (setting, $0) }
    }
    guard !changes.isEmpty else {
      throw CommandFailure(
        .usage, "profile set needs a setting, such as --scope. See: idx-flow profile --help")
    }
    let old = try file.profile(named: name)
    if old == nil {
      try Profile.check(name: name)
      guard Set([.issuer, .clientID]).isSubset(of: changes.map(\.0)) else {
        throw try file.missing(name).adding(
          remedy: "To create it, add --issuer URL and --client-id ID.")
      }
    }
    var new = old ?? Profile(name: name, values: [:])
    for (setting, text) in changes { new.values[setting] = text.isEmpty ? nil : setting.kept(text) }
    try new.check()
    if let old, !old.hasSameOrg(as: new) {
      // What a person agreed to, they agreed to for the old org.
      for setting in Setting.allCases
      where !Setting.shared.contains(setting) && !changes.contains(where: { $0.0 == setting }) {
        new.values[setting] = nil
      }
      let question = Question(
        lines: warning(of: new, inPlaceOf: old).map { .init($0) }, text: "Change it?")
      _ = try await confirm([question], call)
    }
    try await file.save([new])
    let text: Sentence =
      old == nil
      ? "Created the profile “\(name.sanitized)”." : "Changed the profile “\(name.sanitized)”."
    try call.result("\(call.text(text))\n\(self.text(of: new))", json(of: new))
    call.streams.note(
      "It counts from the next sign-in: \(Profile.signInCommand(name, in: call.environment))")
  }

  private static func remove(
    _ name: String?, _ file: ProfileFile, _ call: CommandCall
  ) async throws {
    let name = name ?? ""
    guard try await file.remove(named: name) else { throw try file.missing(name) }
    try call.result(
      call.text("Removed the profile “\(name.sanitized)”."),
      ["status": "removed", "name": .string(name)])
  }

  // MARK: Importing

  private static func load(
    _ source: String?, _ file: ProfileFile, _ call: CommandCall
  ) async throws {
    let source = source ?? ""
    let plan = try ProfileImport(
      try await content(of: source, call), from: shown(source), to: file)
    guard !plan.all.isEmpty else {
      return try call.result(call.text("Nothing is new."), ["status": "imported", "profiles": []])
    }
    let saved = try await agreed(to: plan, call)
    try await file.save(saved)
    let others = plan.all.filter { profile in !saved.contains { $0.name == profile.name } }
    if !others.isEmpty {
      call.streams.note("Not saved: \(others.map(\.name).joined(separator: ", "))")
    }
    try call.result(
      (["Saved:"] + saved.map(line)).map(call.text).joined(separator: "\n"),
      ["status": "imported", "profiles": .array(saved.map(json))])
    let commands = saved.map { Profile.signInCommand($0.name, in: call.environment) }
    if !commands.isEmpty {
      call.streams.note("Sign in: \(commands.joined(separator: "\n         "))")
    }
  }

  /// The profiles that are saved: a question about each group that cannot harm, and about each profile that can.
  ///
  /// All that is saved was shown, and what can harm most is asked last, by itself. Throws if the person agrees to
  /// nothing, or if nobody can be asked.
  private static func agreed(to plan: ProfileImport, _ call: CommandCall) async throws -> [Profile]
  {
    let help: Sentence =
      "A profile decides where passwords are sent. With no, none of these is saved."
    let new: Sentence = "These profiles are new. Their sign-ins go to these servers:"
    var questions: [(question: Question, profiles: [Profile])] = plan.additions.map { group in
      let lines = [.init(new)] + group.flatMap(ProfileImport.lines)
      return (Question(lines: lines, text: "Save them?", help: help), group)
    }
    let harmless = plan.changes.filter { !$0.isSerious }
    if !harmless.isEmpty {
      let lines = harmless.flatMap {
        [.init("The profile “\($0.new.name)”:", after: "  ")] + $0.lines
      }
      questions.append(
        (Question(lines: lines, text: "Save them?", help: help), harmless.map(\.new)))
    }
    for profile in plan.seriousAdditions {
      let lines =
        [.init("This profile is new, and asks for more than others do:")]
        + ProfileImport.lines(of: profile)
      questions.append((Question(lines: lines, text: "Save it?", help: help), [profile]))
    }
    for change in plan.changes where change.isSerious {
      let lines =
        [.init("The file changes the profile “\(change.new.name)”:")] + change.lines
        + warning(of: change.new, inPlaceOf: change.old).map { .init($0) }
      questions.append((Question(lines: lines, text: "Change it?"), [change.new]))
    }
    let answers = try await confirm(questions.map(\.question), call)
    return zip(questions, answers).filter(\.1).flatMap(\.0.profiles)
  }

  private static func line(of profile: Profile) -> Sentence {
    "  \(profile.name)  \(profile.place)"
  }

  /// The address or the path of a file, for messages: the query of an address may be a secret.
  private static func shown(_ source: String) -> String {
    guard source.contains("://") else { return source.sanitized }
    return URL(string: source).map { TransportRequest(url: $0).place.sanitized } ?? ""
  }

  private static func content(of source: String, _ call: CommandCall) async throws -> Data {
    guard source.contains("://") else {
      do { return try InputFile(path: source).read() } catch let error as InputFile.Unreadable {
        throw CommandFailure(.usage, "\(source.sanitized) \(error)")
      }
    }
    guard let url = URL(string: source) else {
      throw CommandFailure(
        .usage, "This is not an address such as https://intranet.example/work.json.")
    }
    let transport = try call.retrying(try call.transport())
    let response: TransportResponse
    do {
      response = try await transport.send(
        TransportRequest(url: url, headers: ["Accept": "application/json"]))
    } catch let error as TransportError {
      throw CommandFailure(FlowError(.network, error.message, underlying: error))
    }
    guard response.status == 200 else {
      throw CommandFailure(
        .network,
        "\(shown(source)) cannot be read: the server answered with the status \(response.status).",
        remedy: (300..<400).contains(response.status)
          ? "The page has moved: open it in a browser, and use its new address." : nil)
    }
    return Data(response.body)
  }

  /// What a person must know before the org of a profile changes; empty if it stays.
  private static func warning(of new: Profile, inPlaceOf old: Profile) -> [Sentence] {
    old.hasSameOrg(as: new)
      ? []
      : [
        "The profile “\(new.name.sanitized)” is for \((old[.issuer] ?? "").sanitized).",
        "From now on, its sign-ins send passwords to \((new[.issuer] ?? "").sanitized).",
      ]
  }

  /// A yes-or-no question below some lines.
  private struct Question {
    let lines: [ProfileImport.Line]
    let text: Sentence
    var help: Sentence = "A profile decides where passwords are sent. With no, it stays as it is."
  }

  /// Asks questions; throws if nobody can be asked, or if each answer is no.
  private static func confirm(
    _ questions: [Question], _ call: CommandCall
  ) async throws -> [Bool] {
    guard !call.has(force) else { return questions.map { _ in true } }
    guard let terminal = call.openTerminal() else {
      let lines = questions.flatMap(\.lines).map { $0.prefix + call.text($0.text) }
      throw CommandFailure(
        .inputNeeded, "\(lines.joined(separator: "\n"))\nNothing was changed.",
        remedy: "Nobody can be asked here. To agree, add --force.")
    }
    let answers = try await TerminalTask.run(at: terminal) {
      let dialog = TerminalDialog(terminal: terminal, words: call.streams.words)
      var answers: [Bool] = []
      for question in questions {
        for line in question.lines { dialog.text(call.text(line.text), after: line.prefix) }
        do {
          answers.append(try await dialog.confirm(question.text, help: question.help))
        } catch is CancellationError { throw CommandFailure(.cancelled, "Nothing was changed.") }
      }
      return answers
    }
    guard answers.contains(true) else { throw CommandFailure(.cancelled, "Nothing was changed.") }
    return answers
  }
}
