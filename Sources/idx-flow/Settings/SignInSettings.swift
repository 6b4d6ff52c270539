import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// The org and the app: from options, the environment, a profile, or a file, in this order.
struct SignInSettings {
  /// A value and where it comes from.
  struct Value: Equatable {
    enum Source: Equatable {
      case option
      case variable(String)
      case profile(String)
      case file(String)
      /// The person typed it now.
      case person
    }

    let text: String
    let source: Source
  }

  /// The name of the profile that is used, or that a sign-in can create.
  let profileName: String
  /// Whether the profile was chosen by `--profile` or `IDX_FLOW_PROFILE`.
  let isProfileChosen: Bool
  /// Whether the profile exists.
  let hasProfile: Bool
  /// The variables that are used in place of the profile that was chosen, for another org or app.
  let variablesBeforeProfile: [String]
  /// A sentence with the names that are similar to that of a profile that does not exist.
  let similarProfiles: String
  /// The profile whose settings are used; nil if none is.
  private let usedProfile: Profile?
  private var values: [Setting: Value]
  /// The keys in the file of `--config`, for messages.
  private let foundKeys: [String]

  static let config = OptionSpec(
    "--config", value: "FILE", of: .file,
    "a property list such as Okta.plist, or JSON with the same keys")

  /// Reads the settings; throws if a file cannot be read, or if a chosen profile cannot be used.
  ///
  /// Nobody names the current profile, so it is used only if no file is named and no other source names another org or
  /// app.
  init(_ options: CommandLineOptions, _ environment: [String: String]) throws {
    var values = Self.values(options, environment)
    let path = options[Self.config]
    let chosen = options[Profile.option] ?? Profile.chosen(in: environment)
    let usual = chosen ?? Profile.usual(in: environment)
    profileName = Self.name(usual, chosen: chosen, values[.issuer]?.text, environment)
    isProfileChosen = chosen != nil
    let isDemo = options.has(SignInOptions.demo)
    let isComplete = values[.issuer] != nil && values[.clientID] != nil
    if !isDemo, chosen != nil { try Profile.check(name: profileName) }
    let isUsed = isProfileChosen || path == nil && !isComplete
    var saved: Profile?
    if !isDemo, isProfileChosen {
      saved = try ProfileFile(environment).profile(named: profileName)
    } else if !isDemo, let file = try? ProfileFile(environment) {
      // Without a folder for profiles there is none; one that is not used need not be readable.
      saved = isUsed ? try file.profile(named: profileName) : try? file.profile(named: profileName)
    }
    let profile = isUsed ? saved : nil
    let others = [Setting.issuer, .clientID].filter { setting in
      guard let profile, let value = values[setting] else { return false }
      return !IssuerText.areSame(value.text, profile[setting] ?? "")
    }
    variablesBeforeProfile =
      !isProfileChosen
      ? []
      : others.compactMap { setting in
        guard case .variable(let name)? = values[setting]?.source else { return nil }
        return profile?[setting] == nil ? nil : name
      }
    // A profile is for one org: its app and what a person has agreed to mean nothing to another one.
    let isOtherOrg = others.contains(.issuer)
    if let profile, isProfileChosen, isOtherOrg, values[.issuer]?.source == .option {
      throw Self.failure(otherOrgThan: profile)
    }
    usedProfile = !isOtherOrg && (isProfileChosen || others.isEmpty) ? profile : nil
    // What a person has agreed to, they agreed to for the org of the profile.
    let isForOrg = profile?[.issuer] != nil
    for (setting, text) in usedProfile?.values ?? [:]
    where values[setting] == nil && (isForOrg || Setting.shared.contains(setting)) {
      values[setting] = Value(text: text, source: .profile(profileName))
    }
    hasProfile = saved != nil
    let isMissing = isProfileChosen && !isDemo && saved == nil
    let names = isMissing ? try ProfileFile(environment).names() : []
    similarProfiles = Spelling.hint(for: profileName, among: names)
    let file = try isDemo ? nil : path.map { try SettingsFile(path: $0) }
    // Nobody can agree to something for somebody else.
    for (setting, text) in file?.values ?? [:]
    where values[setting] == nil && Setting.shared.contains(setting) {
      values[setting] = Value(text: text, source: .file(path ?? ""))
    }
    foundKeys = file?.keys ?? []
    // What is sent is what would be saved.
    try values[.userAgent].map { try Setting.userAgent.check($0.text) }
    self.values = values
  }

  /// The name of the profile: the usual one, but for another org the default one, which a sign-in can create.
  private static func name(
    _ usual: String, chosen: String?, _ issuer: String?, _ environment: [String: String]
  ) -> String {
    guard chosen == nil, let issuer,
      let own = (try? ProfileFile(environment).profile(named: usual))?[.issuer],
      !IssuerText.areSame(issuer, own)
    else { return usual }
    return Profile.defaultName
  }

