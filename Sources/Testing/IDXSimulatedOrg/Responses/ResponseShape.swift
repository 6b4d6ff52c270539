import IDXBase

/// Variations in how servers write responses with the same meaning.
public struct ResponseShape: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int
  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An option has its `form` directly, not inside a `value`.
  public static let optionsAsForms = ResponseShape(rawValue: 1)
  /// The `relatesTo` of a remediation is a string, not an array.
  public static let bareReferences = ResponseShape(rawValue: 2)
  /// The flags of a field (`required`, `mutable`, `visible`, `secret`) are strings.
  public static let flagsAsStrings = ResponseShape(rawValue: 4)
  /// Every object has a member that no client knows.
  public static let unknownMembers = ResponseShape(rawValue: 8)
  /// A choice between texts has no `type`, instead of `string`.
  public static let untypedChoices = ResponseShape(rawValue: 16)
  /// The `transports` of a passkey are one text with commas, not an array.
  public static let transportsAsText = ResponseShape(rawValue: 32)

  private static let flags = ["required", "mutable", "visible", "secret"]

  func shaping(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map(shaping))
    case .object(let object):
      var members = object.members.map { member -> JSONValue.Object.Member in
        if contains(.flagsAsStrings), Self.flags.contains(member.name), let flag = member.value.bool
        {
          return .init(member.name, .string(String(flag)))
        }
        if contains(.bareReferences), member.name == "relatesTo", let reference = member.value[0] {
          return .init(member.name, reference)
        }
        if contains(.transportsAsText), member.name == "transports",
          let names = member.value.array?.compactMap(\.string)
        {
          return .init(member.name, .string(names.joined(separator: ",")))
        }
        return .init(member.name, shaping(member.value))
      }
      if contains(.optionsAsForms), object["name"] == nil, let form = object["value"]?["form"] {
        members.removeAll { $0.name == "value" }
        members.append(.init("form", shaping(form)))
      }
      if contains(.untypedChoices), object["options"] != nil, object["type"] == "string" {
        members.removeAll { $0.name == "type" }
      }
      if contains(.unknownMembers) {
        members.append(.init("futureMember", ["of": ["a", "later", "server"]]))
      }
      return .object(JSONValue.Object(members))
    default: return value
    }
  }
}
