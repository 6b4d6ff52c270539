import IDX
import IDXBase

// Short names for the parts of responses.
typealias Field = Remediation.Field.Draft
typealias Form = Remediation.Draft
typealias Message = IDXMessage.Draft

extension JSONValue {
  init(_ number: Int) { self = .number(Number(number)) }

  /// An object with those members that have a value.
  static func present(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(Object(members.compactMap { name, value in value.map { .init(name, $0) } }))
  }
}

// What the org says. The keys are those of real servers, the wording is our own. Keys that begin with
// "simulated" belong to requests that no real server answers so clearly: a client that gets one has a
// bug.
extension Message {
  // MARK: Signing in

  static let authenticationFailed = error(
    .authenticationFailed, "These credentials do not sign anyone in.")
  static let sessionExpired = error(
    .sessionExpired, "This sign-in has ended or taken too long. Start again.")
  static let tooManyAttempts = error(
    .tooManyRequestsForOperation, "The answer was wrong too often. The account is locked.")
  static let notAssigned = error(
    "idx.error.code.user_not_assigned", "This user is not assigned to this app.")
  static let accessDenied = error(
    "security.access_denied", "Access is denied. Ask an administrator.")

  // MARK: Answers

  static let incorrectPassword = error(.incorrectPassword, "That is not the password.")
  static let weakPassword = error(
    "password.passwordRequirementsNotMet", "The new password does not follow the rules.")
  static let passwordElsewhere = error(
    "simulated.password.elsewhere", "The password is changed on the page that the step names.")
  static let wrongCode = error(.passcodeInvalid, "That is not the code.")
  static let wrongAppCode = error(.softTokenInvalid, "The app does not show that code now.")
  static let usedAppCode = error(.softTokenUsed, "That code has been used. Wait for the next one.")
  static let nextCode = error(
    .nextCodeNeeded, "That code is right. Wait for the next one, and type it.")
  static let wrongAnswer = error(
    "authfactor.challenge.question_factor.answer_invalid", "That is not the answer.")
  static let shortAnswer = error(
    "securityQuestion.answer.tooShort.arg", "An answer has 4 characters or more.", ["4"])
  static let invalidPhone = error(
    "api.factors.error.sms.invalid_phone",
    "That is not a telephone number. Write it with + and the country code.")
  static let invalidAddress = error("errors.E0000001", "That is not an e-mail address.")
  static let pushRejected = error(
    "api.authn.poll.error.push_rejected", "The push was rejected on the phone.")
  static let pushTimedOut = error(
    "api.authn.poll.error.push_timeout", "Nobody answered the push in time.")
  static let wrongPIN = error("api.authenticator.error.nfc.pin_incorrect", "That is not the PIN.")
  static let weakPIN = error(
    .passcodeInvalid, "A PIN has digits only, as many as the organization wants.")
  static let wrongDuoSignature = error(
    "oie.authenticator.duo.method.duo.verification_failed", "Duo has not signed that.")
  static func refusedPasskey(_ words: String) -> Self {
    error(
      "authfactor.webauthn.error.assertion_validation_failure",
      "The passkey's answer is refused: \(words).")
  }

  // MARK: Accounts

  static let unknownUser = info("idx.unknown.user", "Nobody here has that user name.")
  static let recoveryNotAllowed = error(
    "oie.selfservice.reset.password.not.allowed", "This password cannot be reset here.")
  static let recovered = info(
    "idx.recovery.completed", "The password has been reset. Sign in with the new one.")
  static let unlockNotAllowed = error(
    "oie.selfservice.user.unlock.not.allowed", "This account cannot be unlocked here.")
  static let unlocked = info(
    "oie.selfservice.unlock_user.success.message", "The account is unlocked. Sign in again.")
  static let unlockedLanding = info(
    "oie.selfservice.unlock_user.landing.to.app.success.message",
    "The account is unlocked. One more step signs you in.")
  static let invalidEmail = error(
    "registration.error.invalidLoginEmail", "That is not an e-mail address.", ["Email"])
  static let takenEmail = error(
    "registration.error.notUniqueWithinOrg", "There is an account with this address.", ["Email"])
  static let mailToVerify = info(
    "idx.email.verification.required", "A mail has been sent. Follow its link to continue.")
  static func patternMismatch(_ label: String) -> Self {
    error(
      "registration.error.doesNotMatchPattern",
      "\(label) has characters that are not allowed, or too many.", [label])
  }
  static func expiring(_ host: String) -> Self {
    info("idx.password.expiring.message", "The password expires soon. Change it now?", [host])
  }

  // MARK: Interstitial steps

  static let expiredActivation = error(
    "idx.expired.activation.token", "The link of the activation mail has expired.")
  static let activationMailed = info(
    "idx.request.activation.email", "A new activation mail has been sent.")
  static let wrongUserCode = error("idx.invalid.device.code", "No device shows that code.")
  static let deviceActivated = info(
    "idx.device.activated", "The device can sign in. Go back to it.")
  static let safeMode = Self(
    "Okta is under maintenance.", key: "idx.error.server.safe.mode.enrollment.unavailable",
    kind: .warning, parameters: [])
  static let finishedElsewhere = info(
    "idx.transferred.to.new.tab", "The sign-in continued in another tab.")
  static let codeForOtherTab = info(
    "idx.enter.otp.in.original.tab", "Type this code where the sign-in began.")
  static let consentDenied = error("access_denied", "The app did not get what it asked for.")
  static let wrongCaptcha = error("simulated.captcha.wrong", "That is not a token of the captcha.")
  static let noExtension = error(
    "simulated.extension.missing", "The extension for single sign-on did not answer.")
  static let gracePeriod = [
    Self(
      "This device does not meet all requirements. Fix it soon, or it will lose access.",
      key: "idx.device_assurance.grace_period.warning.title.due_by_date", kind: .warning,
      parameters: ["2030-04-01T00:00:00.000Z"]),
    Self(
      "Update the operating system.",
      key: "idx.error.code.access_denied.device_assurance.remediation.upgrade_os", parameters: [],
      links: ["https://help.example.com/update"]),
    Self(
      "Lock the screen with a code.",
      key: "idx.error.code.access_denied.device_assurance.remediation.lock_screen", parameters: [],
      links: ["https://help.example.com/lock"]),
  ]

  // MARK: Requests

  static let bodyNotJSON = error("simulated.body.notJSON", "The body is not a JSON object.")
  static let notOffered = error(
    "simulated.request.notOffered", "The last response offers no such request.")
  static let handleNotAlone = error(
    "simulated.introspect.handle",
    "The body must have one handle: interactionHandle, stateHandle or stateToken.")
  static func missing(_ path: String) -> Self {
    error("api.error.field_required", "The field \(path) is required.", [path])
  }

  static func error(_ key: IDXMessage.Key, _ text: String, _ parameters: [String] = []) -> Self {
    Self(text, key: key, kind: .error, parameters: parameters)
  }

  private static func info(
    _ key: IDXMessage.Key, _ text: String, _ parameters: [String] = []
  ) -> Self {
    Self(text, key: key, kind: .info, parameters: parameters)
  }
}
