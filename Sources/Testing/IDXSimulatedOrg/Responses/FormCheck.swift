import IDX
import IDXBase

/// Compares the body of a request with the form that it answers, field by field.
///
/// The forms are read from the last response, so the check does not depend on steps or authenticators.
struct FormCheck {
  struct Problem {
    enum Kind: String { case missing, unknown, repeated, fixed, notAnOption, wrongType }

    let path: String
    let kind: Kind

    var message: Message {
      let text =
        switch kind {
        case .missing: "The field \(path) is required."
        case .unknown: "The form has no field \(path)."
        case .repeated: "The field \(path) is repeated."
        case .fixed: "The value of the field \(path) cannot be changed."
        case .notAnOption: "The value of the field \(path) is not one of its options."
        case .wrongType: "The value of the field \(path) has the wrong type."
        }
      let key = kind == .missing ? "api.error.field_required" : "simulated.field.\(kind.rawValue)"
      return .error(.init(rawValue: key), text, [path])
    }
  }

  /// The paths of members that a body can have although its form does not.
  var tolerated: Set<String> = []
  /// Whether members that no form has are ignored.
  var ignoresUnknown = false

  /// The fields of all forms in a response that are sent to this address.
  static func forms(in response: JSONValue, method: String, href: String) -> [[JSONValue]] {
    switch response {
    case .array(let elements): return elements.flatMap { forms(in: $0, method: method, href: href) }
    case .object(let object):
      let inner = object.members.flatMap { forms(in: $0.value, method: method, href: href) }
      guard object["name"]?.string != nil, object["href"]?.string == href,
        object["method"]?.string == method
      else { return inner }
      return [object["value"]?.array ?? []] + inner
    default: return []
    }
  }

  /// The problems of a body with the form that it fits best; empty if it fits a form.
  func problems(of body: JSONValue, answering forms: [[JSONValue]]) -> [Problem] {
    Self.fewest(forms.map { problems(of: body, with: $0, at: "") })
  }

  private func problems(
    of body: JSONValue, with fields: [JSONValue], at base: String
  ) -> [Problem] {
    guard let object = body.object else {
      return [Problem(path: String(base.dropLast()), kind: .wrongType)]
    }
    let fields = Self.merged(fields)
    let names = fields.compactMap { $0["name"]?.string }
    var seen: Set<String> = []
    let extra = object.members.compactMap { member -> Problem? in
      let path = base + member.name
      if !seen.insert(member.name).inserted { return Problem(path: path, kind: .repeated) }
      let isAllowed =
        ignoresUnknown || names.contains(member.name) || tolerated.contains(path)
      return isAllowed ? nil : Problem(path: path, kind: .unknown)
    }
    return extra
      + fields.flatMap { field -> [Problem] in
        guard let name = field["name"]?.string else { return [] }
        guard let value = object[name] else {
          return Self.isRequired(field) ? [Problem(path: base + name, kind: .missing)] : []
        }
        return problems(of: value, in: field, at: base + name)
      }
  }

  private func problems(
    of value: JSONValue, in field: JSONValue, at path: String
  ) -> [Problem] {
    if field["mutable"] == false, let fixed = field["value"] {
      return Self.isSame(value, fixed) ? [] : [Problem(path: path, kind: .fixed)]
    }
    if let options = Self.choices(of: field) {
      let forms = options.compactMap { $0["value"]?["form"]?["value"]?.array }
      guard forms.isEmpty else {
        return Self.fewest(forms.map { problems(of: value, with: $0, at: path + ".") })
      }
      return options.contains { $0["value"] == value }
        ? [] : [Problem(path: path, kind: .notAnOption)]
    }
    if let nested = (field["form"] ?? field["value"]?["form"])?["value"]?.array {
      return problems(of: value, with: nested, at: path + ".")
    }
    if field["type"] == "boolean" {
      return value.bool != nil ? [] : [Problem(path: path, kind: .wrongType)]
    }
    guard let text = value.string else { return [Problem(path: path, kind: .wrongType)] }
    let isMissing = Self.isRequired(field) && text.isEmpty
    return isMissing ? [Problem(path: path, kind: .missing)] : []
  }

  /// Whether the org needs a value, also if the form does not say so.
  private static func isRequired(_ field: JSONValue) -> Bool { field["required"] != false }

  /// Whether two values are the same; the order of members does not matter.
  private static func isSame(_ value: JSONValue, _ other: JSONValue) -> Bool {
    guard let object = value.object, let others = other.object?.members else {
      return value == other
    }
    return object.members.count == others.count
      && others.allSatisfy { member in object[member.name].map { isSame($0, member.value) } ?? false
      }
  }

  /// The options, which can be inside a single option that describes the display.
  private static func choices(of field: JSONValue) -> [JSONValue]? {
    guard let options = field["options"]?.array else { return nil }
    let display = options.first?["value"]?["value"]
    guard options.count == 1, let display, display["inputType"] != nil else { return options }
    return display["options"]?.array
  }

  /// The fields; nested forms with the same name are merged.
  private static func merged(_ fields: [JSONValue]) -> [JSONValue] {
    fields.reduce(into: []) { merged, field in
      let same = merged.firstIndex { $0["name"] != nil && $0["name"] == field["name"] }
      guard let same, let inner = field["form"]?["value"]?.array,
        let others = merged[same]["form"]?["value"]?.array
      else {
        merged.append(field)
        return
      }
      merged[same] = merged[same].adding("form", ["value": .array(others + inner)])
    }
  }

  private static func fewest(_ lists: [[Problem]]) -> [Problem] {
    lists.min { $0.count < $1.count } ?? []
  }
}
