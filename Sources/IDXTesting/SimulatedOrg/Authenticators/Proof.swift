import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a user gives to prove who they are: a kind of authenticator, whatever it is called.
protocol Proof: Sendable {
  /// Whether something is made or sent before it can be given.
  var isBegun: Bool { get }
  /// Whether the client polls until a device has answered.
  var isPolled: Bool { get }
  /// Whether an approval on a device or in a browser is all that is needed.
  var isDoneByApproval: Bool { get }
  /// Whether it sends a link with which the user can approve.
  var sendsLink: Bool { get }
  /// What the classic API calls the parts of the answer.
  var classicAnswer: [String] { get }

  /// Whether the user must agree before it begins.
  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool
  /// Makes and sends what the challenge needs; if it throws, the step stays as it is.
  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection)
  /// The forms of the step, if they are not the one that takes `credentials`.
  ///
  /// `isReady` tells whether the challenge has begun, or needs input first.
  func forms(
    for challenge: AuthenticatorChallenge, isReady: Bool, in document: OrgDocument
  ) -> [Remediation.Draft]?
  /// The field `credentials` of the form.
  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft
  /// The authenticator's other members in the response: its data, settings and actions.
  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue
  /// Checks an answer, and changes the account as the answer requires; nil if a device or a browser
  /// has approved.
  ///
  /// Returns what a set-up adds to the user.
  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail?
  /// The code that the user's device shows or types, so many codes ahead.
  ///
  /// `secret` is that of the enrollment, or of the set-up.
  func shownCode(
    ahead: Int, secret: Secret?, challenge: AuthenticatorChallenge, of account: inout OrgAccount,
    at date: Date
  ) -> String?
}

/// Why an answer is not accepted.
struct Rejection: Error {
  let status: Int
  let message: IDXMessage.Draft
  /// The dotted path of the field with the problem; nil if the message is about the whole response.
  var field: String?
  /// Whether it counts as a wrong answer.
  var isAttempt = true

  init(
    _ message: IDXMessage.Draft, status: Int = 401, field: String? = nil, isAttempt: Bool = true
  ) {
    self.status = status
    self.message = message
    self.field = field
    self.isAttempt = isAttempt
  }
}

extension Proof {
  var isBegun: Bool { false }
  var isPolled: Bool { false }
  var isDoneByApproval: Bool { true }
  var sendsLink: Bool { false }
  var classicAnswer: [String] { ["passCode"] }

  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool { false }

  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {}

  func forms(
    for challenge: AuthenticatorChallenge, isReady: Bool, in document: OrgDocument
  ) -> [Remediation.Draft]? { nil }

  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft {
    .init("credentials", form: [.init("passcode", label: "Enter code", isRequired: true)])
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue { [:] }

  func shownCode(
    ahead: Int, secret: Secret?, challenge: AuthenticatorChallenge, of account: inout OrgAccount,
    at date: Date
  ) -> String? { nil }
}

/// A code or a PIN that stays the same.
struct FixedCode: Proof {
  let label: String
  let wrong: IDXMessage.Draft

  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft {
    .init("credentials", form: [.init("passcode", label: label, isRequired: true, isSecret: true)])
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let code = challenge.enrollment(of: account.user)?.detail.secret?.revealed
    guard let code, code == answer?["passcode"]?.string else {
      throw Rejection(wrong, field: "credentials.passcode")
    }
    return nil
  }

  func shownCode(
    ahead: Int, secret: Secret?, challenge: AuthenticatorChallenge, of account: inout OrgAccount,
    at date: Date
  ) -> String? { secret?.revealed }
}

/// A signature that is made in a frame of a web page, as Duo does: nobody can type it.
struct FrameProof: Proof {
  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {
    challenge.code = org.random.handle("TX")
  }

  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft {
    let signature = Remediation.Field.Draft(
      "signatureData", label: "Assertion from Duo", isRequired: true, isVisible: false)
    return .init("credentials", form: [signature])
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    [
      "contextualData": [
        "integrationType": "IFRAME", "host": "duo.example",
        "signedToken": .string(challenge.code ?? ""), "script": "https://duo.example/duo.js",
      ]
    ]
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard let signature = signature(of: challenge), answer?["signatureData"]?.string == signature
    else {
      throw Rejection(.wrongDuoSignature)
    }
    return .device
  }

  func shownCode(
    ahead: Int, secret: Secret?, challenge: AuthenticatorChallenge, of account: inout OrgAccount,
    at date: Date
  ) -> String? { signature(of: challenge) }

  private func signature(of challenge: AuthenticatorChallenge) -> String? {
    challenge.code.map { "AUTH|" + Base64URL.encode(HashFunction.sha256.hash(Array($0.utf8))) }
  }
}

/// A sign-in at an identity provider, in a browser.
struct RedirectProof: Proof {
  func forms(
    for challenge: AuthenticatorChallenge, isReady: Bool, in document: OrgDocument
  ) -> [Remediation.Draft]? {
    let page = document.page(
      .redirectIdP, type: "OIDC", id: OrgSettings.id("0oa", "factor"),
      label: challenge.authenticator.displayName, request: "factor")
    return [page.adding("relatesTo", [.string(document.reference(to: challenge))])]
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer == nil else { throw Rejection(.notOffered) }
    return .device
  }
}
