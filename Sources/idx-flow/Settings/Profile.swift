import IDXBase

/// The settings of an org and an app under a name: what is saved after a sign-in, never a secret.
struct Profile: Equatable {
  /// The name of the profile that is used if no other is chosen.
  static let defaultName = "default"

  let name: String
  /// Every setting that has a value.
  var values: [Setting: String]

  subscript(setting: Setting) -> String? { values[setting] }

  /// Whether a new profile can have this name, which has to be typed in a shell.
  static func isValid(name: String) -> Bool {
    name.first.map { $0.isLetter || $0.isNumber } == true && name.count <= 64
      && name.allSatisfy { $0.isLetter || $0.isNumber || "._-@".contains($0) }
  }
}

extension Profile {
  /// Reads the settings from a member of the profile file; throws if they cannot be used.
  init(name: String, _ json: JSONValue, in file: String) throws {
    self.name = name
    guard let object = json.object else {
      throw CommandFailure(
        .usage, "In \(file), the profile “\(name.sanitized)” is not an object with settings.")
    }
    if object.members.contains(where: { Setting.simplified($0.name) == "clientsecret" }) {
      throw CommandFailure(
        .usage,
        "In \(file), the profile “\(name.sanitized)” contains a client secret, which this program "
          + "never uses. Remove it from the file.")
    }
    values = try Setting.values(of: object) { setting in
      CommandFailure(
        .usage,
        "In \(file), “\(setting)” of the profile “\(name.sanitized)” is not a text.")
    }
  }

  /// The member of the profile file.
  var json: JSONValue {
    var object = JSONValue.Object()
    for setting in Setting.allCases { object[setting.key] = values[setting].map(JSONValue.string) }
    return .object(object)
  }
}

/// A setting of a sign-in, and its names in all places.
enum Setting: CaseIterable {
  case issuer, clientID, redirectURI, scopes, flow, dpop, fastPass, rememberMe

  var option: String {
    switch self {
    case .issuer: "--issuer"
    case .clientID: "--client-id"
    case .redirectURI: "--redirect-uri"
    case .scopes: "--scope"
    case .flow: "--flow"
    case .dpop: "--dpop"
    case .fastPass: "--fast-pass"
    case .rememberMe: "--remember-me"
    }
  }

  /// The environment variable; nil if there is none.
  var variable: String? {
    switch self {
    case .issuer: "OKTA_IDX_ISSUER"
    case .clientID: "OKTA_IDX_CLIENTID"
    case .redirectURI: "OKTA_IDX_REDIRECTURI"
    case .scopes: "OKTA_IDX_SCOPES"
    case .flow, .dpop, .fastPass, .rememberMe: nil
    }
  }

  /// The usual key in a file.
  var key: String {
    switch self {
    case .issuer: "issuer"
    case .clientID: "clientId"
    case .redirectURI: "redirectUri"
    case .scopes: "scopes"
    case .flow: "flow"
    case .dpop: "dpop"
    case .fastPass: "fastPass"
    case .rememberMe: "rememberMe"
    }
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
  /// `failure` returns the error for a setting of another kind.
  static func values(
    of object: JSONValue.Object, orThrow failure: (String) -> CommandFailure
  ) throws -> [Setting: String] {
    var values: [Setting: String] = [:]
    for member in object.members {
      let name = simplified(member.name)
      guard let setting = allCases.first(where: { $0.keys.contains(name) }) else { continue }
      let list = member.value.array?.compactMap(\.string)
      let isList = setting == .scopes && list?.count == member.value.array?.count
      guard let text = member.value.string ?? (isList ? list?.joined(separator: " ") : nil) else {
        if member.value == .null { continue }
        throw failure(member.name.sanitized)
      }
      if !text.isEmpty { values[setting] = text }
    }
    return values
  }
}
