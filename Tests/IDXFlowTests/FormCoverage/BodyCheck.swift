import Expectations
import IDX
import IDXBase
import Testing

/// Finds the problems of a body, from the JSON of the form.
///
/// It shares no code with the encoder of answers.
struct BodyCheck {
  private(set) var problems: [String] = []

  /// Checks a body against a form as sent by the server.
  init(of body: JSONValue, against form: JSONValue) {
    check(body, Self.fields(form["value"]), at: "")
  }

  private mutating func check(_ body: JSONValue, _ fields: [JSONValue], at prefix: String) {
    guard let members = body.object?.members else {
      problems.append("\(prefix) is not an object")
      return
    }
    let named = Dictionary(grouping: fields) { $0["name"]?.string ?? "" }
    if Set(members.map(\.name)).count < members.count {
      problems.append("\(prefix) has a duplicate name")
    }
    for member in members where named[member.name] == nil || member.name.isEmpty {
      problems.append("\(prefix)\(member.name) is not a field of the form")
    }
    for (name, fields) in named where !name.isEmpty {
      guard let value = body[name] else {
        if fields.contains(where: { Self.isRequired($0) }) {
          problems.append("\(prefix)\(name) is required and missing")
        }
        if fields.contains(where: { Self.isFixed($0) }) {
          problems.append("\(prefix)\(name) is fixed and missing")
        }
        continue
      }
      check(value, named: fields, at: prefix + name)
    }
  }

  /// Checks the value of one name, which several fields can have.
  private mutating func check(_ value: JSONValue, named fields: [JSONValue], at path: String) {
    let nested = fields.compactMap(Self.nested)
    if nested.count == fields.count, fields.allSatisfy({ Self.options($0).isEmpty }) {
      return check(value, nested.flatMap(\.self), at: path + ".")
    }
    for field in fields { check(value, field, at: path) }
  }

  private mutating func check(_ value: JSONValue, _ field: JSONValue, at path: String) {
    if Self.isFixed(field) {
      if value != field["value"] { problems.append("\(path) is fixed and has another value") }
      return
    }
    let options = Self.options(field)
    guard options.isEmpty else {
      let fits = options.contains { option in
        guard let form = Self.nested(option) else { return Self.isSame(value, option, field) }
        var inner = self
        inner.problems = []
        inner.check(value, form, at: path + ".")
        return inner.problems.isEmpty
      }
      let isDefault = value == field["value"]
      if !fits && !isDefault {
        problems.append("\(path) fits none of its \(options.count) options")
      }
      return
    }
    if let form = Self.nested(field) { return check(value, form, at: path + ".") }
    checkType(of: value, field, at: path)
  }

  private mutating func checkType(of value: JSONValue, _ field: JSONValue, at path: String) {
    let type = field["type"]?.string ?? (field["value"]?.bool == nil ? "string" : "boolean")
    if type == "boolean", value.bool == nil { problems.append("\(path) is not a boolean") }
    guard type == "string" else { return }
    guard let text = value.string else {
      problems.append("\(path) is not a text")
      return
    }
    if value == field["value"] { return }
    if let least = field["minLength"]?.integer, text.count < least {
      problems.append("\(path) is too short")
    }
    if let most = field["maxLength"]?.integer, text.count > most {
      problems.append("\(path) is too long")
    }
  }

  private static func isFixed(_ field: JSONValue) -> Bool {
    isFalse(field["mutable"]) && field["value"] != nil && nested(field) == nil
  }

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

  /// The options of a choice, also if a single option only describes how to show the choice.
  private static func options(_ field: JSONValue) -> [JSONValue] {
    presentation(field).map { fields($0["options"]) } ?? fields(field["options"])
  }

  private static func presentation(_ field: JSONValue) -> JSONValue? {
    let options = fields(field["options"])
    guard options.count == 1, let inner = options[0]["value"]?["value"] else { return nil }
    return inner["inputType"] == nil ? nil : inner
  }

  /// Whether a value is the value of an option. Some booleans have their options as texts.
  private static func isSame(_ value: JSONValue, _ option: JSONValue, _ field: JSONValue) -> Bool {
    guard presentation(field) != nil, field["type"]?.string == "boolean" else {
      return value == option["value"]
    }
    return value.bool.map { option["value"]?.string == String($0) } ?? false
  }
}

/// Body check.
struct BodyCheckTests {
  private static let form: JSONValue = [
    "value": [
      ["name": "stateHandle", "required": true, "value": "02-own", "mutable": false],
      ["name": "flag", "type": "boolean"],
      ["name": "pin", "minLength": 2, "maxLength": 3],
      [
        "name": "profile", "form": ["value": [["name": "city", "required": true]]],
      ],
      [
        "name": "authenticator",
        "options": [
          ["form": ["value": [["name": "id", "value": "a1", "mutable": false]]]],
          ["value": ["form": ["value": [["name": "number", "required": "true"]]]]],
        ],
      ],
      ["name": "channel", "options": [["value": "sms"]]],
    ]
  ]

  @Test(
    "An invalid body has a problem",
    arguments: [
      [:],
      ["stateHandle": "02-other"],
      ["stateHandle": "02-own", "unknown": 1],
      ["stateHandle": "02-own", "flag": "true"],
      ["stateHandle": "02-own", "pin": 12],
      ["stateHandle": "02-own", "pin": "1"],
      ["stateHandle": "02-own", "pin": "1234"],
      ["stateHandle": "02-own", "profile": [:]],
      ["stateHandle": "02-own", "profile": ["city": "Galle", "street": "x"]],
      ["stateHandle": "02-own", "authenticator": ["id": "a2"]],
      ["stateHandle": "02-own", "authenticator": [:]],
      ["stateHandle": "02-own", "channel": "voice"],
      ["02-own"],
    ] as [JSONValue])
  func invalid(_ body: JSONValue) {
    expect(!BodyCheck(of: body, against: Self.form).problems.isEmpty)
  }
}