  /// The values of the command line and of the environment.
  private static func values(
    _ options: CommandLineOptions, _ environment: [String: String]
  ) -> [Setting: Value] {
    var values: [Setting: Value] = [:]
    for setting in Setting.allCases {
      if let text = options[setting.option], !text.isEmpty {
        values[setting] = Value(text: setting.kept(text), source: .option)
      } else if let name = setting.variable, let text = environment[name], !text.isEmpty {
        values[setting] = Value(text: setting.kept(text), source: .variable(name))
      }
    }
    return values
  }

  private static func failure(otherOrgThan profile: Profile) -> CommandFailure {
    CommandFailure(
      .usage,
      "The profile “\(profile.name)” is for \(profile[.issuer] ?? "another org"), and "
        + "another org was named.",
      remedy: "For a new profile, choose another name. To change this one, run "
        + "idx-flow profile set \(profile.name.shellWord) --issuer URL --client-id ID")
  }

  subscript(setting: Setting) -> Value? { values[setting] }

  /// Takes what the person typed.
  mutating func take(_ text: String, for setting: Setting) {
    values[setting] = Value(text: setting.kept(text), source: .person)
  }

  /// Drops a value that the server refused.
  mutating func forget(_ setting: Setting) { values[setting] = nil }

  /// The required settings without a value.
  func missing(needsRedirectURI: Bool = true) -> [Setting] {
    [.issuer, .clientID].filter { values[$0] == nil }
      + (needsRedirectURI && values[.redirectURI] == nil ? [.redirectURI] : [])
  }

  /// The configuration; throws if settings are missing, which it names all at once.
  func configuration(needsRedirectURI: Bool = true) throws -> FlowConfiguration {
    let missing = missing(needsRedirectURI: needsRedirectURI)
    guard missing.isEmpty, let issuer = values[.issuer], let clientID = values[.clientID] else {
      throw failure(missing)
    }
    return try FlowConfiguration(
      issuer: IssuerText.addingScheme(to: issuer.text), clientID: clientID.text,
      redirectURI: values[.redirectURI]?.text,
      scopes: values[.scopes].map { Self.scopes($0.text) } ?? FlowConfiguration.defaultScopes,
      dpop: try dpop())
  }

  /// Whether the tokens are bound to a key.
  func dpop() throws -> DPoPPolicy {
    let text = values[.dpop]?.text
    try text.map(Setting.dpop.check)
    return DPoPPolicy.allCases.first { $0.option == text } ?? .whenRequired
  }

  /// Whether something of this computer may be used; `usual` if nothing says so.
  func permission(for setting: Setting, usually usual: DevicePermission) throws -> DevicePermission
  {
    try permission(for: setting) ?? usual
  }

  /// Whether something of this computer may be used; nil if nothing says so.
  func permission(for setting: Setting) throws -> DevicePermission? {
    guard let text = values[setting]?.text else { return nil }
    try setting.check(text)
    return DevicePermission(rawValue: text)
  }

  /// The way to the org, with the header fields that are set for it.
  func transport(over transport: any Transport) -> any Transport {
    let own = Profile(name: profileName, values: values.mapValues(\.text))
    return own.transport(over: transport)
  }

  /// Where the issuer comes from, for the person; nil if they have just typed it.
  var issuerSource: Sentence? {
    switch values[.issuer]?.source {
    case .option?, .person?, nil: nil
    case .variable(let name)?: Sentence(text: name)
    case .profile(let name)?: "the profile \(name)"
    case .file(let path)?: Sentence(text: path)
    }
  }

  /// What to say if variables are used in place of the profile that was chosen; nil if none is.
  var noteOnVariables: Sentence? {
    guard !variablesBeforeProfile.isEmpty else { return nil }
    let names = variablesBeforeProfile.joined(separator: ", ")
    return "\(names) is used in place of the profile “\(profileName)”. To use the profile, unset "
      + "the variable."
  }

  /// The label of the credential; nil without a profile, and for the default one.
  var credentialLabel: String? {
    usedProfile != nil || isProfileNew
      ? Profile.credentialLabel(ofProfileNamed: profileName) : nil
  }

  /// Whether the chosen profile does not exist yet.
  var isProfileNew: Bool { isProfileChosen && !hasProfile }
  /// Whether the name of the chosen profile may be a mistake: it is nearly that of another one.
  var mayBeMistyped: Bool { isProfileNew && !similarProfiles.isEmpty }

  /// Whether a sign-in begins with a profile that exists.
  var usesProfile: Bool { usedProfile != nil }

  /// What to say about options that are not those of the profile; nil if there are none.
  var noteOnOptions: Sentence? {
    guard let usedProfile else { return nil }
    let changed = Setting.allCases.filter { setting in
      guard ![.username, .factor].contains(setting), let value = values[setting],
        value.source == .option
      else {
        return false
      }
      let own = usedProfile[setting] ?? ""
      return setting == .issuer ? !IssuerText.areSame(value.text, own) : value.text != own
    }
    guard let first = changed.first, let text = values[first]?.text else { return nil }
    let names = changed.map(\.option.name).joined(separator: ", ")
    let command =
      "idx-flow profile set \(profileName.shellWord) \(first.option.name) \(text.shellWord)"
      .sanitized
    return "\(names) counted for this sign-in only. To change the profile, run \(command)"
  }

