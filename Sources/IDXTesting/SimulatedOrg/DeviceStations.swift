import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The code that a device shows.
struct UserCodeStation: OrgStation {
  let code: String

  func forms(in document: OrgDocument) -> [JSONValue] {
    [
      document.form(
        .userCode, "/device/activate", [OrgForm.text("userCode", label: "Activation code")])
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  {
    guard Self.plain(body["userCode"]?.string ?? "") == Self.plain(code) else {
      return .stays(OrgOutcome(status: 400, messages: [.wrongUserCode]))
    }
    return .passed
  }

  private static func plain(_ code: String) -> String {
    code.uppercased().filter { $0.isLetter || $0.isNumber }
  }
}

/// A probe for Okta Verify on this machine, which a terminal cannot answer.
///
/// Ways on: the org gives up by itself, or the client says that it does.
struct DeviceChallengeStation: OrgStation {
  static let patience: TimeInterval = 10

  let method: AccountPolicy.Station.DeviceMethod

  func forms(in document: OrgDocument) -> [JSONValue] {
    [
      document.form(
        .deviceChallengePoll, "/authenticators/poll", relatesTo: "authenticatorChallenge",
        refresh: 2000)
    ]
  }

  func members(in document: OrgDocument) -> [(name: String, value: JSONValue)] {
    let request = OrgSettings.id("ey", document.transaction.stateHandle)
    let challenge: JSONValue
    switch method {
    case .loopback:
      challenge = [
        "challengeMethod": "LOOPBACK", "challengeRequest": .string(request),
        "domain": "http://localhost", "ports": ["2000", "6511", "6512", "6513"],
        "probeTimeoutMillis": 100,
      ]
    case .customURI:
      challenge = [
        "challengeMethod": "CUSTOM_URI", "challengeRequest": .string(request),
        "href": .string("com-okta-authenticator:/deviceChallenge?challengeRequest=\(request)"),
        "downloadHref": "https://apps.example.com/authenticator",
      ]
    }
    let cancel = document.form(
      .cancelPolling, "/authenticators/poll/cancel",
      [
        OrgForm.fixed("reason", "USER_CANCELED"),
        ["name": "statusCode", "required": false],
      ])
    return [("authenticatorChallenge", document.wrap(challenge.adding("cancel", cancel)))]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  {
    let isOver = org.now >= visit.since.addingTimeInterval(Self.patience)
    return isOver || path.hasSuffix("/cancel") ? .passed : .stays(OrgOutcome())
  }
}

/// Apple's extension for single sign-on, which nothing but the system can answer; beside it the way
/// past it.
struct AppleSignOnStation: OrgStation {
  func forms(in document: OrgDocument) -> [JSONValue] {
    let transaction = OrgSettings.id("ft", document.transaction.stateHandle)
    let path = "/authenticators/sso_extension/transactions/\(transaction)/verify"
    let request = OrgSettings.id("ey", document.transaction.stateHandle)
    return [
      document.form(
        .deviceAppleSSOExtension, path,
        [OrgForm.fixed("challengeRequest", request, hidden: true)]),
      document.form(.cancelTransaction, path + "/cancel"),
    ]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  {
    path.hasSuffix("/cancel")
      ? .passed : .stays(OrgOutcome(status: 401, messages: [.noExtension]))
  }
}

/// The device lacks something, and may lack it for some days more.
struct GracePeriodStation: OrgStation {
  let messages = OrgMessage.graceMessages

  func forms(in document: OrgDocument) -> [JSONValue] {
    [document.form(.deviceAssuranceGracePeriod, "/skip")]
  }

  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
  { .passed }
}
