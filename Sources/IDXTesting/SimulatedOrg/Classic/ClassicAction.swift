import IDX
import IDXBase

/// What an address under `/api/v1/authn` does; a star stands for the part that names the factor.
enum ClassicAction: String, CaseIterable {
  case begin = ""
  case previous = "/previous"
  case skip = "/skip"
  case cancel = "/cancel"
  case verify = "/factors/*/verify"
  case resend = "/factors/*/verify/resend"
  case enroll = "/factors"
  case activate = "/factors/*/lifecycle/activate"
  case resendActivation = "/factors/*/lifecycle/resend"
  case changePassword = "/credentials/change_password"
  case resetPassword = "/credentials/reset_password"
  case recoverPassword = "/recovery/password"
  case unlock = "/recovery/unlock"
  case recoveryToken = "/recovery/token"
  case recoveryAnswer = "/recovery/answer"
  case verifyRecovery = "/recovery/factors/*/verify"
  case resendRecovery = "/recovery/factors/*/resend"

  init?(path: String) {
    func parts(_ path: String) -> [Substring] {
      path.split(separator: "/", omittingEmptySubsequences: false)
    }
    let asked = parts(path)
    let action = Self.allCases.first { action in
      let own = parts(action.rawValue)
      return own.count == asked.count
        && zip(own, asked).allSatisfy { $0 == "*" ? !$1.isEmpty : $0 == $1 }
    }
    guard let action else { return nil }
    self = action
  }

  /// The path for a factor.
  func path(_ factor: String = "") -> String {
    rawValue.split(separator: "*", omittingEmptySubsequences: false).joined(separator: factor)
  }

  /// Whether it begins a sign-in.
  var isBeginning: Bool {
    switch self {
    case .begin, .recoverPassword, .unlock, .recoveryToken: true
    default: false
    }
  }

  /// The bodies that can be sent; nil if they depend on the factor.
  var bodies: [[JSONValue]]? {
    func body(_ names: String...) -> [JSONValue] {
      names.map { Remediation.Field.Draft($0, isRequired: true).json }
    }
    return switch self {
    case .begin: [body("username", "password") + Self.optionalFields, body("stateToken")]
    case .previous, .skip, .cancel, .resend, .resendActivation, .resendRecovery:
      [body("stateToken")]
    case .changePassword: [body("stateToken", "oldPassword", "newPassword")]
    case .resetPassword: [body("stateToken", "newPassword")]
    case .recoverPassword, .unlock: [body("username", "factorType")]
    case .recoveryToken: [body("recoveryToken")]
    case .recoveryAnswer: [body("stateToken", "answer")]
    case .verifyRecovery: [body("stateToken", "passCode")]
    case .verify, .enroll, .activate: nil
    }
  }

  private static let optionalFields: [JSONValue] = [
    Remediation.Field.Draft("stateToken"),
    Remediation.Field.Draft(
      "options",
      form: [
        .init("multiOptionalFactorEnroll", type: .boolean),
        .init("warnBeforePasswordExpired", type: .boolean),
      ]
    ).adding("required", false),
    Remediation.Field.Draft("context", form: [.init("deviceToken")]).adding("required", false),
  ].map(\.json)
}