  /// Whether the profile gets the answer to the question about Okta FastPass.
  ///
  /// It names the org, and nobody has decided to be asked each time.
  var canRememberFastPass: Bool {
    values[.issuer]?.source == .profile(profileName) && values[.fastPass] == nil
  }

  /// What a person typed because the profile that is used has no such setting.
  var additions: [(setting: Setting, text: String)] {
    guard let usedProfile, savesAdditions else { return [] }
    return Setting.allCases.compactMap { setting in
      guard usedProfile[setting] == nil, let value = values[setting], value.source == .person else {
        return nil
      }
      return (setting, value.text)
    }
  }

  /// Whether what a person types is saved: in the profile that is used, or as a new one.
  var remembersAnswers: Bool { savesAdditions || isForNewProfile }

  /// Whether answers fit the profile that is used: it names the org, and the sign-in is not for another app.
  private var savesAdditions: Bool {
    guard let usedProfile, usedProfile[.issuer] != nil else { return false }
    return usedProfile[.clientID].map { $0 == values[.clientID]?.text } ?? true
  }

  private var isForNewProfile: Bool {
    let isTyped = [Setting.issuer, .clientID].allSatisfy { setting in
      values[setting].map { [.option, .person].contains($0.source) } ?? true
    }
    return !hasProfile && (isProfileChosen || isTyped)
  }

  /// The profile to save after a sign-in; nil if nothing new was typed, or if one exists.
  ///
  /// Values from the environment and from files stay there, unless the profile was chosen by name. Without
  /// a person, only such a profile is saved.
  func newProfile(hasPerson: Bool) -> Profile? {
    guard isForNewProfile, isProfileChosen || hasPerson else { return nil }
    let own = values.filter { isProfileChosen || [.option, .person].contains($0.value.source) }
    return Profile(name: profileName, values: own.mapValues(\.text))
  }

  /// The failure that names all missing settings, with every place where they can be.
  private func failure(_ missing: [Setting]) -> CommandFailure {
    let names = missing.map { setting in
      setting.option.name + (setting.variable.map { " (\($0))" } ?? "")
    }
    let list = names.joined(separator: ", ")
    let known = foundKeys.isEmpty ? "" : " The file contains \(foundKeys.joined(separator: ", "))."
    let profile =
      isProfileNew
      ? "There is no profile “\(profileName.sanitized)”.\(similarProfiles) " : ""
    return CommandFailure(
      .usage,
      "\(profile)\(missing.count == 1 ? "A setting is" : "Settings are") missing: \(list).\(known)",
      code: "settings_missing",
      remedy: (profile.isEmpty ? "" : "To list the profiles, run idx-flow profile. ")
        + "Use the option, set the variable, or put \(missing.map(\.key).joined(separator: ", ")) "
        + "into a profile or the file of --config. At a terminal, idx-flow signin asks for them. To try "
        + "it without an org: idx-flow signin --demo")
  }

  static func scopes(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "," }.map(String.init).reduce(into: []) { scopes, scope in
      if !scopes.contains(scope) { scopes.append(scope) }
    }
  }
}

extension DevicePermission {
  static let options = [asks, always, never].map(\.rawValue)
}

extension DPoPPolicy {
  /// The value of `--dpop`.
  var option: String { rawValue.replacing("_", with: "-") }
}

/// The file of `--config`: a property list such as `Okta.plist`, or JSON with the same keys.
private struct SettingsFile {
  let values: [Setting: String]
  /// The keys, for messages.
  let keys: [String]

  init(path: String) throws {
    let data: Data
    do { data = try InputFile(path: path).readTrusted() } catch let error as InputFile.Unreadable {
      throw CommandFailure(.usage, "The file \(path.sanitized) of --config \(error)")
    }
    let source = SourceText(name: path.sanitized, bytes: data)
    let object: JSONValue.Object
    let json: JSONValue?
    do { json = try JSONValue(parsing: data) } catch {
      guard data.first(where: { !" \n\r\t".utf8.contains($0) }) != UInt8(ascii: "{") else {
        throw CommandFailure(
          .usage,
          "The file \(path.sanitized) of --config cannot be used. \(source.problem(error))")
      }
      json = nil
    }
    if let json = json?.object {
      object = json
    } else if let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let list = list as? [String: Any]
    {
      object = JSONValue.Object(
        list.sorted { $0.key < $1.key }.compactMap { key, value in
          let list = (value as? [String])?.joined(separator: " ")
          return ((value as? String) ?? list).map { .init(key, .string($0)) }
        })
    } else {
      throw CommandFailure(
        .usage,
        "The file \(path.sanitized) of --config is neither a property list nor a JSON object with keys "
          + "and values.")
    }
    values = try Setting.values(of: object) { member, problem in
      CommandFailure(
        .usage,
        "In the file of --config, \(source.place(ofMember: member)): “\(member.sanitized)” \(problem)"
      )
    }
    keys = object.members.map(\.name.sanitized).sorted()
  }
}
