import IDXBase

/// `idx-flow profile`: lists, shows and removes saved settings.
struct ProfileCommand: Command {
  static let name = "profile"
  static let summary = "List, show or remove saved settings of orgs and apps."
  static let purpose = """
    List the saved settings of orgs and apps, show those with a name, or remove them. Removing a
    profile does not sign you out.
    """
  static let usage = [
    "profile [--json]", "profile show NAME [--json]", "profile remove NAME [--json]",
  ]
  static let options = [OptionSpec("--json", "print the result as JSON")]
  static let group = CommandGroup.signIn
  static let operand: OperandSpec? = OperandSpec(
    "ACTION", maximum: 2, of: .oneOf(actions), then: .profile)
  private static let actions = ["list", "show", "remove"]
  static let notes: String? = """
    signin remembers a profile after the first sign-in with new settings. Profiles contain no secrets.
    They are in profiles.json in $XDG_CONFIG_HOME/idx-flow or ~/.config/idx-flow, which you may edit:

      {"profiles": {"default": {"issuer": "https://dev-1234.okta.com", "clientId": "0oa...",
        "redirectUri": "com.example.app:/callback", "scopes": "openid profile", "flow": "idx"}}}
    """

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let words = call.options.operands
    let file = try ProfileFile(call.environment)
    switch (words.first, words.dropFirst().first) {
    case (nil, nil), ("list"?, nil): try list(file, call)
    case ("show"?, let name?):
      let profile = try file.existingProfile(named: name)
      try call.result(text(of: profile), json(of: profile))
    case ("remove"?, let name?):
      guard try await file.remove(named: name) else { throw try file.missing(name) }
      try call.result(
        "Removed the profile “\(name.sanitized)”.", ["status": "removed", "name": .string(name)])
    case ("show"?, nil), ("remove"?, nil):
      throw CommandFailure(.usage, "profile \(words[0]) needs the NAME of a profile.")
    case ("list"?, _?): throw CommandFailure(.usage, "profile list takes no name.")
    default:
      let hint = Spelling.hint(for: words[0], among: actions)
      throw CommandFailure(
        .usage, "profile has no action “\(words[0].sanitized)”.\(hint) See: idx-flow profile --help"
      )
    }
    return .done
  }

  private static func list(_ file: ProfileFile, _ call: CommandCall) throws {
    let profiles = try file.profiles()
    guard !profiles.isEmpty || call.asJSON else {
      return call.streams.note(
        "There are no profiles in \(file.path.sanitized). To create one: idx-flow signin")
    }
    try call.result(
      twoColumns(
        profiles.map { profile in
          let places = [profile[.issuer], profile[.clientID]].compactMap { $0?.sanitized }
          return (profile.name.sanitized, places.joined(separator: "  "))
        }),
      .array(profiles.map(json)))
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
}
