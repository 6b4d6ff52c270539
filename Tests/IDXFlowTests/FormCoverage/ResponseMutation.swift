import IDX
import IDXBase

/// A different way to write a response with the same meaning.
enum ResponseMutation: String, CaseIterable, Sendable {
  /// Authenticators have a type and no key.
  case noKeys = "key"
  /// Forms have no references to authenticators.
  case noReferences = "relatesTo"
  /// Messages have no key.
  case noMessageKeys = "i18n"
  /// Fields and options have no labels.
  case noLabels = "label"
  /// The flags of fields are texts.
  case textFlags
  /// A nested form in `value` is in `form` instead.
  case bareForms
  /// A nested form in `form` is in `value` instead.
  case wrappedForms
  /// The members of every object are in reverse order.
  case reversed

  private static let flags: Set<String> = ["required", "mutable", "visible", "secret"]

  /// The document with this mutation.
  func applied(to json: JSONValue) -> JSONValue {
    if let elements = json.array { return .array(elements.map(applied(to:))) }
    guard let members = json.object?.members else { return json }
    let changed = members.map { JSONValue.Object.Member($0.name, applied(to: $0.value)) }
    let isField = json["href"] == nil
    switch self {
    case .noKeys, .noReferences, .noMessageKeys, .noLabels:
      return .object(JSONValue.Object(changed.filter { $0.name != rawValue }))
    case .textFlags:
      return .object(
        JSONValue.Object(
          changed.map { member in
            guard Self.flags.contains(member.name), let flag = member.value.bool else {
              return member
            }
            return JSONValue.Object.Member(member.name, .string(String(flag)))
          }))
    case .bareForms:
      return .object(
        JSONValue.Object(
          changed.map { member in
            guard member.name == "value", let form = member.value["form"] else { return member }
            return JSONValue.Object.Member("form", form)
          }))
    case .wrappedForms:
      return .object(
        JSONValue.Object(
          changed.map { member in
            guard isField, member.name == "form", json["name"] != nil || json["label"] != nil else {
              return member
            }
            let wrapper = JSONValue.Object([JSONValue.Object.Member("form", member.value)])
            return JSONValue.Object.Member("value", .object(wrapper))
          }))
    case .reversed: return .object(JSONValue.Object(changed.reversed()))
    }
  }
}
