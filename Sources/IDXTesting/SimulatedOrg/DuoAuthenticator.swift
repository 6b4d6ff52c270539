import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Duo, inside a frame of a web page: what it signs there is what the form wants, and nothing that a
/// person could type.
struct DuoAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.duo
  let type: IDXAuthenticator.Kind = "app"
  let displayName = "Duo Security"
  let methods = [(label: "Duo", value: "duo")]
  let enrollmentPrefix = "dsf"

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    ceremony.code = org.random.handle("TX")
    return nil
  }

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    let signature = OrgForm.text("signatureData", label: "Assertion from Duo")
    return OrgForm.nested("credentials", [signature.adding("visible", false)])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    let data: JSONValue = [
      "integrationType": "IFRAME", "host": "duo.example",
      "signedToken": .string(ceremony.code ?? ""), "script": "https://duo.example/duo.js",
    ]
    return [("contextualData", data)]
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    if credentials["signatureData"]?.string == signature(in: ceremony) { return nil }
    return Rejection(status: 401, message: .wrongDuoSignature)
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if ceremony.purpose == .enroll { account.user.enrollments.append(.duo) }
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? { ceremony.map(signature) }

  private func signature(in ceremony: Ceremony) -> String {
    let hash = HashFunction.sha256.hash(Array((ceremony.code ?? "").utf8))
    return "AUTH|" + Base64URL.encode(hash)
  }
}
