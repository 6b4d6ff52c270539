import IDXBase
import IDX

/// Where nothing more can be done but perhaps start over.
struct OrgEnd: Sendable {
  let messages: [OrgMessage]
  /// The status of the response with which it is reached; later ones have 200.
  var status = 200
  /// Whether one can start over from there.
  var hasCancel = true
  /// Members of the response that only it has.
  var members: [Member] = []

  struct Member: Sendable {
    let name: String
    let value: JSONValue
  }
}

extension OrgEnd {
  static let consentDenied = OrgEnd(messages: [.consentDenied], status: 403)
  static let recovered = OrgEnd(messages: [.recovered])
  static let unlocked = OrgEnd(messages: [.unlocked])
  static let mailToVerify = OrgEnd(messages: [.mailToVerify], hasCancel: false)
  static let activationMailed = OrgEnd(messages: [.activationMailed])
  static let deviceActivated = OrgEnd(messages: [.deviceActivated], hasCancel: false)
  static let finishedElsewhere = OrgEnd(messages: [.finishedElsewhere], hasCancel: false)

  static func denied(isFinal: Bool) -> OrgEnd {
    OrgEnd(messages: [.accessDenied], status: 403, hasCancel: !isFinal)
  }

  /// The page behind the link of a mail, in a browser that has not begun the sign-in (section 1.9).
  static func linkLanding(code: String) -> OrgEnd {
    let client: JSONValue = [
      "browser": "Firefox", "os": "Linux",
      "location": ["city": "London", "country": "United Kingdom"],
    ]
    var members = [Member(name: "client", value: ["type": "object", "value": client])]
    if let kind = OrgAuthenticators[.email] {
      let email: JSONValue = [
        "type": .string(kind.type.rawValue), "key": .string(kind.key.rawValue),
        "id": .string(kind.id), "displayName": .string(kind.displayName),
        "methods": [["type": "email"]], "contextualData": ["otp": .string(code)],
      ]
      members.append(
        Member(name: "currentAuthenticator", value: ["type": "object", "value": email]))
    }
    return OrgEnd(messages: [.codeForOtherTab], members: members)
  }
}

/// A station that is an end as soon as it is reached.
struct EndStation: OrgStation {
  let end: OrgEnd?

  init(_ end: OrgEnd) { self.end = end }

  func forms(in document: OrgDocument) -> [JSONValue] { [] }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { .stays(OrgOutcome()) }
}
