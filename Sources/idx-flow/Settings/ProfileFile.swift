import Foundation
import IDXBase
import IDXOAuth
import IDXStorage
import IDXSystem

/// The file with the profiles, which a person may also edit: `{"profiles": {"default": {"issuer": …}}}`.
///
/// `"current"` has the name of the profile that commands use if none is named.
///
/// Members that this program does not know stay in the file. It decides where passwords are sent, so it is
/// read only if no other user can change it. A file that cannot be understood is never overwritten.
struct ProfileFile {
  let path: String
  private let environment: [String: String]

  /// The file in `$XDG_CONFIG_HOME/idx-flow`, by default `~/.config/idx-flow`; throws if there is no home
  /// folder.
  init(_ environment: [String: String]) throws {
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let home = folder("XDG_CONFIG_HOME") ?? folder("HOME").map({ "\($0)/.config" }) else {
      throw CommandFailure(
        .usage,
        "There is no folder for profiles. Set HOME or XDG_CONFIG_HOME to an absolute path.")
    }
    path = "\(home)/idx-flow/profiles.json"
    self.environment = environment
  }

  /// All profiles, in the order of the file; empty if there is no file.
  func profiles() throws -> [Profile] {
    let (object, source) = try read()
    return try Self.list(in: object, of: source)
  }

  /// The profiles that can be used, in the order of the file, and the names of all: a mistake in one is no obstacle to
  /// the others.
  func usableProfiles() throws -> (profiles: [Profile], names: [String]) {
    let (object, source) = try read()
    let members = Self.profiles(in: object).members
    let profiles = members.compactMap { try? Profile(name: $0.name, $0.value, in: source) }
    return (profiles, members.map(\.name))
  }

  /// All profiles in an object like that of the file.
  static func list(in object: JSONValue.Object, of source: SourceText) throws -> [Profile] {
    try profiles(in: object).members.map { try Profile(name: $0.name, $0.value, in: source) }
  }

  /// The profile with a name; nil if there is none.
  ///
  /// Other profiles may be damaged.
  func profile(named name: String) throws -> Profile? { try profiles(named: [name])[name] }

  /// The profiles with some names, by name; it has none for a name that no profile has.
  func profiles(named names: [String]) throws -> [String: Profile] {
    let (object, source) = try read()
    let own = Self.profiles(in: object)
    let found = try names.compactMap { name in
      try own[name].map { (name, try Profile(name: name, $0, in: source)) }
    }
    return Dictionary(found) { first, _ in first }
  }

  /// The profile with a name; throws if there is none.
  func existingProfile(named name: String) throws -> Profile {
    if let profile = try profile(named: name) { return profile }
    throw try missing(name)
  }

  /// The names of all profiles.
  func names() throws -> [String] { try Self.profiles(in: read().object).members.map(\.name) }

  /// The failure for a name that no profile has.
  func missing(_ name: String) throws -> CommandFailure {
    let hint = Spelling.hint(for: name, among: try names())
    return CommandFailure(
      .usage,
      "There is no profile “\(name.sanitized)” in \(path.sanitized).\(hint) See: idx-flow profile")
  }

  /// The name of the profile that commands use if none is named; nil if none was chosen, or if it is gone.
  func current() throws -> String? { Self.current(in: try read().object)?.name }

  /// The profile that commands use if none is named; nil if none was chosen, or if it is gone.
  func currentProfile() throws -> Profile? {
    let (object, source) = try read()
    return try Self.current(in: object).map { try Profile(name: $0.name, $0.value, in: source) }
  }

  /// The name of the profile that a sign-in uses if none is named: the current one, or else the only one; nil if there
  /// is neither.
  func usual() throws -> String? {
    let object = try read().object
    let members = Self.profiles(in: object).members
    return Self.current(in: object)?.name ?? (members.count == 1 ? members[0].name : nil)
  }

  /// Makes a profile the one that commands use if none is named; nil, or a name that no profile has, makes it none.
  func makeCurrent(_ name: String?) async throws {
    @Sendable func chosen(in object: JSONValue.Object) -> JSONValue? {
      name.flatMap { Self.profiles(in: object)[$0] == nil ? nil : .string($0) }
    }
    let object = try read().object
    guard object[Self.currentKey] != chosen(in: object) else { return }
    try await changeFile { $0[Self.currentKey] = chosen(in: $0) }
  }

  /// Saves a profile if there is none with its name; returns whether it was saved.
  func add(_ profile: Profile) async throws -> Bool {
    try await change { profiles in
      guard profiles[profile.name] == nil else { return false }
      profiles[profile.name] = profile.json
      return true
    }
  }

  /// Saves what a sign-in to an org has shown in a profile; returns whether it is saved.
  ///
  /// Meanwhile the profile can have got another org, for which it does not count, or a decision of the person,
  /// which stays.
  func set(
    _ setting: Setting, to text: String, inProfileNamed name: String, of issuer: String
  ) async throws -> Bool {
    try await change { [path] profiles in
      guard let json = profiles[name],
        var profile = try? Profile(name: name, json, in: SourceText(name: path, bytes: Data())),
        IssuerText.areSame(profile[.issuer] ?? "", issuer),
        [.username, .factor].contains(setting) || profile[setting] == nil
      else { return false }
      profile.values[setting] = text
      profiles[name] = .object(profile.adding(to: json.object ?? JSONValue.Object()))
      return true
    }
  }

