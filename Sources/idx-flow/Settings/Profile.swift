import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// The settings of an org and an app under a name: what is saved after a sign-in, never a secret.
struct Profile: Equatable {
  /// The name of the profile that is used if no other is chosen.
  static let defaultName = "default"

  /// The option that chooses a profile.
  static let option = OptionSpec(
    "--profile", letter: "p", value: "NAME", of: .profile,
    "saved settings, or where signin saves them")

  let name: String
  /// Every setting that has a value.
  var values: [Setting: String]

  subscript(setting: Setting) -> String? { values[setting] }

  /// The org and the app on one line.
  var place: String {
    [self[.issuer], self[.clientID]].compactMap { $0?.sanitized }.joined(separator: "  ")
  }

  /// The label of credentials of this profile.
  var credentialLabel: String? { Self.credentialLabel(ofProfileNamed: name) }

  /// The label of credentials of a profile; nil for the default one, and for those without a profile.
  static func credentialLabel(ofProfileNamed name: String) -> String? {
    name == defaultName ? nil : name
  }

  /// The command that signs in with a profile, for a person to copy.
  ///
  /// It has no name if that is the current profile, or else the default one.
  static func signInCommand(_ name: String, in environment: [String: String]) -> String {
    let unnamed = chosen(in: environment) == nil ? current(in: environment) ?? defaultName : nil
    return "idx-flow signin" + (name == unnamed ? "" : " --profile \(name.shellWord)")
  }

  /// The name of the profile that is used if no option names one: that of `IDX_FLOW_PROFILE`, the current one, the only
  /// one, or the default one.
  static func usual(in environment: [String: String]) -> String {
    chosen(in: environment) ?? (try? ProfileFile(environment).usual()) ?? defaultName
  }

  /// The name of the current profile; nil if none was chosen.
  ///
  /// Whoever only wants to know the name gets no error of a file in which nobody has looked for a profile.
  static func current(in environment: [String: String]) -> String? {
    try? ProfileFile(environment).current()
  }

