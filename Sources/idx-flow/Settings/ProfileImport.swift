import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// What a shared file of profiles adds and changes.
///
/// Somebody else wrote the file, and a profile decides where passwords go. So nothing of it is shown in a form that can
/// look like something else, and a setting that the file does not have stays as it is.
struct ProfileImport {
  /// A line of a question; what does not fit in the window continues below `text`.
  struct Line {
    let prefix: String
    let text: Sentence

    init(_ text: Sentence, after prefix: String = "") {
      self.prefix = prefix
      self.text = text
    }
  }

  /// A profile that exists, and what it becomes.
  struct Change {
    let old: Profile
    let new: Profile

    /// The settings that become others.
    var settings: [Setting] { Setting.allCases.filter { old[$0] != new[$0] } }

    /// Whether passwords, codes or tokens go elsewhere, or are protected less: only an answer about this profile
    /// alone agrees to that.
    var isSerious: Bool {
      settings.contains { $0.canHarm(as: new[$0], inPlaceOf: old[$0]) }
    }

    /// Whether passwords go to another server.
    var changesOrg: Bool { !old.hasSameOrg(as: new) }

    /// A line for each setting that becomes another, but for the org, which has sentences of its own.
    var lines: [Line] {
      settings.filter { $0 != .issuer || !changesOrg }.map { setting in
        Line(
          "\(ProfileImport.quoted(old[setting])) becomes \(ProfileImport.quoted(new[setting]))",
          after: "    \(setting.key): ")
      }
    }
  }

  /// What a new profile has.
  static func lines(of profile: Profile) -> [Line] {
    let others = Setting.allCases.filter { $0 != .issuer && $0 != .clientID }
    return [Line(Sentence(text: profile.place), after: "  \(profile.name)  ")]
      + others.compactMap { setting in
        profile[setting].map { Line(quoted($0), after: "    \(setting.key): ") }
      }
  }

  private static func quoted(_ text: String?) -> Sentence {
    // The values have no such quotation marks.
    text.map { "“\($0)”" } ?? "the default"
  }

  /// The profiles that do not exist yet, in groups of which each fits in a window; the one that is used without a
  /// choice is first.
  private(set) var additions: [[Profile]] = []
  /// The new profiles that ask for more than a sign-in, or leave tokens without protection.
  private(set) var seriousAdditions: [Profile] = []
  /// The profiles that exist and become others; the serious changes are last, and last of all those of the org.
  private(set) var changes: [Change] = []

  /// All profiles that would be saved.
  var all: [Profile] { additions.joined() + seriousAdditions + changes.map(\.new) }

  /// How many profiles a file may have: nobody can look at more.
  private static let limit = 200
  /// How long a value may be: a question shows all of it.
  private static let longest = 800
  /// How many lines a group of new profiles has.
  private static let groupLines = 16

