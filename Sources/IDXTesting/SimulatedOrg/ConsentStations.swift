import IDXBase
import IDX

/// The app, or an administrator for everybody, is allowed some scopes, all or nothing.
struct ConsentStation: OrgStation {
  let name: Remediation.Name
  let scopes: [String]

  func forms(in document: OrgDocument) -> [JSONValue] {
    let scopes = scopes.map { scope -> JSONValue in
      let label = Consent.label(of: scope)
      return [
        "name": .string(scope), "label": .string(label), "value": .string(scope),
        "desc": .string("The app wants to: \(label.lowercased())."),
      ]
    }
    let form = document.form(name, "/consent", [Consent.question])
    return [form.adding("scopes", .array(scopes))]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { Consent.verdict(on: body) }
}

/// The app is allowed some scopes, each of which may be refused but `openid`.
struct GranularConsentStation: OrgStation {
  let scopes: [String]

  func forms(in document: OrgDocument) -> [JSONValue] {
    let fields = scopes.map { scope -> JSONValue in
      let isFixed = scope == "openid"
      return [
        "name": .string(scope), "label": .string(Consent.label(of: scope)), "type": "boolean",
        "required": true, "value": true, "visible": true, "mutable": .bool(!isFixed),
      ]
    }
    return [
      document.form(
        .granularConsent, "/consent",
        [Consent.question, OrgForm.nested("optedScopes", label: "Scopes", fields)])
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  {
    guard case .passed = Consent.verdict(on: body) else { return Consent.verdict(on: body) }
    return .passedWithout(scopes: Set(scopes.filter { body["optedScopes"]?[$0] != true }))
  }
}

/// Whether it was the person who asked for a mail, with what is known of who did.
struct EmailConsentStation: OrgStation {
  func forms(in document: OrgDocument) -> [JSONValue] {
    let form = document.form(.emailChallengeConsent, "/consent", [Consent.question])
    return [
      form.adding(
        "requestInfo",
        [
          ["name": "app", "label": "App", "value": "Demo app"],
          ["name": "browser", "label": "Browser", "value": "Firefox on Linux"],
          ["name": "location", "label": "Place", "value": "London, United Kingdom"],
        ])
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { Consent.verdict(on: body) }
}

private enum Consent {
  static let question: JSONValue = [
    "name": "consent", "label": "Allow it?", "type": "boolean", "required": true,
    "options": [["label": "Allow", "value": true], ["label": "Do not allow", "value": false]],
  ]

  static func label(of scope: String) -> String {
    switch scope {
    case "openid": "Know who you are"
    case "profile": "View your profile"
    case "email": "View your e-mail address"
    case "phone": "View your telephone number"
    case "address": "View your address"
    default: "Use \(scope)"
    }
  }

  static func verdict(on body: JSONValue) -> StationVerdict {
    body["consent"] == true ? .passed : .ends(.consentDenied)
  }
}
