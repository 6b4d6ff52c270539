import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a sign-in by the classic API has beside what every sign-in has (protocol section 8).
struct ClassicState: Sendable {
  /// Whether who has a password that expires soon is told so.
  var warnsBeforeExpiry = false
  /// Whether more is offered to be set up after something that was optional.
  var offersMore = false
  /// What became of the push that was sent last; nil where it waits.
  var pushResult: String?
  /// What stands in the address of the image that is to be scanned; nil where there is none.
  var imageToken: String?

  init(_ options: JSONValue?) {
    warnsBeforeExpiry = options?["warnBeforePasswordExpired"] == true
    offersMore = options?["multiOptionalFactorEnroll"] == true
  }
}

/// Somebody who is signed in by the classic API, which the authorization endpoint is told once.
struct OrgSession: Sendable {
  let account: OrgAccount.Key
  let signIn: OrgSignIn
  let expiresAt: Date

  /// For how many seconds a session token is good.
  static let lifetime: TimeInterval = 5 * 60
}

extension OrgErrand.Kind {
  /// What the classic API calls a recovery; nil where it has none of this kind.
  var recoveryType: String? {
    switch self {
    case .recovery: "PASSWORD"
    case .unlock: "UNLOCK"
    case .registration: nil
    }
  }
}

extension OrgSettings {
  /// An address of the classic API.
  func authn(_ path: String) -> String { origin + "/api/v1/authn" + path }

  /// The address of the questions that may be set up.
  var factorQuestions: String { origin + "/api/v1/factors/questions" }
  /// How addresses begin at which images to scan are served.
  var factorImages: String { origin + "/api/v1/factors/qr/" }
}