  /// Compares the profiles of a file with the own ones; `source` is the name of the file in messages.
  ///
  /// Throws if the file is none of profiles, or if one of them cannot be used.
  init(_ data: Data, from source: String, to file: ProfileFile) throws {
    let text = SourceText(name: source.sanitized, bytes: data)
    let content: JSONValue
    do { content = try JSONValue(parsing: data) } catch {
      throw CommandFailure(.usage, "\(source) cannot be used. \(text.problem(error))")
    }
    guard let object = content.object, let members = object["profiles"]?.object?.members else {
      throw CommandFailure(
        .usage,
        "\(source) has no profiles. It must be a JSON object like that of idx-flow profile export.")
    }
    guard members.count <= Self.limit else {
      throw CommandFailure(
        .usage, "\(source) has \(members.count) profiles, and at most \(Self.limit) are imported.")
    }
    let names = members.map(\.name)
    if let twice = names.enumerated().first(where: { names[..<$0.offset].contains($0.element) }) {
      throw CommandFailure(.usage, "\(source) has two profiles named “\(twice.element)”.")
    }
    let own = try file.profiles(named: names)
    var new: [Profile] = []
    // Of an own profile, the person knows which one it is.
    for name in names where own[name] == nil { try Self.check(name: name) }
    for profile in try ProfileFile.list(in: object, of: text) {
      let old = own[profile.name]
      if let long = profile.values.first(where: { $0.value.utf8.count > Self.longest }) {
        throw CommandFailure(
          .usage,
          "In \(source), “\(long.key.key)” of the profile “\(profile.name.sanitized)” has more than "
            + "\(Self.longest) characters.")
      }
      let imported = Profile(
        name: profile.name,
        values: (old.map { Self.kept(of: $0, with: profile) } ?? [:])
          .merging(profile.shared.values) { $1 })
      try imported.check()
      guard let old else {
        new.append(imported)
        continue
      }
      if imported != old { changes.append(Change(old: old, new: imported)) }
    }
    func isSerious(_ profile: Profile) -> Bool {
      [.scopes, .dpop].contains { (setting: Setting) in
        setting.canHarm(as: profile[setting], inPlaceOf: nil)
      }
    }
    seriousAdditions = new.filter(isSerious)
    new.removeAll(where: isSerious)
    // Without a choice, a sign-in uses the profile “default”.
    new =
      new.filter { $0.name == Profile.defaultName } + new.filter { $0.name != Profile.defaultName }
    for profile in new {
      let lines = additions.last.map { ($0 + [profile]).flatMap(Self.lines).count }
      if let lines, lines <= Self.groupLines {
        additions[additions.count - 1].append(profile)
      } else {
        additions.append([profile])
      }
    }
    changes =
      changes.filter { !$0.isSerious } + changes.filter { $0.isSerious && !$0.changesOrg }
      + changes.filter(\.changesOrg)
  }

  /// What stays of a profile, unless the file says otherwise.
  ///
  /// For the same org, that is all of it. For another one, it is nothing that was decided for the old one, but tokens that
  /// had to be bound to a key still have to.
  private static func kept(of old: Profile, with new: Profile) -> [Setting: String] {
    old.hasSameOrg(as: new)
      ? old.values : old.values.filter { $0 == (.dpop, DPoPPolicy.always.option) }
  }

  /// Throws if a profile of a shared file cannot have a name: with letters of other scripts, two names can look the same.
  private static func check(name: String) throws {
    try Profile.check(name: name)
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw CommandFailure(
        .usage,
        "“\(name.sanitized)” cannot be the name of a shared profile: use ASCII letters, digits and . _ - @"
      )
    }
  }
}

extension Setting {
  /// Whether a value can be worse for the person than the one that it replaces; nil is the default.
  fileprivate func canHarm(as new: String?, inPlaceOf old: String?) -> Bool {
    switch self {
    case .issuer, .clientID, .redirectURI: true
    case .scopes:
      !Set(new.map(SignInSettings.scopes) ?? FlowConfiguration.defaultScopes)
        // It only makes a sign-in last longer; a person may have decided against that.
        .subtracting(old == nil ? ["offline_access"] : [])
        .isSubset(of: old.map(SignInSettings.scopes) ?? FlowConfiguration.defaultScopes)
    case .flow: Self.protection(ofFlow: new) < Self.protection(ofFlow: old)
    case .dpop: Self.protection(ofDPoP: new) < Self.protection(ofDPoP: old)
    case .fastPass, .rememberMe, .userAgent, .accept, .keepSession, .saml, .role, .factor,
      .username:
      true
    }
  }

  /// Only in a browser, the person sees the address of the page to which they give a password.
  private static func protection(ofFlow text: String?) -> Int {
    switch text {
    case SignInProtocol.browser.rawValue: 2
    case SignInProtocol.device.rawValue: 1
    default: 0
    }
  }

  private static func protection(ofDPoP text: String?) -> Int {
    switch text {
    case DPoPPolicy.always.option: 2
    case DPoPPolicy.never.option: 0
    default: 1
    }
  }
}
