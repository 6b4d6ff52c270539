import IDXBase
import IDX

/// What the org keeps about people beside their names, and the forms that ask for it.
enum ProfileForm {
  /// An attribute and how a form asks for it (section 2.3).
  struct Attribute: Sendable {
    enum Control: Sendable {
      case text(maximumLength: Int)
      case choice([(label: String, value: String)])
      case checkbox
    }

    let name: String
    let label: String
    let isRequired: Bool
    var control = Control.text(maximumLength: 50)

    var field: JSONValue {
      let field: JSONValue = [
        "name": .string(name), "label": .string(label), "required": .bool(isRequired),
      ]
      switch control {
      case .text(let maximum):
        return field.adding("minLength", 1).adding("maxLength", .number(JSONValue.Number(maximum)))
      case .choice(let options):
        let options = options.map {
          ["label": .string($0.label), "value": .string($0.value)] as JSONValue
        }
        return field.adding("type", "string").adding(
          "options", [Self.display(["inputType": "select", "options": .array(options)])])
      case .checkbox:
        return field.adding("type", "boolean")
          .adding("options", [Self.display(["inputType": "checkbox"])])
      }
    }

    /// What stands among the options of a field to say how it is shown: nothing to choose.
    private static func display(_ display: JSONValue) -> JSONValue {
      ["label": "display", "value": ["type": "object", "value": display]]
    }
  }

  static let registration = [
    Attribute(name: "firstName", label: "First name", isRequired: true),
    Attribute(name: "lastName", label: "Last name", isRequired: true),
    Attribute(
      name: "email", label: "Email", isRequired: true, control: .text(maximumLength: 100)),
    Attribute(
      name: "country", label: "Country", isRequired: false,
      control: .choice([("France", "FR"), ("Japan", "JP"), ("United Kingdom", "GB")])),
    Attribute(name: "newsletter", label: "Newsletter", isRequired: false, control: .checkbox),
    Attribute(name: "nickname", label: "Nickname", isRequired: false),
  ]
  static let progressive = [
    Attribute(name: "department", label: "Department", isRequired: true)
  ]
  static let optional = [
    Attribute(name: "nickname", label: "Nickname", isRequired: false),
    Attribute(
      name: "secondEmail", label: "Second email", isRequired: false,
      control: .text(maximumLength: 100)),
    Attribute(name: "city", label: "City", isRequired: false),
  ]

  /// The field `userProfile`; attributes of one form may stand in several fields of that name.
  static func userProfile(_ attributes: [Attribute], isRequired: Bool = true) -> JSONValue {
    let field: JSONValue = ["name": "userProfile"]
    return field.adding("required", true, if: isRequired)
      .adding("form", ["value": .array(attributes.map(\.field))])
  }

  /// What is wrong with a profile, by dotted path.
  static func problems(in profile: JSONValue?, of attributes: [Attribute]) -> [String: OrgMessage] {
    var problems: [String: OrgMessage] = [:]
    for attribute in attributes {
      guard let text = profile?[attribute.name]?.string else { continue }
      let isAddress = attribute.name.lowercased().hasSuffix("email")
      if isAddress, !isMailAddress(text) {
        problems["userProfile.\(attribute.name)"] = .invalidEmail
      } else if text.contains(where: { "<>\"\\".contains($0) }) || text.count > attribute.maximum {
        problems["userProfile.\(attribute.name)"] = .patternMismatch(attribute.label)
      }
    }
    return problems
  }

  /// The attributes that were filled in, as text.
  static func values(of profile: JSONValue?) -> [String: String] {
    let members = (profile?.object?.members ?? []).compactMap { member in
      (member.value.string ?? member.value.bool.map(String.init)).map { (member.name, $0) }
    }
    return Dictionary(members) { $1 }
  }

  private static func isMailAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].isEmpty == false && parts[1].contains(".")
      && !text.contains(where: \.isWhitespace)
  }
}

extension ProfileForm.Attribute {
  fileprivate var maximum: Int {
    if case .text(let maximum) = control { maximum } else { .max }
  }
}

/// One more attribute must be filled in.
struct ProfileStation: OrgStation {
  func forms(in document: OrgDocument) -> [JSONValue] {
    [
      document.form(
        .enrollProfile, "/enroll/update", [ProfileForm.userProfile(ProfileForm.progressive)])
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { org.keep(body["userProfile"], of: ProfileForm.progressive, for: visit.account) }
}

/// Three more attributes may be filled in, each in a field of the same name.
struct ProfileUpdateStation: OrgStation {
  func forms(in document: OrgDocument) -> [JSONValue] {
    [
      document.form(
        .profileUpdate, "/enroll/new",
        ProfileForm.optional.map { ProfileForm.userProfile([$0], isRequired: false) }),
      document.form(.skip, "/skip"),
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  {
    path == "/skip"
      ? .passed : org.keep(body["userProfile"], of: ProfileForm.optional, for: visit.account)
  }
}

extension OrgCore {
  fileprivate mutating func keep(
    _ profile: JSONValue?, of attributes: [ProfileForm.Attribute], for key: OrgAccount.Key?
  ) -> StationVerdict {
    let problems = ProfileForm.problems(in: profile, of: attributes)
    guard problems.isEmpty else {
      return .stays(OrgOutcome(status: 400, fieldMessages: problems))
    }
    if let key {
      accounts[key]?.user.attributes.merge(ProfileForm.values(of: profile)) { $1 }
    }
    return .passed
  }
}
