import IDX
import IDXBase

// Short names for the parts of responses.
typealias Field = Remediation.Field.Draft
typealias Form = Remediation.Draft
typealias Message = IDXMessage.Draft

extension Field {
  /// A password, a code or a PIN; like in real responses, nothing says that it is required.
  static func passcode(label: String, isSecret: Bool = false) -> Field {
    Field("passcode", label: label, isSecret: isSecret).without("required")
  }
}

extension JSONValue {
  init(_ number: Int) { self = .number(Number(number)) }

  /// An object with those members that have a value.
  static func present(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(Object(members.compactMap { name, value in value.map { .init(name, $0) } }))
  }
}

// The org's messages. The keys are those of real servers; the texts are our own. Keys that start with
// "simulated" do not exist on real servers: a client that gets one has a bug.
extension Message {
  // MARK: Signing in

  static let authenticationFailed = error(
    .authenticationFailed, "Sign-in failed. Check your username and password.")
  static let sessionExpired = error(
    .sessionExpired, "This sign-in has ended or expired. Start again.")
  static let tooManyAttempts = error(
    .tooManyRequestsForOperation, "There were too many wrong answers. The account is locked.")
  static let notAssigned = error(
    "idx.error.code.user_not_assigned", "This user is not assigned to this app.")
  static let noMatchingPolicy = error(
    "idx.error.code.no_matching_policy", "No policy allows this user to use this app.")
  static let accessDenied = error(
    "security.access_denied", "Access is denied. Contact your administrator.")

  // MARK: Answers

  static let incorrectPassword = error(.incorrectPassword, "The password is wrong.")
  static let weakPassword = error(
    "password.passwordRequirementsNotMet", "The new password does not follow the rules.")
  static let passwordElsewhere = error(
    "simulated.password.elsewhere", "Change the password on the page of this step.")
  static let wrongCode = error(.passcodeInvalid, "The code is wrong.")
  static let wrongAppCode = error(.softTokenInvalid, "The code is wrong or has expired.")
  static let usedAppCode = error(.softTokenUsed, "This code was used. Wait for the next one.")
  static let nextCode = error(
    .nextCodeNeeded, "The code is correct. Wait for the next code and enter it.")
  static let wrongAnswer = error(
    "authfactor.challenge.question_factor.answer_invalid", "The answer is wrong.")
  static let shortAnswer = error(
    "securityQuestion.answer.tooShort.arg", "The answer must have at least 4 characters.", ["4"])
  static let invalidPhone = error(
    "api.factors.error.sms.invalid_phone",
    "This is not a phone number. Enter it with + and the country code.")
  static let invalidAddress = error("errors.E0000001", "This is not an email address.")
  static let pushRejected = error(
    "api.authn.poll.error.push_rejected", "The push was rejected on the phone.")
  static let pushTimedOut = error(
    "api.authn.poll.error.push_timeout", "The push timed out.")
  static let wrongPIN = error("api.authenticator.error.nfc.pin_incorrect", "The PIN is wrong.")
  static let weakPIN = error(
    .passcodeInvalid, "The PIN must have only digits, and the required length.")
  static let wrongDuoSignature = error(
    "oie.authenticator.duo.method.duo.verification_failed", "The signature is not from Duo.")
  static func refusedPasskey(_ words: String) -> Self {
    error(
      "authfactor.webauthn.error.assertion_validation_failure",
      "The passkey was refused: \(words).")
  }

  // MARK: Accounts

  static let unknownUser = info("idx.unknown.user", "There is no account with this username.")
  static let recoveryNotAllowed = error(
    "oie.selfservice.reset.password.not.allowed", "You cannot reset this password here.")
  static let recovered = info(
    "idx.recovery.completed", "The password has been reset. Sign in with the new one.")
  static let unlockNotAllowed = error(
    "oie.selfservice.user.unlock.not.allowed", "You cannot unlock this account here.")
  static let unlocked = info(
    "oie.selfservice.unlock_user.success.message", "The account is unlocked. Sign in again.")
  static let unlockedLanding = info(
    "oie.selfservice.unlock_user.landing.to.app.success.message",
    "The account is unlocked. Continue to sign in.")
  static let invalidEmail = error(
    "registration.error.invalidLoginEmail", "This is not an email address.", ["Email"])
  static let takenEmail = error(
    "registration.error.notUniqueWithinOrg", "This address already has an account.", ["Email"])
  static let mailToVerify = info(
    "idx.email.verification.required", "An email was sent. Open its link to continue.")
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
    "idx.expired.activation.token", "The link in the activation email has expired.")
  static let activationMailed = info(
    "idx.request.activation.email", "A new activation email was sent.")
  static let wrongUserCode = error("idx.invalid.device.code", "The activation code is wrong.")
  static let deviceActivated = info(
    "idx.device.activated", "The device is activated. Go back to it.")
  static let safeMode = Self(
    "Okta is under maintenance.", key: "idx.error.server.safe.mode.enrollment.unavailable",
    kind: .warning, parameters: [])
  static let finishedElsewhere = info(
    "idx.transferred.to.new.tab", "The sign-in continued in another tab.")
  static let codeForOtherTab = info(
    "idx.enter.otp.in.original.tab", "Enter this code in the tab where you started to sign in.")
  static let consentDenied = error("access_denied", "You did not allow access to the app.")
  static let wrongCaptcha = error("simulated.captcha.wrong", "The captcha token is wrong.")
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
      links: [["url": "https://help.example.com/update"]]),
    Self(
      "Set a code for the screen lock.",
      key: "idx.error.code.access_denied.device_assurance.remediation.lock_screen", parameters: [],
      links: [["url": "https://help.example.com/lock", "label": "How to lock the screen"]]),
  ]

  // MARK: Requests

  static let bodyNotJSON = error("simulated.body.notJSON", "The body is not a JSON object.")
  static let notOffered = error(
    "simulated.request.notOffered", "The last response does not offer this request.")
  /// The message about an answer to a challenge before the username; real orgs have no key for it.
  static let answerTooEarly = Self("Expected: IDENTIFY, Attempted: AUTHENTICATE")
  static let handleNotAlone = error(
    "simulated.introspect.handle",
    "The body must have one handle: interactionHandle, stateHandle or stateToken.")
  /// The message about a password in a form that asks for the username alone; real orgs have no key for it.
  static let credentialsTooEarly = Self("This form takes no credentials.")
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
