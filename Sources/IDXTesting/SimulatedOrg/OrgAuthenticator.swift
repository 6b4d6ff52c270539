import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the org knows of one kind of authenticator: adding a kind is adding a conformer to ``all``.
protocol OrgAuthenticator: Sendable {
  var key: IDXAuthenticator.Key { get }
  var type: IDXAuthenticator.Kind { get }
  var displayName: String { get }
  /// Method types, in the order in which they are listed, with what a person calls them.
  var methods: [(label: String, value: String)] { get }
  /// How ids of its enrolments begin.
  var enrollmentPrefix: String { get }
  /// Whether a challenge is about an enrolment (`currentAuthenticatorEnrollment`) or not.
  var challengesEnrollment: Bool { get }
  /// Whether a user may have several, so that a choice must say which.
  var canBeEnrolledTwice: Bool { get }
  /// Whether what was sent can be sent again.
  var isResendable: Bool { get }
  /// Whether it can be answered elsewhere, so that the client polls.
  var isPollable: Bool { get }
  /// Whether a user can set it up; what an administrator issues cannot be.
  var canBeSetUp: Bool { get }
  /// Whether a choice points at the enrolment, or at the authenticator that the org offers.
  var isChosenByEnrollment: Bool { get }

  /// The fields beside the id with which it is chosen among others.
  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue]
  /// The same where the policy has a say; by default it has none.
  func choiceFields(for purpose: Ceremony.Purpose, rules: SignInPolicy.FactorRules) -> [JSONValue]
  /// The fields beside the id that must be filled in before it begins; nil where it may begin.
  ///
  /// `wasChosen` tells whether the user asked for it or the org came to it by itself.
  func missingData(for ceremony: Ceremony, wasChosen: Bool) -> [JSONValue]?
  /// The fields of the form that asks for them; by default those that are missing.
  func dataFields(for ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [JSONValue]?
  /// Whether the user is asked for consent although nothing is missing.
  func asksConsent(
    to ceremony: Ceremony, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool
  /// Fills in what the org knows without asking.
  func prepare(_ ceremony: inout Ceremony, for account: OrgAccount)
  /// Makes and sends what the ceremony needs; a rejection leaves the step as it was.
  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  /// The forms that come first, where they are others than the one that takes `credentials`.
  ///
  /// `isReady` tells whether the ceremony has begun or still lacks data.
  func forms(for ceremony: Ceremony, isReady: Bool, rules: SignInPolicy.FactorRules)
    -> [OrgStepForm]?
  /// The forms inside the authenticator.
  func actions(of ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [OrgStepForm]
  /// The field `credentials` of the form.
  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue
  /// Members that only it has: `contextualData`, `settings`.
  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  /// The profile of an enrolment, masked; nil where it has none.
  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue?
  /// Members that an enrolment has beside its profile.
  func enrollmentDetails(of detail: SimulatedUser.Enrollment.Detail)
    -> [(name: String, value: JSONValue)]
  /// Whether an approval elsewhere proves it; otherwise the ceremony has moved on to another form.
  func completes(_ ceremony: inout Ceremony) -> Bool
  /// What is wrong with an answer; nil where nothing is.
  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  /// Puts into the account what follows from an answer that was not accepted.
  func note(
    _ rejection: Rejection, credentials: JSONValue, in account: inout OrgAccount, at date: Date)
  /// Puts into the account what follows from an answer that was right, or from an approval
  /// elsewhere, which has no credentials.
  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date)
  /// What the person's own device shows or types, so many codes later; nil where it has no codes.
  ///
  /// `secret` is that of the enrolment, or of the set-up that is under way.
  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String?
}

/// Why an answer is not accepted, and where that is said.
struct Rejection: Sendable {
  let status: Int
  let message: OrgMessage
  /// The dotted path of the field; nil for the whole response.
  var field: String?
  /// Whether it brings the lock nearer.
  var isAttempt = true
}

extension OrgAuthenticator {
  var challengesEnrollment: Bool { true }
  var canBeEnrolledTwice: Bool { false }
  var isResendable: Bool { false }
  var isPollable: Bool { false }
  var canBeSetUp: Bool { true }
  var isChosenByEnrollment: Bool { true }
  var id: String { OrgSettings.id("aut", key.rawValue) }

  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue] {
    methods.prefix(1).map { OrgForm.fixed("methodType", $0.value, required: false) }
  }

  func choiceFields(for purpose: Ceremony.Purpose, rules: SignInPolicy.FactorRules) -> [JSONValue] {
    choiceFields(for: purpose)
  }

  func missingData(for ceremony: Ceremony, wasChosen: Bool) -> [JSONValue]? { nil }

  func dataFields(for ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [JSONValue]? {
    missingData(for: ceremony, wasChosen: false)
  }

  func asksConsent(
    to ceremony: Ceremony, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool { false }

  func prepare(_ ceremony: inout Ceremony, for account: OrgAccount) {}

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  { nil }

  func forms(for ceremony: Ceremony, isReady: Bool, rules: SignInPolicy.FactorRules)
    -> [OrgStepForm]?
  { nil }

  func actions(of ceremony: Ceremony, rules: SignInPolicy.FactorRules) -> [OrgStepForm] {
    (isResendable ? [OrgStepForm(.resend, "/challenge/resend")] : [])
      + (isPollable ? [OrgStepForm(.poll, "/challenge/poll", refresh: 4000)] : [])
  }

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    OrgForm.nested("credentials", [OrgForm.text("passcode", label: "Enter code")])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  { [] }

  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    nil
  }

  func enrollmentDetails(of detail: SimulatedUser.Enrollment.Detail)
    -> [(name: String, value: JSONValue)]
  { [] }

  func completes(_ ceremony: inout Ceremony) -> Bool { true }

  func note(
    _ rejection: Rejection, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {}

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? { nil }

  /// Whether a text is the code that was sent.
  func isSentCode(_ credentials: JSONValue, of ceremony: Ceremony) -> Bool {
    ceremony.code != nil && credentials["passcode"]?.string == ceremony.code
  }
}

/// The kinds that an org can have.
enum OrgAuthenticators {
  static let all: [any OrgAuthenticator] = [
    PasswordAuthenticator(), AppCodeAuthenticator(), EmailAuthenticator(), PhoneAuthenticator(),
    QuestionAuthenticator(), OktaVerifyAuthenticator(), CustomAppAuthenticator(),
    CustomCodeAuthenticator(), SymantecAuthenticator(), YubiKeyAuthenticator(),
    ServerTokenAuthenticator.rsa, ServerTokenAuthenticator.onPremises, AccessCodeAuthenticator(),
    NFCAuthenticator(), DuoAuthenticator(), WebAuthnAuthenticator(),
    IdentityProviderAuthenticator(),
  ]

  static subscript(key: IDXAuthenticator.Key) -> (any OrgAuthenticator)? {
    all.first { $0.key == key }
  }

  static func with(id: String) -> (any OrgAuthenticator)? { all.first { $0.id == id } }
}
