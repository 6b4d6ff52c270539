// Saved passwords, and accounts of Apple. Source: Apple's documentation of AuthenticationServices.

open class ASAuthorizationPasswordProvider: NSObject, ASAuthorizationProvider {
  public override init()
  open func createRequest() -> ASAuthorizationPasswordRequest
}

open class ASAuthorizationPasswordRequest: ASAuthorizationRequest {}

open class ASPasswordCredential: NSObject, ASAuthorizationCredential {
  open var user: String { get }
  open var password: String { get }
}

open class ASAuthorizationAppleIDProvider: NSObject, ASAuthorizationProvider {
  public enum CredentialState: Int, Sendable {
    case revoked = 0
    case authorized = 1
    case notFound = 2
    case transferred = 3
  }

  public override init()
  open func createRequest() -> ASAuthorizationAppleIDRequest
  open func credentialState(
    forUserID userID: String
  ) async throws -> ASAuthorizationAppleIDProvider.CredentialState
}

open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
  open var requestedScopes: [ASAuthorization.Scope]? { get set }
}

open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}

open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
  open var user: String { get }
  // Also the name of the person, of a type that Foundation on Linux lacks.
  open var fullName: PersonNameComponents? { get }
  open var email: String? { get }
  open var identityToken: Data? { get }
  open var authorizationCode: Data? { get }
}

extension ASAuthorization {
  public struct Scope: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String)
    public static let email: ASAuthorization.Scope
    public static let fullName: ASAuthorization.Scope
  }
}
