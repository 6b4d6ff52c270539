import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AccountPolicy {
  /// A step of a sign-in at a ``SimulatedOrg`` that is about no authenticator.
  ///
  /// A policy lists them before the user name and after the authenticators, see
  /// ``AccountPolicy/beforeIdentify`` and ``AccountPolicy/afterFactors``.
  public enum Station: Sendable, Hashable {
    /// How a device is asked for a proof of itself.
    public enum DeviceMethod: Sendable, Hashable, CaseIterable {
      /// By a server of the authenticator on this machine.
      case loopback
      /// By an address that opens the authenticator.
      case customURI
    }

    /// The code that a device shows (RFC 8628), letters and digits; case and hyphens do not count.
    case userCode(String)
    /// The org takes no sign-ins for so many seconds of its time, and the client polls.
    case safeMode(seconds: Int)
    /// The link of an activation mail is too old; another mail can be asked for.
    case activationExpired
    /// A probe for Okta Verify on this machine, of which the org gives up after ten seconds.
    case deviceChallenge(DeviceMethod)
    /// Apple's extension for single sign-on must answer, or be passed over.
    case appleSignOn
    /// The app asks for these scopes, all or nothing.
    case consent(scopes: [String])
    /// An administrator allows these scopes for everybody.
    case adminConsent(scopes: [String])
    /// The app asks for these scopes, each of which may be refused but `openid`.
    case granularConsent(scopes: [String])
    /// Whether it was the person who asked for a mail.
    case emailConsent
    /// Whether to stay signed in.
    case keepMeSignedIn
    /// The device lacks something, and may lack it for some days more.
    case gracePeriod
    /// One more attribute of the profile must be filled in.
    case profile
    /// Three more attributes of the profile may be filled in.
    case profileUpdate
    /// The person proves who they are in a browser.
    case identityProofing
    /// The device of the code may sign in: the end.
    case deviceActivated
    /// Access is denied: the end, from which one can start over unless it is final.
    case denial(isFinal: Bool)
    /// It went on elsewhere: an end without anything to do.
    case finishedElsewhere
    /// Where the link of a mail leads in another browser: the end, which shows the code.
    case linkLanding(code: String)

    var desk: any OrgStation {
      switch self {
      case .userCode(let code): UserCodeStation(code: code)
      case .safeMode(let seconds): SafeModeStation(seconds: seconds)
      case .activationExpired: ActivationStation()
      case .deviceChallenge(let method): DeviceChallengeStation(method: method)
      case .appleSignOn: AppleSignOnStation()
      case .consent(let scopes): ConsentStation(name: .consent, scopes: scopes)
      case .adminConsent(let scopes): ConsentStation(name: .adminConsent, scopes: scopes)
      case .granularConsent(let scopes): GranularConsentStation(scopes: scopes)
      case .emailConsent: EmailConsentStation()
      case .keepMeSignedIn: StaySignedInStation()
      case .gracePeriod: GracePeriodStation()
      case .profile: ProfileStation()
      case .profileUpdate: ProfileUpdateStation()
      case .identityProofing: IdentityProofingStation()
      case .deviceActivated: EndStation(.deviceActivated)
      case .denial(let isFinal): EndStation(.denied(isFinal: isFinal))
      case .finishedElsewhere: EndStation(.finishedElsewhere)
      case .linkLanding(let code): EndStation(.linkLanding(code: code))
      }
    }
  }
}

/// What the org knows of one kind of station: adding a kind is adding a conformer.
protocol OrgStation: Sendable {
  /// The end that it is, where there is nothing to answer; nil for those that ask.
  var end: OrgEnd? { get }
  /// The remediations, in order.
  func forms(in document: OrgDocument) -> [JSONValue]
  /// Members of the response that only it has.
  func members(in document: OrgDocument) -> [(name: String, value: JSONValue)]
  /// What it says as long as the sign-in stands there.
  var messages: [OrgMessage] { get }
  /// What follows from an answer, which fits one of the forms, at an address under `/idp/idx`.
  func answer(_ body: JSONValue, at path: String, in org: inout OrgCore, _ visit: StationVisit)
    -> StationVerdict
}

extension OrgStation {
  var end: OrgEnd? { nil }
  var messages: [OrgMessage] { [] }
  func members(in document: OrgDocument) -> [(name: String, value: JSONValue)] { [] }
}

/// Who stands at a station, and since when.
struct StationVisit: Sendable {
  let account: OrgAccount.Key?
  let since: Date
}

/// What follows from an answer at a station.
enum StationVerdict: Sendable {
  case passed
  /// It goes on, and the tokens will be without these scopes.
  case passedWithout(scopes: Set<String>)
  case stays(OrgOutcome)
  case ends(OrgEnd)
}

extension AccountPolicy {
  /// What a client is told where no page can be shown, by the codes of OAuth: that somebody would have
  /// to agree, or is denied; nil where nobody stands in the way.
  var refusalWithoutPage: (code: String, description: String)? {
    for station in afterFactors {
      switch station {
      case .consent, .adminConsent, .granularConsent:
        return ("consent_required", "Somebody has to agree first, in a browser.")
      case .denial: return ("access_denied", OrgMessage.accessDenied.text)
      default: continue
      }
    }
    return nil
  }
}
