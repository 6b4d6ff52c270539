import IDX
import IDXBase

/// What a path under `/api/v1/authn` does; a star stands for the ID of the factor.
enum ClassicPath: String, CaseIterable {
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

  func path(_ factor: String = "") -> String {
    rawValue.split(separator: "*", omittingEmptySubsequences: false).joined(separator: factor)
  }

  /// The required members of the body; nil if they depend on the factor.
  var body: [String]? {
    switch self {
    case .begin: ["username", "password"]
    case .previous, .skip, .cancel, .resend, .resendActivation, .resendRecovery: ["stateToken"]
    case .changePassword: ["stateToken", "oldPassword", "newPassword"]
    case .resetPassword: ["stateToken", "newPassword"]
    case .recoverPassword, .unlock: ["username", "factorType"]
    case .recoveryToken: ["recoveryToken"]
    case .recoveryAnswer: ["stateToken", "answer"]
    case .verifyRecovery: ["stateToken", "passCode"]
    case .verify, .enroll, .activate: nil
    }
  }

  static let optionalFields = [
    Field("stateToken"),
    Field(
      "options",
      form: [
        Field("multiOptionalFactorEnroll", type: .boolean),
        Field("warnBeforePasswordExpired", type: .boolean),
      ]
    ).adding("required", false),
    Field("context", form: [Field("deviceToken")]).adding("required", false),
  ]
}
