import IDX

// What the org says about accounts and around a sign-in; the keys are the server's where it has any.
extension OrgMessage {
  static let unknownUser = info("idx.unknown.user", "Nobody here has that user name.")
  static let recoveryNotAllowed = OrgMessage(
    "oie.selfservice.reset.password.not.allowed", "This password cannot be reset here.")
  static let recovered = info(
    "idx.recovery.completed", "The password has been reset. Sign in with the new one.")
  static let unlockNotAllowed = OrgMessage(
    "oie.selfservice.user.unlock.not.allowed", "This account cannot be unlocked here.")
  static let unlocked = info(
    "oie.selfservice.unlock_user.success.message", "The account is unlocked. Sign in again.")
  static let unlockedLanding = info(
    "oie.selfservice.unlock_user.landing.to.app.success.message",
    "The account is unlocked. One more step signs in.")

  static let invalidEmail = OrgMessage(
    "registration.error.invalidLoginEmail", "That is no e-mail address.",
    parameters: ["Email"])
  static let takenEmail = OrgMessage(
    "registration.error.notUniqueWithinOrg", "An account with this address exists.",
    parameters: ["Email"])
  static let mailToVerify = info(
    "idx.email.verification.required", "A mail has been sent. Follow its link to go on.")

  static let expiredActivation = OrgMessage(
    "idx.expired.activation.token", "The link of the activation mail is too old.")
  static let activationMailed = info(
    "idx.request.activation.email", "A new activation mail is on its way.")
  static let wrongUserCode = OrgMessage(
    "idx.invalid.device.code", "No device shows that code.")
  static let deviceActivated = info(
    "idx.device.activated", "The device may sign in. Go back to it.")
  static let safeMode = OrgMessage(
    "idx.error.server.safe.mode.enrollment.unavailable",
    "The org is being looked after. It goes on by itself.", kind: .warning)
  static let finishedElsewhere = info(
    "idx.transferred.to.new.tab", "The sign-in went on in another tab.")
  static let codeForOtherTab = info(
    "idx.enter.otp.in.original.tab", "Type this code where the sign-in began.")
  static let consentDenied = OrgMessage("access_denied", "The app was not allowed what it asks.")
  static let wrongCaptcha = OrgMessage(
    "simulated.captcha.wrong", "That is no token of the captcha.")
  static let noExtension = OrgMessage(
    "simulated.extension.missing", "The extension for single sign-on did not answer.")
  static let passwordElsewhere = OrgMessage(
    "simulated.password.elsewhere", "The password is changed on the page that the step names.")

  static let graceMessages = [
    OrgMessage(
      key: "idx.device_assurance.grace_period.warning.title.due_by_date",
      text: "This device lacks something. Mend it soon, or it will lose access.",
      parameters: ["2030-04-01T00:00:00.000Z"], kind: .warning),
    OrgMessage(
      key: "idx.error.code.access_denied.device_assurance.remediation.upgrade_os",
      text: "Update the operating system.",
      links: ["https://help.example.com/update"]),
    OrgMessage(
      key: "idx.error.code.access_denied.device_assurance.remediation.lock_screen",
      text: "Lock the screen with a code.",
      links: ["https://help.example.com/lock"]),
  ]

  static func patternMismatch(_ label: String) -> OrgMessage {
    OrgMessage(
      "registration.error.doesNotMatchPattern", "\(label) holds characters that it may not.",
      parameters: [label])
  }

  static func expiring(_ host: String) -> OrgMessage {
    OrgMessage(
      key: "idx.password.expiring.message", text: "The password expires soon. Change it now?",
      parameters: [host], kind: .info)
  }

  private static func info(_ key: IDXMessage.Key, _ text: String) -> OrgMessage {
    OrgMessage(key, text, kind: .info)
  }

  private init(
    _ key: IDXMessage.Key, _ text: String, parameters: [String] = [], kind: IDXMessage.Kind
  ) {
    self.init(key: key.rawValue, text: text, parameters: parameters, kind: kind)
  }
}
