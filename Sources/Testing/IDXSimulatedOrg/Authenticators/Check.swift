import Foundation
import IDX
import IDXBase
import IDXOAuth

/// How an authenticator is verified; several can be verified in the same way.
protocol Check: Sendable {
  /// Whether the org must create or send something first.
  var isBegun: Bool { get }
  /// Whether the client polls until a device has answered.
  var isPolled: Bool { get }
  /// Whether an approval on a device or in a browser completes it.
  var isDoneByApproval: Bool { get }
  /// Whether it sends a link that the user can open to approve.
  var sendsLink: Bool { get }
  var classicAnswer: [String] { get }

  /// Whether the user must agree before it starts.
  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, _ policy: SignInPolicy
  ) -> Bool
  /// Creates and sends what the challenge needs; if it throws, the step does not change.
  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection)
  /// The forms of the step; nil if it is the form with `credentials`.
  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]?
  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field
  /// The authenticator's other members in the response: its data, settings and actions.
  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue
  /// Checks an answer and updates the account.
  ///
  /// Returns the details of a new enrollment.
  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail?
  /// The code that the user's device shows or types; `ahead` skips that many codes. `secret` is from the
  /// enrollment or the setup.
  func shownCode(
    _ challenge: AuthenticatorChallenge, _ secret: Secret?, ahead: Int,
    of account: inout OrgAccount, at now: Date
  ) -> String?
}

/// An answer to a challenge, and the account that it can change.
struct CheckAnswer {
  let challenge: AuthenticatorChallenge
  /// The values that were sent; nil if a device or a browser approved.
  let values: JSONValue?
  var account: OrgAccount
  let policy: SignInPolicy
  let now: Date

  var isApproval: Bool { values == nil }
  /// The details of the challenge's enrollment.
  var enrolled: SimulatedUser.Enrollment.Detail? {
    challenge.enrollment(of: account.user)?.detail
  }
  subscript(name: String) -> String? { values?[name]?.string }
}

/// Why an answer is not accepted.
struct Rejection: Error {
  let status: Int
  let message: Message
  /// The dotted path of the field with the problem; nil if the message is about the whole response.
  let field: String?
  /// Whether it counts as a wrong answer.
  let isAttempt: Bool

  init(_ message: Message, status: Int = 401, field: String? = nil, isAttempt: Bool = true) {
    self.status = status
    self.message = message
    self.field = field
    self.isAttempt = isAttempt
  }
}

extension Check {
  var isBegun: Bool { false }
  var isPolled: Bool { false }
  var isDoneByApproval: Bool { true }
  var sendsLink: Bool { false }
  var classicAnswer: [String] { ["passCode"] }

  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, _ policy: SignInPolicy
  ) -> Bool { false }
  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {}
  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]? { nil }
  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    Field("credentials", form: [.passcode(label: "Enter code")])
  }
  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue { [:] }
  func shownCode(
    _ challenge: AuthenticatorChallenge, _ secret: Secret?, ahead: Int,
    of account: inout OrgAccount, at now: Date
  ) -> String? { nil }
}

/// A code or a PIN that stays the same.
struct FixedCode: Check {
  let label: String
  let wrong: Message

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    Field("credentials", form: [.passcode(label: label, isSecret: true)])
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard let code = answer.enrolled?.secret?.revealed, code == answer["passcode"] else {
      throw Rejection(wrong, field: "credentials.passcode")
    }
    return nil
  }

  func shownCode(
    _ challenge: AuthenticatorChallenge, _ secret: Secret?, ahead: Int,
    of account: inout OrgAccount, at now: Date
  ) -> String? { secret?.revealed }
}

/// A signature that a frame in a web page creates, as with Duo; a person cannot type it.
struct FrameCheck: Check {
  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    challenge.code = org.random.handle("TX")
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let label = "Assertion from Duo"
    return Field(
      "credentials",
      form: [Field("signatureData", label: label, isRequired: true, isVisible: false)])
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    [
      "contextualData": [
        "integrationType": "IFRAME", "host": "duo.example",
        "signedToken": .string(challenge.code ?? ""), "script": "https://duo.example/duo.js",
      ]
    ]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard let signature = signature(answer.challenge), answer["signatureData"] == signature else {
      throw Rejection(.wrongDuoSignature)
    }
    return .device
  }

  func shownCode(
    _ challenge: AuthenticatorChallenge, _ secret: Secret?, ahead: Int,
    of account: inout OrgAccount, at now: Date
  ) -> String? { signature(challenge) }

  private func signature(_ challenge: AuthenticatorChallenge) -> String? {
    challenge.code.map { "AUTH|" + Base64URL.encode(HashFunction.sha256.hash(Array($0.utf8))) }
  }
}

/// A sign-in at an identity provider, in a browser.
struct RedirectCheck: Check {
  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]? {
    let page = document.page(
      .redirectIdP, type: "OIDC", id: OrgSettings.id("0oa", "factor"),
      label: challenge.authenticator.displayName, request: "factor")
    return [page.adding("relatesTo", [.string(document.reference(to: challenge))])]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer.isApproval else { throw Rejection(.notOffered) }
    return .device
  }
}
