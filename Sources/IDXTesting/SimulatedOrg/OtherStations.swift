import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The org takes no sign-ins for a while.
struct SafeModeStation: OrgStation {
  let seconds: Int
  let messages = [OrgMessage.safeMode]

  func forms(in document: OrgDocument) -> [JSONValue] {
    [document.form(.poll, "/poll", refresh: 2000)]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  {
    let isOver = org.now >= visit.since.addingTimeInterval(TimeInterval(seconds))
    return isOver ? .passed : .stays(OrgOutcome())
  }
}

/// The link of an activation mail is too old.
struct ActivationStation: OrgStation {
  let messages = [OrgMessage.expiredActivation]

  func forms(in document: OrgDocument) -> [JSONValue] {
    [document.form(.requestActivationEmail, "/request-activation")]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { .ends(.activationMailed) }
}

/// Whether to stay signed in; either answer goes on.
struct StaySignedInStation: OrgStation {
  func forms(in document: OrgDocument) -> [JSONValue] {
    [
      document.form(
        .keepMeSignedIn, "/keep-me-signed-in",
        [
          [
            "name": "keepMeSignedIn", "type": "boolean", "label": "Stay signed in?",
            "required": true, "value": false, "mutable": true,
          ]
        ])
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { .passed }
}

/// The person proves who they are in a browser.
struct IdentityProofingStation: OrgStation {
  func forms(in document: OrgDocument) -> [JSONValue] {
    let id = OrgSettings.id("", document.transaction.stateHandle, "proof")
    let href = "\(document.settings.origin)/idp/identity-verification?stateTokenExternalId=\(id)"
    return [
      OrgForm.page(
        .redirectIdVerify, type: "ID_PROOFING", id: "IDV_PERSONA", label: "Persona", href: href)
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { .stays(OrgOutcome()) }
}
