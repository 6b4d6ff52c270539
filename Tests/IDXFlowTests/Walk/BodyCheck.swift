import IDXBase
import IDX

/// What is wrong with a body, told from the JSON of the form alone: it shares nothing with what wrote
/// the body.
struct BodyCheck {
  private(set) var faults: [String] = []

  /// Checks a body against the fields of a form as the server sent them.
  init(of body: JSONValue, against form: JSONValue) {
    check(body, Self.fields(form["value"]), at: "")
  }

  private mutating func check(_ body: JSONValue, _ fields: [JSONValue], at prefix: String) {
    guard let members = body.object?.members else {
      faults.append("\(prefix) is no object")
      return
    }
    let named = Dictionary(grouping: fields) { $0["name"]?.string ?? "" }
    if Set(members.map(\.name)).count < members.count {
      faults.append("\(prefix) has a name twice")
    }
    for member in members where named[member.name] == nil || member.name.isEmpty {
      faults.append("\(prefix)\(member.name) is no field of the form")
    }
    for (name, fields) in named where !name.isEmpty {
      guard let value = body[name] else {
        if fields.contains(where: { Self.isRequired($0) }) {
          faults.append("\(prefix)\(name) is required and missing")
        }
        if fields.contains(where: { Self.isFixed($0) }) {
          faults.append("\(prefix)\(name) is fixed and missing")
        }
        continue
      }
      check(value, named: fields, at: prefix + name)
    }
  }

  /// Checks what stands under one name, which several fields may share.
  private mutating func check(_ value: JSONValue, named fields: [JSONValue], at path: String) {
    let nested = fields.compactMap(Self.nested)
    if nested.count == fields.count, fields.allSatisfy({ Self.options($0).isEmpty }) {
      return check(value, nested.flatMap(\.self), at: path + ".")
    }
    for field in fields { check(value, field, at: path) }
  }

  private mutating func check(_ value: JSONValue, _ field: JSONValue, at path: String) {
    if Self.isFixed(field) {
      if value != field["value"] { faults.append("\(path) is fixed and was changed") }
      return
    }
    let options = Self.options(field)
    guard options.isEmpty else {
      let fits = options.contains { option in
        guard let form = Self.nested(option) else { return Self.isSame(value, option, field) }
        var inner = self
        inner.faults = []
        inner.check(value, form, at: path + ".")
        return inner.faults.isEmpty
      }
      let isDefault = value == field["value"]
      if !fits && !isDefault { faults.append("\(path) fits none of its \(options.count) options") }
      return
    }
    if let form = Self.nested(field) { return check(value, form, at: path + ".") }
    checkType(of: value, field, at: path)
  }

  private mutating func checkType(of value: JSONValue, _ field: JSONValue, at path: String) {
    let type = field["type"]?.string ?? (field["value"]?.bool == nil ? "string" : "boolean")
    if type == "boolean", value.bool == nil { faults.append("\(path) is no boolean") }
    guard type == "string" else { return }
    guard let text = value.string else {
      faults.append("\(path) is no text")
      return
    }
    if value == field["value"] { return }
    if let least = field["minLength"]?.integer, text.count < least {
      faults.append("\(path) is too short")
    }
    if let most = field["maxLength"]?.integer, text.count > most {
      faults.append("\(path) is too long")
    }
  }

  private static func isFixed(_ field: JSONValue) -> Bool {
    isFalse(field["mutable"]) && field["value"] != nil && nested(field) == nil
  }

  /// An object that is required is there; where it says that it may be left out, so may its members.
  private static func isRequired(_ field: JSONValue) -> Bool {
    field["required"]?.bool ?? (field["required"]?.string == "true")
  }

  private static func isFalse(_ json: JSONValue?) -> Bool {
    json?.bool == false || json?.string == "false"
  }

  private static func fields(_ list: JSONValue?) -> [JSONValue] {
    (list?.array ?? []).filter { $0.object != nil }
  }

  private static func nested(_ owner: JSONValue) -> [JSONValue]? {
    let form = owner["form"] ?? owner["value"]?["form"]
    return form?.object == nil ? nil : fields(form?["value"])
  }

  /// What may be chosen, also where an option only says how the choice is to be drawn.
  private static func options(_ field: JSONValue) -> [JSONValue] {
    drawing(field).map { fields($0["options"]) } ?? fields(field["options"])
  }

  private static func drawing(_ field: JSONValue) -> JSONValue? {
    let options = fields(field["options"])
    guard options.count == 1, let drawing = options[0]["value"]?["value"] else { return nil }
    return drawing["inputType"] == nil ? nil : drawing
  }

  /// Whether a value is that of an option; a yes or no that is drawn has its options as texts.
  private static func isSame(_ value: JSONValue, _ option: JSONValue, _ field: JSONValue) -> Bool {
    guard drawing(field) != nil, field["type"]?.string == "boolean" else {
      return value == option["value"]
    }
    return value.bool.map { option["value"]?.string == String($0) } ?? false
  }
}
