import Foundation
import IDXBase

// Okta Verify: the address to which it sends its answers.
extension OrgEndpoint {
  static let oktaVerify: [OrgEndpoint] = [
    OrgEndpoint(
      "POST", at: .origin, "/idp/authenticators/*/transactions/*/verify", respond: verifyDevice)
  ]

  /// Takes the answer of Okta Verify, a JWT that a device of a user has signed (`challengeResponse`).
  private static let verifyDevice: Responder = { (request, org) throws(Refusal) in
    let id = request.http.url.pathComponents.dropLast().last ?? ""
    guard var signIn = org.unfinishedSignIns().first(where: { $0.deviceRequest?.id == id }),
      let asked = signIn.deviceRequest
    else { throw .notFound }
    let response = (try? JSONValue(parsing: request.http.body))?["challengeResponse"]?.string
    guard let signed = response.flatMap({ KeyedToken($0, type: SimulatedOrg.deviceAnswerType) }),
      signed.isSignatureValid, let user = org.deviceKeys[signed.thumbprint],
      signed["aud"]?.string == org.settings.origin, signed["nonce"]?.string == asked.nonce,
      signed["tx"]?.string == id
    else { throw .api("E0000011", "The device is not known here.", status: 401) }
    signIn.deviceRequest?.signer = user
    if case .challenge(var challenge) = signIn.step {
      guard user == signIn.accountKey else {
        throw .api("E0000011", "The device belongs to another user.", status: 401)
      }
      challenge.device.wait(for: .approved, at: org.now)
      signIn.step = .challenge(challenge)
    }
    org.save(signIn)
    return .json([:])
  }
}
