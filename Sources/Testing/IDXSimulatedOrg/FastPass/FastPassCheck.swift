import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXTokenSigning

extension SignIn {
  /// Makes the request when a step begins that waits for Okta Verify, and forgets it after that step.
  mutating func updateDeviceRequest(in org: inout OrgState) {
    guard waitsForOktaVerify else {
      deviceRequest = nil
      return
    }
    guard deviceRequest == nil else { return }
    let (id, nonce) = (org.random.handle("ft", bytes: 15), org.random.handle("", bytes: 15))
    let origin = org.settings.origin
    let authenticator = OrgSettings.id("aut", "okta_verify")
    let claims: JSONValue = [
      "iss": .string(origin), "aud": .string(origin),
      "iat": .number(.init(Int(org.now.timeIntervalSince1970))),
      "exp": .number(.init(Int(expiresAt.timeIntervalSince1970))), "jti": .string(id),
      "nonce": .string(nonce), "signals": [], "userVerificationRequirement": false,
      "verificationUri": .string(
        "\(origin)/idp/authenticators/\(authenticator)/transactions/\(id)/verify"), "ver": 0,
    ]
    let key = org.tokens.keys.current
    deviceRequest = DeviceRequest(
      id: id, nonce: nonce, text: UnsignedToken(claims, naming: key).signed(by: key))
  }

  /// Signs in the user whose device has signed; nil if none has.
  mutating func continueAfterDevice(in org: inout OrgState) -> StepResult? {
    guard let user = deviceRequest?.signer, org.known(user) != nil else { return nil }
    accountKey = user
    verified.addDevice()
    return advance(in: &org)
  }

  /// Whether the client waits for Okta Verify on its device.
  private var waitsForOktaVerify: Bool {
    switch step {
    case .interstitial(.deviceChallenge): true
    case .challenge(let challenge): challenge.check is FastPassCheck
    default: false
    }
  }
}

/// A signature of a device, whose key Okta Verify has registered: it shows that a user has this device.
struct FastPassCheck: Check {
  let isBegun = true
  let isPolled = true
  let classicAnswer: [String] = []

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    challenge.device.stage = .waiting(next: nil)
  }

  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]? {
    guard document.isBegun else { return nil }
    return [
      document.form(
        .challengePoll, "/authenticators/poll", relatesTo: document.reference(to: challenge),
        refresh: .seconds(2))
    ]
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    let challenge = AccountPolicy.InterstitialStep.DeviceMethod.loopback.challenge(in: document)
    return [
      "cancel": document.form(.cancelPolling, "/authenticators/poll/cancel").json,
      "contextualData": ["challenge": .single(challenge)],
    ]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer.isApproval else { throw Rejection(.wrongCode) }
    return nil
  }
}
