import IDXBrowserAuth
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg

/// The protocol of a sign-in: `--flow` and its options.
enum ProtocolChoice {
  /// The factors, which the leak check of the address sanitizer would not find in an enum alone: Swift keeps its
  /// case in the highest bits of the pointer.
  private static let factors = DirectAuthFactor.allCases.map(\.rawValue)

  static let options = [Setting.flow.option, firstFactor, prompt]

  private static let firstFactor = OptionSpec(
    "--first-factor", value: "LIST", of: .listOf(factors),
    "with --flow direct: password, otp, push, sms, voice, email, webauthn")
  private static let prompt = OptionSpec(
    "--prompt", value: "WHAT",
    of: .oneOf([BrowserClient.Prompt.login, .consent, .selectAccount].map(\.rawValue)),
    "with --flow browser or hosted: always ask for login, consent or select_account")

  /// The protocols that have a client.
  static let all = SignInProtocol.all + SignInProtocol.onPages

  /// Identity Engine.
  case idx
  /// OAuth grants, with the factors that may come first.
  case direct([DirectAuthFactor])
  /// The authentication API of older orgs.
  case classic(ClassicAuthClient.End)
  /// A page of the org in a browser on this computer, which must ask for something.
  case browser(BrowserClient.Prompt?)
  /// The steps of the org's own sign-in page, which must ask for something.
  case hosted(BrowserClient.Prompt?)
  /// A code for a browser on any device.
  case device

  /// Reads the options; throws if a value is unknown, or if options cannot be used together.
  ///
  /// `profile` is the protocol of the profile, for a command line without one.
  init(_ options: CommandLineOptions, profile: String? = nil) throws {
    let name = options[Setting.flow.option] ?? profile ?? "idx"
    let sessionToken = SignInOptions.sessionToken
    if options.has(sessionToken), options.has(StoreChoice.option) {
      throw CommandFailure(
        .usage, "--session-token saves nothing: do not use --store with it.")
    }
    for (option, flows) in [
      (Self.firstFactor, ["direct"]), (sessionToken, ["classic"]),
      (Self.prompt, ["browser", "hosted"]),
    ] where !flows.contains(name) && options.has(option) {
      throw CommandFailure(
        .usage, "\(option.name) can only be used with --flow \(flows.alternatives).")
    }
    var unsupported = SignInOptions.goals.map(\.option)
    switch name {
    case "idx":
      self = .idx
      unsupported = []
    case "direct": self = .direct(try Self.factors(options[Self.firstFactor] ?? "password"))
    case "classic":
      self = .classic(options.has(sessionToken) ? .sessionToken : .tokens)
      unsupported = [SignInOptions.register]
    case "browser", "hosted":
      let prompt = options[Self.prompt].map(BrowserClient.Prompt.init(rawValue:))
      self = name == "hosted" ? .hosted(prompt) : .browser(prompt)
    case "device": self = .device
    // The parser has checked the option, but not the profile.
    default:
      let names = Self.all.map(\.rawValue).alternatives
      throw CommandFailure(.usage, "The flow must be \(names), not \(name).")
    }
    if let goal = unsupported.first(where: options.has) {
      throw CommandFailure(.usage, "\(goal.name) cannot be used with --flow \(name).")
    }
  }

  /// The protocol of a recording, which has the first factor of the recorded sign-in.
  init(_ signInProtocol: SignInProtocol) throws {
    switch signInProtocol {
    case .idx: self = .idx
    case .direct: self = .direct([.password])
    case .classic: self = .classic(.tokens)
    case .browser: self = .browser(nil)
    case .hosted: self = .hosted(nil)
    case .device: self = .device
    default:
      throw CommandFailure(.usage, "There is no client for the protocol \(signInProtocol).")
    }
  }

  /// The grant types that the app needs, as the Admin Console calls them.
  var grantType: String { signInProtocol.grantType ?? name }

  /// The grant types of the first factors, as authorization servers list them.
  var grants: [String] {
    switch self {
    case .idx: ["interaction_code"]
    case .classic, .browser, .hosted: ["authorization_code"]
    case .device: ["urn:ietf:params:oauth:grant-type:device_code"]
    case .direct(let factors): factors.map { $0.grant(isSecond: false) }
    }
  }

  /// Whether the protocol needs a redirect URI.
  var needsRedirectURI: Bool {
    switch self {
    case .idx, .classic(.tokens), .browser, .hosted: true
    case .direct, .classic(.sessionToken), .device: false
    }
  }

  /// Whether a page of the org asks the person, and not this program.
  var isOnPage: Bool { SignInProtocol.onPages.contains(signInProtocol) }

  /// The limits of a sign-in; a device code is valid for longer than a push.
  var limits: FlowLimits {
    var limits = FlowLimits()
    if case .device = self { limits.polling = limits.totalPolling }
    return limits
  }

  /// Whether the sign-in returns a session token, which is printed and not saved, instead of tokens.
  var returnsSessionToken: Bool { if case .classic(.sessionToken) = self { true } else { false } }

  /// The value of `--flow`.
  var name: String { signInProtocol.rawValue }

  /// The protocol of its client.
  var signInProtocol: SignInProtocol {
    switch self {
    case .idx: .idx
    case .direct: .direct
    case .classic: .classic
    case .browser: .browser
    case .hosted: .hosted
    case .device: .device
    }
  }

  func client(over transport: any Transport, _ tokens: TokenClient) -> any FlowClient {
    switch self {
    case .idx: IDXClient(transport: transport, tokens: tokens)
    case .direct(let factors):
      DirectAuthClient(transport: transport, factors: factors, tokens: tokens)
    case .classic(let end):
      ClassicAuthClient(transport: transport, endingWith: end, tokens: tokens)
    case .browser(let prompt):
      BrowserClient(transport: transport, prompt: prompt, tokens: tokens)
    case .hosted(let prompt):
      HostedClient(transport: transport, prompt: prompt, tokens: tokens)
    case .device: DeviceCodeClient(transport: transport, tokens: tokens)
    }
  }

  private static func factors(_ list: String) throws -> [DirectAuthFactor] {
    let factors = try list.split { $0 == "," || $0 == " " }.map { word in
      guard let factor = DirectAuthFactor(rawValue: String(word)) else {
        let known = DirectAuthFactor.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--first-factor accepts \(known), not \(word).")
      }
      return factor
    }
    guard !factors.isEmpty else {
      throw CommandFailure(.usage, "--first-factor needs at least one factor.")
    }
    return factors
  }
}