  /// The name in the variable `IDX_FLOW_PROFILE`; nil if it is not set or empty.
  static func chosen(in environment: [String: String]) -> String? {
    environment["IDX_FLOW_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws if a new profile cannot have this name, which has to be typed in a shell.
  static func check(name: String) throws {
    let isValid =
      name.first.map { $0.isLetter || $0.isNumber } == true && name.count <= 64
      && name.allSatisfy { $0.isLetter || $0.isNumber || "._-@".contains($0) }
    guard isValid else {
      throw CommandFailure(
        .usage,
        "“\(name.sanitized)” cannot be the name of a profile: use up to 64 letters, digits and . _ - @, "
          + "and start with a letter or a digit.")
    }
  }
}

extension Profile {
  /// Whether it has the org and the app of a credential.
  func isFor(_ credential: Credential) -> Bool {
    IssuerText.areSame(self[.issuer] ?? "", credential.id.issuer.absoluteString)
      && self[.clientID] == credential.id.clientID
  }

  /// Whether a credential was saved with it: it has the name, the org and the app.
  func isOwner(of credential: Credential) -> Bool {
    credential.id.label == credentialLabel && isFor(credential)
  }

  /// Reads the settings from a member of the profile file; throws if they cannot be used.
  init(name: String, _ json: JSONValue, in source: SourceText) throws {
    self.name = name
    guard let object = json.object else {
      throw CommandFailure(
        .usage,
        "In \(source.place(ofMember: name)): the profile “\(name.sanitized)” is not an object with settings."
      )
    }
    if object.members.contains(where: { Setting.simplified($0.name) == "clientsecret" }) {
      throw CommandFailure(
        .usage,
        "In \(source.name), the profile “\(name.sanitized)” contains a client secret, which this program "
          + "never uses. Remove it from the file.")
    }
    values = try Setting.values(of: object) { member, problem in
      CommandFailure(
        .usage,
        "In \(source.place(ofMember: member, in: name)): “\(member.sanitized)” of the profile "
          + "“\(name.sanitized)” \(problem)")
    }
  }

  /// The member of the profile file.
  var json: JSONValue { .object(adding(to: JSONValue.Object())) }

  /// A member of the profile file with these settings in place of its own; others of its members stay.
  func adding(to old: JSONValue.Object) -> JSONValue.Object {
    let keys = Set(Setting.allCases.flatMap(\.keys))
    var object = JSONValue.Object(
      old.members.filter { !keys.contains(Setting.simplified($0.name)) })
    for setting in Setting.allCases { object[setting.key] = values[setting].map(JSONValue.string) }
    return object
  }

  /// The profile with settings for everybody, and none of one person.
  var shared: Profile {
    Profile(name: name, values: values.filter { Setting.shared.contains($0.key) })
  }

  /// Throws if a sign-in could not begin with these settings.
  func check() throws {
    let app = try values[.saml].map { try SAMLAppAddress($0, from: Setting.saml.key) }
    guard let issuer = values[.issuer], let clientID = values[.clientID] ?? app?.clientID else {
      throw CommandFailure(
        .usage, "The profile “\(name.sanitized)” needs an issuer and a client ID.")
    }
    if let app, !app.isAt(issuer) {
      throw CommandFailure(
        .usage,
        "The profile “\(name.sanitized)” has an issuer and a SAML app at different orgs.")
    }
    do {
      _ = try FlowConfiguration(
        issuer: IssuerText.addingScheme(to: issuer), clientID: clientID,
        redirectURI: values[.redirectURI],
        scopes: values[.scopes].map(SignInSettings.scopes) ?? FlowConfiguration.defaultScopes)
      for setting in Setting.allCases { try values[setting].map(setting.check) }
    } catch {
      throw CommandFailure(
        .usage,
        "The profile “\(name.sanitized)” cannot be saved: \(CommandFailure(error).sentence.sanitized)"
      )
    }
  }

  /// The way to the org, with the header fields that are set for it; requests to other servers stay as they are.
  func transport(over transport: any Transport) -> any Transport {
    guard self[.userAgent] != nil || self[.accept] != nil,
      let issuer = self[.issuer].flatMap({ URL(string: IssuerText.addingScheme(to: $0)) })
    else { return transport }
    return HeaderTransport(
      transport, for: issuer, userAgent: self[.userAgent], accept: self[.accept])
  }

  /// Whether both send passwords to the same server.
  func hasSameOrg(as other: Profile) -> Bool {
    IssuerText.areSame(values[.issuer] ?? "", other.values[.issuer] ?? "")
  }
}

/// A setting of a sign-in, and its names in all places.
enum Setting: String, CaseIterable {
  case issuer, clientID = "clientId", redirectURI = "redirectUri", scopes, flow, dpop, fastPass
  case rememberMe, userAgent, accept, keepSession, saml, role, factor, username

  /// Those that a team can share; the others are decisions of one person, which nobody else can make.
  static let shared: [Setting] = [
    .issuer, .clientID, .redirectURI, .scopes, .flow, .dpop, .userAgent, .accept,
  ]

  var option: OptionSpec {
    switch self {
    case .issuer: OptionSpec("--issuer", value: "URL", "the authorization server")
    case .clientID: OptionSpec("--client-id", value: "ID", "the client ID of the app")
    case .redirectURI:
      OptionSpec("--redirect-uri", value: "URI", "a redirect URI that is registered for the app")
    case .scopes:
      OptionSpec(
        "--scope", value: "SCOPES", "scopes separated by spaces (default: openid profile)")
    case .flow:
      OptionSpec(
        "--flow", value: "PROTOCOL", of: .oneOf(ProtocolChoice.all.map(\.rawValue)),
        "idx (default), direct (DirectAuth), classic, hosted, browser or device")
    case .dpop:
      OptionSpec(
        "--dpop", value: "WHEN", of: .oneOf(DPoPPolicy.allCases.map(\.option)),
        "bind the tokens to a key: when-required (default), always or never")
    case .fastPass:
      OptionSpec(
        "--fast-pass", value: "WHEN", of: .oneOf(DevicePermission.options),
        "use Okta Verify on this computer: ask (default), always or never")
    case .rememberMe:
      OptionSpec(
        "--remember-me", value: "WHEN", of: .oneOf(DevicePermission.options),
        "let the org remember this computer: ask, always or never (default)")
    case .userAgent:
      OptionSpec(
        "--user-agent", value: "TEXT", "what the program calls itself at the org")
    case .accept:
      OptionSpec(
        "--accept", value: "TYPE", of: .oneOf(["application/ion+json", "application/json"]),
        "ask the org for application/ion+json (default) or application/json")
    case .keepSession: KeptSession.option
    case .saml: SAMLAppAddress.option
    case .role: AWSRole.option
    case .factor:
      OptionSpec(
        "--factor", value: "LIST",
        "take these factors where they are offered, such as push or okta_verify:push")
    case .username:
      OptionSpec(
        "--username", value: "NAME", "offer this username at the prompt (default: the last one)")
    }
  }

  /// The environment variable; nil if there is none.
  var variable: String? {
    switch self {
    case .issuer: "OKTA_IDX_ISSUER"
    case .clientID: "OKTA_IDX_CLIENTID"
    case .redirectURI: "OKTA_IDX_REDIRECTURI"
    case .scopes: "OKTA_IDX_SCOPES"
    case .flow, .dpop, .fastPass, .rememberMe, .userAgent, .accept, .keepSession, .saml, .role,
      .factor, .username:
      nil
    }
  }

  /// The usual key in a file.
  var key: String { rawValue }

  /// A value as it is kept and shown: an issuer has only ASCII, so that it cannot look like another one, and each scope
  /// is there once.
  func kept(_ text: String) -> String {
    switch self {
    case .issuer: IssuerText.ascii(text)
    case .scopes: SignInSettings.scopes(text).joined(separator: " ")
    default: text
    }
  }

  /// Throws if it cannot have a value; the parser checks only options.
  func check(_ text: String) throws {
    // With a space, an ID could look like a remark about it.
    guard self != .clientID || !text.contains(" ") else {
      throw CommandFailure(.usage, "\(key) must have no spaces.")
    }
    // What is sent is what a question has shown.
    guard self != .userAgent || text.headerFieldValue() == text else {
      throw CommandFailure(
        .usage, "\(key) must have only visible ASCII characters, and spaces between them.")
    }
    guard self != .role || AWSRole(text) != nil else {
      throw CommandFailure(.usage, "\(key) must be the ARN of a role, not \(text.sanitized).")
    }
    guard case .oneOf(let words) = option.values, !words.contains(text) else { return }
    throw CommandFailure(.usage, "\(key) must be \(words.alternatives), not \(text.sanitized).")
  }

  /// All keys in a file, simplified.
  var keys: [String] {
    switch self {
    case .issuer: ["issuer", "issuerurl"]
    case .scopes: ["scopes", "scope"]
    default: [Self.simplified(key)]
    }
  }

  /// A key as property lists and profiles compare it: in lowercase and without underscores.
  static func simplified(_ key: String) -> String { key.lowercased().filter { $0 != "_" } }

  /// The settings among the members of an object: texts, or for scopes also lists of texts; empty texts
  /// count as missing.
  ///
  /// Members with other names are not read, unless one is probably a setting with a mistake.
  /// `failure` returns the error for a member, from the end of a sentence about it.
  static func values(
    of object: JSONValue.Object,
    orThrow failure: (_ member: String, _ problem: String) -> CommandFailure
  ) throws -> [Setting: String] {
    var values: [Setting: String] = [:]
    var others: [String] = []
    for member in object.members {
      let name = simplified(member.name)
      guard let setting = allCases.first(where: { $0.keys.contains(name) }) else {
        others.append(member.name)
        continue
      }
      let list = member.value.array?.compactMap(\.string)
      let isList = setting == .scopes && list?.count == member.value.array?.count
      guard let text = member.value.string ?? (isList ? list?.joined(separator: " ") : nil) else {
        if member.value == .null { continue }
        throw failure(member.name, "is not a text.")
      }
      if !text.isEmpty { values[setting] = setting.kept(text) }
    }
    let missing = allCases.filter { values[$0] == nil }.map(\.key)
    for name in others {
      guard (4...32).contains(name.count) else { continue }
      let meant = missing.filter { Spelling.distance(simplified(name), $0.lowercased()) <= 2 }
      guard !meant.isEmpty else { continue }
      throw failure(name, "is no setting. Did you mean \(meant.alternatives)?")
    }
    return values
  }
}
