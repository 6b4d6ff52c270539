package import IDX
public import IDXBase
import IDXOAuth

/// Prepared answers, one entry for each response that asks for something.
///
/// ```json
/// [
///   {"step": "identify", "fields": {"identifier": "ada@example.com"},
///    "ifAsked": {"credentials.passcode": {"env": "PASSWORD"}}},
///   {"step": "challenge-authenticator", "authenticator": "okta_password", "optional": true,
///    "fields": {"credentials.passcode": {"env": "PASSWORD"}}},
///   {"step": "challenge-authenticator", "authenticator": "google_otp",
///    "fields": {"credentials.passcode": {"totp": {"file": "key.txt"}}}}
/// ]
/// ```
public struct Script: Sendable {
  /// The answers to one response.
  package struct Entry: Sendable {
    /// The name of the form to answer (`step`): a remediation, an action of the response, or an action of an
    /// authenticator.
    package let formName: Remediation.Name
    /// The key or type of the authenticator that the form must be about (`authenticator`); nil for any.
    package let authenticator: String?
    /// The option to choose (`choose`), by the key or type of its authenticator, or by its label; nil to
    /// choose none.
    package let choice: String?
    /// The values by dotted path (`fields`).
    ///
    /// `{"totp": true}` stands for the current code of the key that this sign-in showed, and
    /// `{"totp": "…"}` for that of a key in Base32 or in an otpauth URI.
    package let fields: [String: JSONValue]
    /// More values by path, which are left out if the form has no such field (`ifAsked`).
    package let fieldsIfAsked: [String: JSONValue]
    /// Whether the entry is skipped while the server does not ask for it (`optional`); false by default.
    package let isOptional: Bool
    /// The file in which to save the key that this sign-in showed (`saveKey`); nil to save none.
    package let keyFile: String?

    /// Whether one of its values is a TOTP code, which is another one after some time.
    var hasCode: Bool {
      fields.values.contains { $0["totp"] != nil }
        || fieldsIfAsked.values.contains { $0["totp"] != nil }
    }
  }

  /// Where a value is that is not in the script: `{"env": "…"}` or `{"file": "…"}`.
  public enum Source: Sendable, Hashable {
    /// The environment variable with this name.
    case variable(String)
    /// The file at this path.
    case file(String)
  }

  /// The entries, in order.
  package let entries: [Entry]

  /// Reads a script from JSON.
  ///
  /// `reading` returns the value of a source, without the end of the last line. Without it, a value such as
  /// `{"env": "…"}` has no special meaning. Throws a ``/IDXOAuth/FlowError`` with the code
  /// `invalidConfiguration` that names the wrong entry.
  public init(
    parsing bytes: some Sequence<UInt8>, reading: ((Source) throws -> String)? = nil
  ) throws {
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw Self.invalid("The script cannot be read. \(error)", error)
    }
    guard let elements = json.array else {
      throw Self.invalid(
        "The script must be a JSON array of entries such as {\"step\": \"identify\"}.")
    }
    entries = try elements.enumerated().map { index, element in
      try Entry(element, at: "Entry \(index + 1) of the script", reading: reading)
    }
  }

  fileprivate static func invalid(_ message: String, _ cause: (any Error)? = nil) -> FlowError {
    FlowError(.invalidConfiguration, message, underlying: cause)
  }
}

extension Script.Entry {
  private static let names = [
    "step", "authenticator", "choose", "fields", "ifAsked", "optional", "saveKey",
  ]

  fileprivate init(
    _ json: JSONValue, at place: String, reading: ((Script.Source) throws -> String)?
  ) throws {
    guard let step = json["step"]?.string, !step.isEmpty else {
      throw Script.invalid("\(place) has no “step” that names a form.")
    }
    let names = json.object?.members.map(\.name) ?? []
    if let unknown = names.first(where: { !Self.names.contains($0) }) {
      let known = Self.names.map { "“\($0)”" }
      throw Script.invalid(
        "\(place) has “\(unknown)”; only \(known.dropLast().joined(separator: ", ")) and "
          + "\(known[known.count - 1]) are allowed.")
    }
    func text(_ name: String) throws -> String? {
      guard let value = json[name] else { return nil }
      guard let text = value.string else {
        throw Script.invalid("\(place): “\(name)” must be a text.")
      }
      return text
    }
    func fields(_ name: String) throws -> [String: JSONValue] {
      guard let value = json[name] else { return [:] }
      guard let members = value.object?.members else {
        throw Script.invalid("\(place): “\(name)” must be an object of values by path.")
      }
      return Dictionary(
        try members.map { ($0.name, try Self.value($0.value, place, reading)) }
      ) { $1 }
    }
    guard json["optional"] == nil || json["optional"]?.bool != nil else {
      throw Script.invalid("\(place): “optional” must be true or false.")
    }
    formName = Remediation.Name(rawValue: step)
    authenticator = try text("authenticator")
    choice = try text("choose")
    self.fields = try fields("fields")
    fieldsIfAsked = try fields("ifAsked")
    isOptional = json["optional"]?.bool == true
    keyFile = try text("saveKey")
  }

  /// The value of a field, with the texts of its sources.
  private static func value(
    _ json: JSONValue, _ place: String, _ reading: ((Script.Source) throws -> String)?
  ) throws -> JSONValue {
    guard let member = json.object?.members.first, json.object?.members.count == 1 else {
      return json
    }
    if member.name == "totp", member.value.bool != true {
      let key = try value(member.value, place, reading)
      guard let text = key.string, TOTPGenerator(storedKey: text) != nil else {
        throw Script.invalid(
          "\(place): “totp” must be true, a key in Base32, an address that begins with "
            + "otpauth://totp/, or the variable or file that contains one.")
      }
      return ["totp": key]
    }
    guard let reading, let name = member.value.string else { return json }
    do {
      switch member.name {
      case "env": return .string(try reading(.variable(name)))
      case "file": return .string(try reading(.file(name)))
      default: return json
      }
    } catch let error as FlowError {
      throw Script.invalid("\(place): \(error.message)", error)
    }
  }
}

extension TOTPGenerator {
  /// Creates a generator from a key in Base32 or from an otpauth URI; nil if the text is neither.
  init?(storedKey text: String) {
    if let uri = OTPAuthURI(parsing: text), let totp = uri.totp {
      self = totp
    } else {
      self.init(base32: Secret(text))
    }
  }
}

// Values are passwords, codes and keys.
extension Script: Redacted {
  /// The names of the forms, without the answers.
  public var description: String {
    "script for " + entries.map(\.formName.rawValue).joined(separator: ", ")
  }
}

extension Script.Entry: Redacted {
  /// The name of the form and the paths, without the values.
  package var description: String {
    "\(formName): " + (Array(fields.keys) + fieldsIfAsked.keys).sorted().joined(separator: ", ")
  }
}
