import Foundation
import IDXBase
import IDXOAuth
import IDXStorage
import IDXSystem

/// The file with the profiles, which a person may also edit: `{"profiles": {"default": {"issuer": …}}}`.
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
  func profiles() throws -> [Profile] { try Self.list(in: read(), of: path) }

  /// All profiles in an object like that of the file, which has the name `source` in messages.
  static func list(in object: JSONValue.Object, of source: String) throws -> [Profile] {
    try profiles(in: object).members.map {
      try Profile(name: $0.name, $0.value, in: source.sanitized)
    }
  }

  /// The profile with a name; nil if there is none.
  ///
  /// Other profiles may be damaged.
  func profile(named name: String) throws -> Profile? { try profiles(named: [name])[name] }

  /// The profiles with some names, by name; it has none for a name that no profile has.
  func profiles(named names: [String]) throws -> [String: Profile] {
    let own = Self.profiles(in: try read())
    let found = try names.compactMap { name in
      try own[name].map { (name, try Profile(name: name, $0, in: path.sanitized)) }
    }
    return Dictionary(found) { first, _ in first }
  }

  /// The profile with a name; throws if there is none.
  func existingProfile(named name: String) throws -> Profile {
    if let profile = try profile(named: name) { return profile }
    throw try missing(name)
  }

  /// The names of all profiles.
  func names() throws -> [String] { try Self.profiles(in: read()).members.map(\.name) }

  /// The failure for a name that no profile has.
  func missing(_ name: String) throws -> CommandFailure {
    let hint = Spelling.hint(for: name, among: try names())
    return CommandFailure(
      .usage,
      "There is no profile “\(name.sanitized)” in \(path.sanitized).\(hint) See: idx-flow profile")
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
        var profile = try? Profile(name: name, json, in: path.sanitized),
        IssuerText.areSame(profile[.issuer] ?? "", issuer),
        setting == .username || profile[setting] == nil
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
    try await change { profiles in
      defer { profiles[name] = nil }
      return profiles[name] != nil
    }
  }

  /// The content; an empty object if there is no file.
  private func read() throws -> JSONValue.Object {
    let data: Data
    let file = InputFile(path: path)
    guard !file.isMissing else { return JSONValue.Object() }
    // Opening a pipe would wait for its writer.
    guard !file.isSpecial else {
      throw CommandFailure(
        .usage, "The profile file \(path.sanitized) is a pipe, a device or a folder.",
        remedy: "Move it away.")
    }
    do throws(InputFile.Unreadable) { data = try file.readTrusted() } catch {
      throw CommandFailure(
        .usage, "The profile file \(path.sanitized) \(error)",
        remedy: error.systemCode != nil
          ? "Make the file and its folders readable for you, or set XDG_CONFIG_HOME to another folder."
          : nil)
    }
    do {
      let json = try JSONValue(parsing: data)
      guard let object = json.object else { throw unusable("It must be a JSON object.") }
      guard object[Self.key] == nil || object[Self.key]?.object != nil else {
        throw unusable("Its member “\(Self.key)” must be an object.")
      }
      return object
    } catch let error as JSONError {
      throw unusable("\(error)".sanitized)
    }
  }

  private func unusable(_ reason: String) -> CommandFailure {
    CommandFailure(
      .usage, "The profile file \(path.sanitized) cannot be used and was not changed. \(reason)",
      remedy: "Correct the file, or move it away.")
  }

  /// Changes the profiles while no other process does, and writes the file if they are different.
  private func change<Result: Sendable>(
    _ body: @escaping @Sendable (inout JSONValue.Object) -> Result
  ) async throws -> Result {
    let locks = FileCredentialStore(
      folder: try CredentialStores.dataFolder(environment: environment))
    return try await locks.withLock(on: Self.lock) { [target] in
      let old = try read()
      var object = old
      var profiles = Self.profiles(in: old)
      let result = body(&profiles)
      object[Self.key] = .object(profiles)
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
