import Foundation
import IDXBase

/// A sign-in with a device code (RFC 8628), stored by the device code.
struct DeviceSignIn: Sendable {
  enum Answer: Sendable {
    case signedIn(OrgAccount.Key, CompletedSignIn)
    case refused
  }

  static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
  /// The number of seconds for which a code is valid.
  static let lifetime: TimeInterval = 10 * 60

  let userCode: String
  let scopes: [String]
  let expiresAt: Date
  /// The shortest time between two polls.
  var interval: TimeInterval
  var lastPoll: Date?
  /// What the user has done in the browser; nil before that.
  var answer: Answer?

  /// Letters without vowels, so that they form no word (RFC 8628, section 6.1).
  static func newUserCode(_ random: inout OrgRandom) -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    func four() -> String {
      String((0..<4).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
    return "\(four())-\(four())"
  }
}
