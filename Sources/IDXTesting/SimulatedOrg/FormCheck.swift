import IDXBase
import IDX

/// Compares the body of a request with the form that it answers, field by field.
///
/// The forms are those of the last response as it was written, so the check knows nothing of steps
/// or authenticators, and holds for any that may come.
struct FormCheck {
  /// A field, by its dotted path, and what is wrong with it.
  struct Problem: Hashable {
    enum Kind: String {
      case missing, unknown, repeated, fixed, notAnOption, wrongType
    }

    let path: String
    let kind: Kind

    var message: OrgMessage {
      switch kind {
      case .missing: .missing(path)
      case .unknown: own("The form has no field \(path).")
      case .repeated: own("The field \(path) stands twice.")
      case .fixed: own("The field \(path) is fixed and was changed.")
      case .notAnOption: own("The field \(path) holds none of its options.")
      case .wrongType: own("The field \(path) has a value of another type.")
      }
    }

    private func own(_ text: String) -> OrgMessage {
      OrgMessage(key: "simulated.field.\(kind.rawValue)", text: text, parameters: [path])
    }
  }

  /// The forms in a response that are sent this way, wherever they stand in it.
  static func forms(in response: JSONValue, method: String, href: String) -> [[JSONValue]] {
    switch response {
    case .array(let elements):
      return elements.flatMap { forms(in: $0, method: method, href: href) }
    case .object(let object):
      let within = object.members.flatMap { forms(in: $0.value, method: method, href: href) }
      guard object["name"]?.string != nil, object["href"]?.string == href,
        object["method"]?.string == method
      else { return within }
      return [object["value"]?.array ?? []] + within
    default: return []
    }
  }

  /// What is wrong with a body, by the form that it fits best; empty where it fits one.
  static func problems(of body: JSONValue, answering forms: [[JSONValue]]) -> [Problem] {
    best(forms.map { problems(of: body, with: $0, at: "") })
  }

  private static func problems(of body: JSONValue, with fields: [JSONValue], at base: String)
    -> [Problem]
  {
    let fields = merged(fields)
    guard let object = body.object else {
      return [Problem(path: String(base.dropLast()), kind: .wrongType)]
    }
    let names = fields.compactMap { $0["name"]?.string }
    var seen: Set<String> = []
    let strays = object.members.compactMap { member -> Problem? in
      let path = base + member.name
      if !seen.insert(member.name).inserted { return Problem(path: path, kind: .repeated) }
      return names.contains(member.name) ? nil : Problem(path: path, kind: .unknown)
    }
    return strays
      + fields.flatMap { field -> [Problem] in
        guard let name = field["name"]?.string else { return [] }
        let path = base + name
        guard let value = object[name] else {
          return field["required"] == true ? [Problem(path: path, kind: .missing)] : []
        }
        return problems(of: value, in: field, at: path)
      }
  }

  private static func problems(of value: JSONValue, in field: JSONValue, at path: String)
    -> [Problem]
  {
    if field["mutable"] == false, let fixed = field["value"], fixed.object == nil {
      return value == fixed ? [] : [Problem(path: path, kind: .fixed)]
    }
    if let options = choices(of: field) {
      let forms = options.compactMap { $0["value"]?["form"]?["value"]?.array }
      guard forms.isEmpty else {
        return best(forms.map { problems(of: value, with: $0, at: path + ".") })
      }
      let values = options.compactMap { $0["value"] }
      return values.contains(value) ? [] : [Problem(path: path, kind: .notAnOption)]
    }
    if let nested = field["form"]?["value"]?.array {
      return problems(of: value, with: nested, at: path + ".")
    }
    if field["type"] == "boolean" {
      return value.bool != nil ? [] : [Problem(path: path, kind: .wrongType)]
    }
    guard let text = value.string else { return [Problem(path: path, kind: .wrongType)] }
    let isMissing = field["required"] == true && text.isEmpty
    return isMissing ? [Problem(path: path, kind: .missing)] : []
  }

  /// What may be chosen: options that only say how the field is shown are none, but may hold some.
  private static func choices(of field: JSONValue) -> [JSONValue]? {
    guard let options = field["options"]?.array else { return nil }
    let display = options.first?["value"]?["value"]
    guard options.count == 1, let display, display["inputType"] != nil else { return options }
    return display["options"]?.array
  }

  /// The fields, those of one name as one field that has all their fields.
  private static func merged(_ fields: [JSONValue]) -> [JSONValue] {
    fields.reduce(into: []) { merged, field in
      let twin = merged.firstIndex { $0["name"] != nil && $0["name"] == field["name"] }
      guard let twin, let inner = field["form"]?["value"]?.array,
        let others = merged[twin]["form"]?["value"]?.array
      else {
        merged.append(field)
        return
      }
      merged[twin] = merged[twin].adding("form", ["value": .array(others + inner)])
    }
  }

  /// The shortest list: what someone who meant this form has to mend.
  private static func best(_ lists: [[Problem]]) -> [Problem] {
    lists.min { $0.count < $1.count } ?? []
  }
}
