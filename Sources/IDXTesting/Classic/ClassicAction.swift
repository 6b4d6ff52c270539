import IDXBase
import IDX

/// What an address under `/api/v1/authn` does; a star stands for what tells which factor it is about.
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

  /// Whether it needs no sign-in that is on its way.
  var isBeginning: Bool {
    switch self {
    case .begin, .recoverPassword, .unlock, .recoveryToken: true
    default: false
    }
  }

  /// The bodies that may be sent, where the action alone decides.
  var forms: [[JSONValue]]? {
    let state = OrgForm.text("stateToken", label: "")
    func text(_ name: String) -> JSONValue { OrgForm.text(name, label: "") }
    switch self {
    case .begin: return [Self.credentials, [state]]
    case .previous, .skip, .cancel, .resend, .resendActivation, .resendRecovery: return [[state]]
    case .changePassword: return [[state, text("oldPassword"), text("newPassword")]]
    case .resetPassword: return [[state, text("newPassword")]]
    case .recoverPassword, .unlock: return [[text("username"), text("factorType")]]
    case .recoveryToken: return [[text("recoveryToken")]]
    case .recoveryAnswer: return [[state, text("answer")]]
    case .verifyRecovery: return [[state, text("passCode")]]
    case .verify, .enroll, .activate: return nil
    }
  }

  private static let credentials: [JSONValue] = [
    OrgForm.text("username", label: ""), OrgForm.text("password", label: ""),
    OrgForm.text("stateToken", label: "", required: false),
    OrgForm.nested(
      "options",
      [
        OrgForm.boolean("multiOptionalFactorEnroll", label: ""),
        OrgForm.boolean("warnBeforePasswordExpired", label: ""),
      ]
    ).adding("required", false),
    OrgForm.nested("context", [OrgForm.text("deviceToken", label: "", required: false)])
      .adding("required", false),
  ]
}

extension ClassicFactor.Kind {
  /// The body with which a challenge is begun, or answered.
  func verification(isOpen: Bool) -> [JSONValue] {
    let names: [String] =
      switch proof {
      case .shownCode: ["passCode"]
      case .sentCode: isOpen ? ["passCode"] : []
      case .answer: ["answer"]
      case .push: []
      case .signature: isOpen ? ["clientData", "signatureData", "authenticatorData"] : []
      }
    return (["stateToken"] + names).map { OrgForm.text($0, label: "") }
  }

  /// The body with which a set-up is ended, or the device asked about.
  var activation: [JSONValue] {
    (["stateToken"] + (proof == .push ? [] : ["passCode"])).map { OrgForm.text($0, label: "") }
  }

  /// The body with which a set-up is begun.
  var enrollment: [JSONValue] {
    let names: [String] =
      switch authenticator {
      case .securityQuestion: ["question", "answer"]
      case .phone: ["phoneNumber"]
      case .email: ["email"]
      default: []
      }
    let isRequired = !names.isEmpty && authenticator != .email
    let profile = OrgForm.nested(
      "profile", names.map { OrgForm.text($0, label: "", required: isRequired) })
    return ["stateToken", "factorType", "provider"].map { OrgForm.text($0, label: "") }
      + [profile.adding("required", .bool(isRequired))]
  }
}
