import IDX
import IDXBase

/// Attributes of a user's profile, and the form field for them.
struct ProfileForm: Sendable {
  /// An attribute and its field.
  struct Attribute: Sendable {
    enum Control: Sendable {
      case text(maximumLength: Int)
      case choice([(label: String, value: String)])
      case checkbox
    }

    let name: String
    let label: String
    var isRequired = false
    var control = Control.text(maximumLength: 50)

    fileprivate var field: Field {
      let field = Field(name, label: label, isRequired: isRequired)
      switch control {
      case .text(let maximum):
        return field.adding("minLength", 1).adding("maxLength", JSONValue(maximum))
      case .choice(let choices):
        let options = choices.map {
          ["label": .string($0.label), "value": .string($0.value)] as JSONValue
        }
        return field.adding(
          "options", [Self.display(["inputType": "select", "options": .array(options)])])
      case .checkbox:
        return field.adding("type", "boolean")
          .adding("options", [Self.display(["inputType": "checkbox"])])
      }
    }

    private static func display(_ display: JSONValue) -> JSONValue {
      ["label": "display", "value": .single(display)]
    }

    fileprivate func problem(with text: String) -> Message? {
      if name.lowercased().hasSuffix("email") {
        let domain = text.drop { $0 != "@" }.dropFirst()
        guard text.isMailAddress, domain.contains(".") else { return .invalidEmail }
      }
      let maximum = if case .text(let length) = control { length } else { Int.max }
      let isWrong = text.contains { "<>\"\\".contains($0) } || text.count > maximum
      return isWrong ? .patternMismatch(label) : nil
    }
  }

  let attributes: [Attribute]
  var isRequired = true

  static let registration = ProfileForm(attributes: [
    Attribute(name: "firstName", label: "First name", isRequired: true),
    Attribute(name: "lastName", label: "Last name", isRequired: true),
    Attribute(name: "email", label: "Email", isRequired: true, control: .text(maximumLength: 100)),
    Attribute(
      name: "country", label: "Country",
      control: .choice([("France", "FR"), ("Japan", "JP"), ("United Kingdom", "GB")])),
    Attribute(name: "newsletter", label: "Newsletter", control: .checkbox),
    Attribute(name: "nickname", label: "Nickname"),
  ])
  static let progressive = ProfileForm(attributes: [
    Attribute(name: "department", label: "Department", isRequired: true)
  ])
  static let optional = ProfileForm(
    attributes: [
      Attribute(name: "nickname", label: "Nickname"),
      Attribute(name: "secondEmail", label: "Second email", control: .text(maximumLength: 100)),
      Attribute(name: "city", label: "City"),
    ], isRequired: false)

  var field: Field {
    let field = Field("userProfile", form: attributes.map(\.field)).without("required", "type")
    return isRequired ? field : field.adding("required", false)
  }

  /// A field `userProfile` for each attribute; some real servers send this too.
  var separateFields: [Field] {
    attributes.map { ProfileForm(attributes: [$0], isRequired: isRequired).field }
  }

  /// The problems of a profile, by the dotted path of the field.
  func problems(in profile: JSONValue?) -> [String: Message] {
    var problems: [String: Message] = [:]
    for attribute in attributes {
      guard let text = profile?[attribute.name]?.string else { continue }
      problems["userProfile.\(attribute.name)"] = attribute.problem(with: text)
    }
    return problems
  }

  static func values(of profile: JSONValue?) -> [String: String] {
    let members = (profile?.object?.members ?? []).compactMap { member in
      member.value.plainText.map { (member.name, $0) }
    }
    return Dictionary(members) { $1 }
  }
}