  /// Saves profiles, also in place of those with their names.
  func save(_ new: [Profile]) async throws {
    try await change { profiles in
      for profile in new {
        let old = profiles[profile.name]?.object ?? JSONValue.Object()
        profiles[profile.name] = .object(profile.adding(to: old))
      }
    }
  }

  /// Removes a profile; returns whether there was one.
  func remove(named name: String) async throws -> Bool {
    try await changeFile { object in
      var profiles = Self.profiles(in: object)
      defer {
        profiles[name] = nil
        object[Self.key] = .object(profiles)
        if object[Self.currentKey] == .string(name) { object[Self.currentKey] = nil }
      }
      return profiles[name] != nil
    }
  }

  /// The content; an empty object if there is no file.
  private func read() throws -> (object: JSONValue.Object, source: SourceText) {
    let data: Data
    let file = InputFile(path: path)
    guard !file.isMissing else {
      return (JSONValue.Object(), SourceText(name: path.sanitized, bytes: Data()))
    }
    // Opening a pipe would wait for its writer.
    guard !file.isSpecial else {
      throw CommandFailure(
        .usage, "The profile file \(path.sanitized) is a pipe, a device or a folder.",
        remedy: "Move it away.")
    }
    do { data = try file.readTrusted() } catch let error as InputFile.Unreadable {
      throw CommandFailure(
        .usage, "The profile file \(path.sanitized) \(error)",
        remedy: error.systemCode != nil
          ? "Make the file and its folders readable for you, or set XDG_CONFIG_HOME to another folder."
          : nil)
    }
    let source = SourceText(name: path.sanitized, bytes: data)
    do {
      let json = try JSONValue(parsing: data)
      guard let object = json.object else { throw unusable("It must be a JSON object.") }
      guard object[Self.key] == nil || object[Self.key]?.object != nil else {
        throw unusable("Its member “\(Self.key)” must be an object.")
      }
      return (object, source)
    } catch let error as JSONError {
      throw unusable(source.problem(error))
    }
  }

  private func unusable(_ reason: String) -> CommandFailure {
    CommandFailure(
      .usage, "The profile file \(path.sanitized) cannot be used and was not changed. \(reason)",
      remedy: "Correct the file, or move it away.")
  }

  /// Changes the profiles while no other process does.
  private func change<Result: Sendable>(
    _ body: @escaping @Sendable (inout JSONValue.Object) -> Result
  ) async throws -> Result {
    try await changeFile { object in
      var profiles = Self.profiles(in: object)
      defer { object[Self.key] = .object(profiles) }
      return body(&profiles)
    }
  }

  /// Changes the file while no other process does, and writes it if it is different.
  private func changeFile<Result: Sendable>(
    _ body: @escaping @Sendable (inout JSONValue.Object) -> Result
  ) async throws -> Result {
    let locks = FileCredentialStore(
      folder: try CredentialStores.dataFolder(environment: environment))
    return try await locks.withLock(on: Self.lock) { [target] in
      let old = try read().object
      var object = old
      let result = body(&object)
      // Also if nothing changes, because nobody else may ever change it.
      FileReplacement.removeOld(of: target)
      if object != old { try write(Array((JSONValue.object(object).indentedText + "\n").utf8)) }
      return result
    }
  }

  /// Replaces the content at once, so that a crash leaves the old file or the new one.
  ///
  private func write(_ bytes: [UInt8]) throws {
    do { try FileReplacement.replaceWithFolder(target, with: bytes) } catch {
      throw CommandFailure(
        .unexpected,
        "The profile file \(path.sanitized) cannot be written: \(FileReplacement.reason(of: error))."
      )
    }
  }

  /// Some people keep such files elsewhere and link to them: then the linked file is replaced.
  private var target: URL { URL(fileURLWithPath: path).resolvingSymlinksInPath() }

  private static let key = "profiles"
  private static let currentKey = "current"

  private static func current(in object: JSONValue.Object) -> JSONValue.Object.Member? {
    let name = object[currentKey]?.string
    return profiles(in: object).members.first { $0.name == name }
  }

  private static func profiles(in object: JSONValue.Object) -> JSONValue.Object {
    object[key]?.object ?? JSONValue.Object()
  }

  private static let lock = Credential.ID.lock(on: "the profiles")
}

extension JSONValue {
  /// The JSON text with a line for each member and element, for files that people edit.
  var indentedText: String { indentedText(after: "") }

  private func indentedText(after margin: String) -> String {
    let inner = margin + "  "
    func lines(_ parts: [String], _ open: String, _ close: String) -> String {
      parts.isEmpty
        ? open + close
        : "\(open)\n" + parts.map { inner + $0 }.joined(separator: ",\n") + "\n\(margin)\(close)"
    }
    switch self {
    case .object(let object):
      return lines(
        object.members.map {
          "\(JSONValue.string($0.name).text): \($0.value.indentedText(after: inner))"
        }, "{", "}")
    case .array(let elements):
      return lines(elements.map { $0.indentedText(after: inner) }, "[", "]")
    default: return text
    }
  }
}
