import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signing in at another place as a factor: a page for a browser, which nothing here answers.
struct IdentityProviderAuthenticator: OrgAuthenticator {
  static let name = "Company sign-in"

  let key = IDXAuthenticator.Key.externalIdentityProvider
  let type: IDXAuthenticator.Kind = "federated"
  let displayName = Self.name
  let methods = [(label: "Sign in elsewhere", value: "idp")]
  let enrollmentPrefix = "fed"

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  { Rejection(status: 401, message: .stepNotOffered) }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if ceremony.purpose == .enroll { account.user.enrollments.append(.identityProvider) }
  }
}

extension SimulatedUser.Enrollment {
  /// An account at an identity provider, which serves as a factor (`external_idp`).
  public static let identityProvider = SimulatedUser.Enrollment(
    authenticator: .externalIdentityProvider, detail: .address)
}
