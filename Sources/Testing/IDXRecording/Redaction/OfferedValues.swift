import IDXBase

/// What responses offer to send: what the client repeats of it was not typed.
struct OfferedValues {
  /// The values and options of fields, by the name of the field.
  private var fields: [String: Set<String>] = [:]
  /// Fields that ask for a secret: whatever is sent in them was typed.
  private var secrets: Set<String> = []
  /// The values of members whose names are also those of fields.
  private var members: [String: Set<String>] = [:]

  /// Remembers the fields of all forms of a response, wherever they stand.
  mutating func add(_ response: JSONValue) {
    for element in response.array ?? [] { add(element) }
    for member in response.object?.members ?? [] {
      if Shape.fields[member.name] != nil, let value = member.value.sentText {
        members[member.name, default: []].insert(value)
      }
      add(member.value)
    }
    guard let path = response["name"]?.string else { return }
    let name = Self.name(of: path)
    fields[name] = fields[name] ?? []
    guard response["secret"]?.plainText != "true" else {
      secrets.insert(name)
      return
    }
    let options = response["options"]?.array ?? []
    for value in [response["value"]].compactMap(\.self) + options.map({ $0["value"] ?? $0 }) {
      offer(value, for: name)
    }
  }

  /// A value can be an object with members that are sent as they are.
  private mutating func offer(_ value: JSONValue, for name: String) {
    if let text = value.sentText { fields[name, default: []].insert(text) }
    for element in value.array ?? [] where element["name"] == nil { offer(element, for: name) }
    guard let object = value.object, value["form"] == nil else { return }
    for member in object.members { offer(member.value, for: Self.name(of: member.name)) }
  }

  /// Whether a form has a field with this name.
  func hasField(_ path: String) -> Bool { fields[Self.name(of: path)] != nil }

  /// Whether a response offers this value for a field with this name.
  func contains(_ value: String, for path: String) -> Bool {
    let name = Self.name(of: path)
    return fields[name]?.contains(value) == true
      || !secrets.contains(name) && members[name]?.contains(value) == true
  }

  /// The last part of the path of a field, such as `userProfile.email`.
  static func name(of path: String) -> String {
    path.split(separator: ".").last.map(String.init) ?? path
  }
}

extension JSONValue {
  /// A text or number, as it is sent.
  var sentText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.literal
    default: nil
    }
  }

  /// All texts and numbers of an array, or this one.
  var sentTexts: [String] { array?.flatMap(\.sentTexts) ?? [sentText].compactMap(\.self) }
}
