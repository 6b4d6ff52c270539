import Foundation
import IDX
import IDXBase

/// A challenge of an authenticator, or its setup.
struct AuthenticatorChallenge: Sendable {
  enum Purpose: Sendable {
    case challenge
    case enroll
    /// Replace an expired or expiring password.
    case replace
    /// Replace a forgotten password.
    case reset
  }

  let authenticator: OrgAuthenticator
  let purpose: Purpose
  /// The method; nil while the user can still choose.
  var method: OrgAuthenticator.Method?
  /// The index of the user's enrollment; nil for the password and for setups.
  var enrollment: Int?
  /// Whether only this enrollment of the authenticator can answer.
  var isForOneEnrollment = false
  /// Whether the user has chosen it; false if the org has.
  var wasChosen = false
  /// Whether the user has agreed to it, if the policy asks for that.
  var isConfirmed = false
  /// Whether it is a setup that is offered at the end of the sign-in.
  var isPromotion = false
  /// The phone number to set up.
  var phoneNumber: String?
  var code: String?
  /// The secret of an authenticator that is being set up.
  var sharedSecret: Secret?
  var qrCode: String?
  /// The WebAuthn options for creating a passkey or signing with one.
  var passkeyRequest: JSONValue?
  var device = PendingDeviceAction()

  init(_ authenticator: OrgAuthenticator, _ purpose: Purpose, enrollment: Int? = nil) {
    self.authenticator = authenticator
    self.purpose = purpose
    self.enrollment = enrollment
    method = authenticator.methods.count == 1 ? authenticator.methods[0] : nil
  }

  /// A challenge of the password, or its replacement.
  static func password(_ purpose: Purpose) -> AuthenticatorChallenge { .init(.password, purpose) }

  /// How an app is set up: with a QR code, or with a link by email or SMS.
  var channel: String { device.channel ?? "qrcode" }

  var check: any Check {
    purpose == .enroll ? authenticator.setUpCheck : (method ?? authenticator.methods[0]).check
  }

  /// The user's enrollment; nil for setups.
  func enrollment(of user: SimulatedUser) -> SimulatedUser.Enrollment? {
    guard purpose != .enroll else { return nil }
    guard let enrollment, user.enrollments.indices.contains(enrollment) else {
      return user.enrollment(of: authenticator.key)
    }
    return user.enrollments[enrollment]
  }
}
