import IDXFlow

/// The options of a sign-in, read once.
///
/// `SignInSettings` reads those for the org and the app, and `ProtocolChoice` those for the protocol: a profile
/// can have them too, and the doctor checks both.
struct SignInOptions: Sendable {
  /// The name of the demo, empty for the usual one; nil for a real org.
  let demo: String?
  /// The scopes of the command line, for a demo; nil for those of the demo.
  let demoScopes: [String]?
  /// What the person does first, and the name of its option; nil to only sign in.
  let goal: (goal: Goal, name: String)?
  /// What to ask of the server.
  let start: StartOptions
  /// Whether a person at a terminal may be asked.
  let mayAsk: Bool
  /// Who answers, and how they are asked.
  let dialog: DialogOptions
  /// Whether to sign in although somebody is signed in.
  let isForced: Bool
  /// Whether the tokens are printed, and not saved.
  let savesNothing: Bool
  /// The file for a recording; nil for none.
  let recordingPath: String?

  /// Reads the options; throws if a value cannot be used, or if options cannot be used together.
  init(_ call: CommandCall) throws {
    let isList = call[Self.demo] == Demo.listName
    let withoutPerson =
      [Self.script, Self.noInput].filter(call.has).map(\.name)
      + (isList ? ["\(Self.demo.name) \(Demo.listName)"] : [])
    let isForProgram = call.streams.program != nil
    if isForProgram, let other = withoutPerson.first {
      throw CommandFailure(
        .usage, "\(ProgramLines.option.name) and \(other) cannot be used together.")
    }
    mayAsk = !isForProgram && withoutPerson.isEmpty
    let goals = Self.goals.filter { call.has($0.option) }
    guard goals.count <= 1 else {
      throw CommandFailure(
        .usage, "\(goals[0].option.name) and \(goals[1].option.name) cannot be used together.")
    }
    goal = goals.first.map { ($0.goal, $0.name) }
    demo = call[Self.demo]
    let others =
      [Setting.issuer, .clientID, .redirectURI].map(\.option)
      + [SignInSettings.config, Profile.option]
    if demo != nil, let other = others.first(where: call.has) {
      throw CommandFailure(
        .usage, "\(Self.demo.name) has its own org: do not use \(other.name) with it.")
    }
    demoScopes = call[Setting.scopes.option].map(SignInSettings.scopes)
    start = try Self.startOptions(call)
    dialog = DialogOptions(call)
    isForced = call.has(Self.force)
    savesNothing = call.has(Self.noStore)
    let keepsSession = call[KeptSession.option].map { $0 != DevicePermission.never.rawValue }
    guard !savesNothing || keepsSession != true else {
      throw CommandFailure(
        .usage, "\(Self.noStore.name) and \(KeptSession.option.name) cannot be used together.")
    }
    recordingPath = call[Self.record]
  }

  private static func startOptions(_ call: CommandCall) throws -> StartOptions {
    var start = StartOptions()
    start.loginHint = call[loginHint]
    start.acrValues = call[acrValues].map(SignInSettings.scopes) ?? []
    guard let age = call[maxAge] else { return start }
    guard let seconds = Int(age), seconds >= 0 else {
      throw CommandFailure(
        .usage, "\(maxAge.name) must be a number of seconds, not \(age.sanitized).")
    }
    start.maximumAge = seconds
    return start
  }

  // MARK: The options in the help

  /// All options, in the groups and the order of the help.
  static let groups = [
    OptionGroup(heading: "The org and the app", options: [demo] + orgOptions),
    OptionGroup(
      heading: "The way to sign in", options: ProtocolChoice.options + goalOptions + startOptions),
    OptionGroup(heading: "Questions and answers", options: answerOptions + [ProgramLines.option]),
    OptionGroup(
      heading: "What this computer may do and keep",
      options: [Setting.fastPass, .rememberMe, .keepSession].map(\.option)
        + [StoreChoice.option] + keepOptions),
    OptionGroup(
      heading: "Connection and output",
      options: [Setting.userAgent, .accept].map(\.option)
        + [NetworkOptions.caFile, RequestTrace.option, LanguageChoice.option, .json]),
  ]

  /// All options.
  static let all = groups.flatMap(\.options)

  /// The options for the org, the app and the connection.
  static let settings =
    ProtocolChoice.options + orgOptions
    + [Setting.fastPass, .rememberMe, .keepSession, .userAgent, .accept].map(\.option)
    + [NetworkOptions.caFile]
  private static let orgOptions =
    [Profile.option] + [Setting.issuer, .clientID, .redirectURI, .scopes, .dpop].map(\.option)
    + [SignInSettings.config]

  /// The options that matter only in a sign-in, without those of a demo.
  static let others = goalOptions + startOptions + dialogOptions

  static let demo = OptionSpec(
    "--demo", value: "NAME", isValueOptional: true, of: .demo,
    "an org simulated in memory; “list” lists the names of the demos")

  /// What a person can do first, the name of it, and the option.
  static let goals: [(goal: Goal, name: String, option: OptionSpec)] = [
    (.recover, "recover", OptionSpec("--recover", "reset a forgotten password")),
    (.unlock, "unlock", OptionSpec("--unlock", "unlock a locked account")),
    (.register, "register", register),
  ]
  static let register = OptionSpec("--register", "sign up for a new account")
  static let sessionToken = OptionSpec(
    "--session-token", "with --flow classic: print a one-time session token instead of tokens")
  private static let goalOptions = goals.map(\.option) + [sessionToken]

  private static let startOptions = [
    Setting.username.option, Setting.factor.option, loginHint, maxAge, acrValues,
  ]
  private static let loginHint = OptionSpec(
    "--login-hint", value: "USER", "the username to begin with")
  private static let maxAge = OptionSpec(
    "--max-age", value: "SECONDS", "ask for a new sign-in if an earlier one is older than this")
  private static let acrValues = OptionSpec(
    "--acr-values", value: "LIST", "how strong the sign-in must be, separated by spaces")

  /// The options for how the person is asked, and what is kept.
  private static let dialogOptions = answerOptions + keepOptions
  private static let answerOptions = [script, noInput, noQR]
  private static let keepOptions = [force, noStore, record]
  static let script = OptionSpec(
    "--script", value: "FILE", of: .file,
    "read the answers from a JSON file, or - for standard input")
  static let noInput = OptionSpec(
    "--no-input", "never ask; stop at the first step that needs input")
  static let noQR = OptionSpec("--no-qr", "show the key of an authenticator app without a QR code")
  static let force = OptionSpec(
    "--force", "sign in without asking, even if you are already signed in")
  static let noStore = OptionSpec("--no-store", "print JSON with the tokens and save nothing")
  private static let record = OptionSpec(
    "--record", value: "FILE", of: .file,
    "save the requests and responses, with stand-ins for names, codes and IDs")
}

/// The options of a sign-in or a replay for who answers, and how they are asked, read once.
struct DialogOptions: Sendable {
  /// The file with the answers; nil for none.
  let script: String?
  /// Whether the key of an authenticator app is drawn as a QR code.
  let drawsQRCodes: Bool
  /// Why nobody is asked, if there is no script either.
  let reason: String

  init(_ call: CommandCall) {
    script = call[SignInOptions.script]
    drawsQRCodes = !call.has(SignInOptions.noQR)
    reason =
      call.has(SignInOptions.noInput)
      ? "\(SignInOptions.noInput.name) is set" : "there is no terminal"
  }
}
