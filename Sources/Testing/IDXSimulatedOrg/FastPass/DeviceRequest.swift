import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXTokenSigning

/// What an org asks Okta Verify on a device to sign, and whether it has.
struct DeviceRequest: Sendable {
  let id: String
  let nonce: String
  /// The JWT that the client passes on.
  let text: String
  /// The user whose device has signed; nil before that.
  var signer: OrgAccount.Key?
}

// Requests to Okta Verify, and its answers.
extension OrgCore {
  private static let path = "/idp/authenticators/"

  /// Makes the request when a step begins that waits for Okta Verify, and forgets it after that step.
  func updateDeviceRequest() {
    guard signIn.waitsForOktaVerify else {
      signIn.deviceRequest = nil
      return
    }
    guard signIn.deviceRequest == nil else { return }
    let (id, nonce) = (random.handle("ft", bytes: 15), random.handle("", bytes: 15))
    let verify =
      "\(settings.origin)\(Self.path)\(OrgSettings.id("aut", "okta_verify"))/transactions/\(id)/verify"
    let claims: JSONValue = [
      "iss": .string(settings.origin), "aud": .string(settings.origin),
      "iat": .number(.init(Int(now.timeIntervalSince1970))),
      "exp": .number(.init(Int(signIn.expiresAt.timeIntervalSince1970))), "jti": .string(id),
      "nonce": .string(nonce), "signals": [], "userVerificationRequirement": false,
      "verificationUri": .string(verify), "ver": 0,
    ]
    let key = keyring.current
    signIn.deviceRequest = DeviceRequest(
      id: id, nonce: nonce, text: UnsignedToken(claims, naming: key).signed(by: key))
  }

  /// Whether an address is that to which Okta Verify sends its answer.
  func isForOktaVerify(_ address: String) -> Bool { address.hasPrefix(settings.origin + Self.path) }

  /// Takes the answer of Okta Verify, a JWT that a device of a user has signed (`challengeResponse`).
  func verifyDevice(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let id = request.url.pathComponents.dropLast().last ?? ""
    guard request.method == "POST",
      let found = signIns.first(where: { $0.value.deviceRequest?.id == id }),
      now < found.value.expiresAt, let asked = found.value.deviceRequest
    else { throw .notFound }
    let response = (try? JSONValue(parsing: request.body))?["challengeResponse"]?.string
    guard let signed = response.flatMap({ KeyedToken($0, type: SimulatedOktaVerify.answerType) }),
      signed.isSignatureValid, let user = deviceKeys[signed.thumbprint],
      signed["aud"]?.string == settings.origin, signed["nonce"]?.string == asked.nonce,
      signed["tx"]?.string == id
    else { throw .api("E0000011", "The device is not known here.", status: 401) }
    signIns[found.key]?.deviceRequest?.signer = user
    if case .challenge(var challenge) = found.value.step {
      guard user == found.value.account else {
        throw .api("E0000011", "The device belongs to another user.", status: 401)
      }
      challenge.device.wait(for: .approved, at: now)
      signIns[found.key]?.step = .challenge(challenge)
    }
    return .json([:])
  }

  /// Signs in the user whose device has signed; nil if none has.
  func continueAfterDevice() -> StepResult? {
    guard let user = signIn.deviceRequest?.signer, accounts[user]?.exists == true else {
      return nil
    }
    signIn.account = user
    signIn.proved.addDevice()
    return advance()
  }
}

extension SignIn {
  /// Whether the client waits for Okta Verify on its device.
  fileprivate var waitsForOktaVerify: Bool {
    switch step {
    case .interstitial(.deviceChallenge): true
    case .challenge(let challenge): challenge.proof is FastPassProof
    default: false
    }
  }
}

/// A signature of a device, whose key Okta Verify has registered: the proof that a user has this device.
struct FastPassProof: Proof {
  let isBegun = true
  let isPolled = true
  let classicAnswer: [String] = []

  func begin(_ challenge: inout AuthenticatorChallenge, in org: OrgCore) throws(Rejection) {
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

  func verify(_ answer: inout ProofAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer.isApproval else { throw Rejection(.wrongCode) }
    return nil
  }
}
