import IDX

// The keys are the server's, the wording is ours. Keys that begin with "simulated" are for requests
// that no server answers so clearly: a client that meets one of them has a bug.
extension OrgMessage {
  static let authenticationFailed = OrgMessage(
    .authenticationFailed, "These credentials do not sign anyone in.")
  static let incorrectPassword = OrgMessage(.incorrectPassword, "That is not the password.")
  static let wrongCode = OrgMessage(.passcodeInvalid, "That is not the code.")
  static let wrongAppCode = OrgMessage(.softTokenInvalid, "The app does not show that code now.")
  static let usedAppCode = OrgMessage(
    .softTokenUsed, "That code has been used. Wait for the next one.")
  static let wrongAnswer = OrgMessage(
    "authfactor.challenge.question_factor.answer_invalid", "That is not the answer.")
  static let shortAnswer = OrgMessage(
    "securityQuestion.answer.tooShort.arg", "An answer has 4 characters or more.",
    parameters: ["4"])
  static let invalidPhone = OrgMessage(
    "api.factors.error.sms.invalid_phone",
    "That is no telephone number. Write it with + and the country code.")
  static let weakPassword = OrgMessage(
    "password.passwordRequirementsNotMet", "The new password does not follow the rules.")
  static let invalidAddress = OrgMessage("errors.E0000001", "That is no e-mail address.")
  static let pushRejected = OrgMessage(
    "api.authn.poll.error.push_rejected", "The push was rejected on the phone.")
  static let pushTimedOut = OrgMessage(
    "api.authn.poll.error.push_timeout", "Nobody answered the push in time.")
  static let nextCode = OrgMessage(
    "errors.E0000113", "That code is right. Wait for the next one, and type it.")
  static let wrongPIN = OrgMessage(
    "api.authenticator.error.nfc.pin_incorrect", "That is not the PIN.")
  static let weakPIN = OrgMessage(
    .passcodeInvalid, "A PIN is made of digits, as many as the org says.")
  static let wrongDuoSignature = OrgMessage(
    "oie.authenticator.duo.method.duo.verification_failed", "Duo has not signed that.")
  static let sessionExpired = OrgMessage(
    .sessionExpired, "This sign-in has ended or taken too long. Begin anew.")
  static let tooManyAttempts = OrgMessage(
    .tooManyRequestsForOperation, "That was wrong too often. The account is locked.")
  static let notAssigned = OrgMessage(
    "idx.error.code.user_not_assigned", "This user may not use this app.")
  static let accessDenied = OrgMessage(
    "security.access_denied", "Access is denied. Ask an administrator.")

  static let bodyNotJSON = OrgMessage("simulated.body.notJSON", "The body is not a JSON object.")
  static let stepNotOffered = OrgMessage(
    "simulated.request.notOffered", "The response before offers no such request.")
  static let handleNotAlone = OrgMessage(
    "simulated.introspect.handle",
    "The body must hold one handle: interactionHandle, stateHandle or stateToken.")

  static func missing(_ path: String) -> OrgMessage {
    OrgMessage("api.error.field_required", "The field \(path) is required.", parameters: [path])
  }

  init(_ key: IDXMessage.Key, _ text: String, parameters: [String] = []) {
    self.init(key: key.rawValue, text: text, parameters: parameters)
  }
}
