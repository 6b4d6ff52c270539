// Security keys. Source: Apple's documentation of AuthenticationServices.

open class ASAuthorizationSecurityKeyPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider
{
  public init(relyingPartyIdentifier: String)
  open func createCredentialRegistrationRequest(
    challenge: Data, displayName: String, name: String, userID: Data
  ) -> ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest
  open func createCredentialAssertionRequest(
    challenge: Data
  ) -> ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest
}

open class ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest
{
  open var challenge: Data { get set }
  open var displayName: String { get set }
  open var name: String { get set }
  open var userID: Data { get set }
  open var credentialParameters: [ASAuthorizationPublicKeyCredentialParameters] { get set }
  open var excludedCredentials: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] {
    get set
  }
  open var residentKeyPreference: ASAuthorizationPublicKeyCredentialResidentKeyPreference
  { get set }
  open var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
  { get set }
  open var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind { get set }
}

open class ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
  open var challenge: Data { get set }
  open var allowedCredentials: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] { get set }
  open var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
  { get set }
}

open class ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor: NSObject {
  public struct Transport: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String)
    public static let usb: ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport
    public static let nfc: ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport
    public static let bluetooth: ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport
    public static var allSupported:
      [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport]
    { get }
  }

  public init(
    credentialID: Data,
    transports: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport])
}

open class ASAuthorizationPublicKeyCredentialParameters: NSObject {
  public init(algorithm: ASCOSEAlgorithmIdentifier)
}

public struct ASCOSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int)
  public static let ES256: ASCOSEAlgorithmIdentifier
}

public struct ASAuthorizationPublicKeyCredentialResidentKeyPreference: RawRepresentable, Hashable,
  Sendable
{
  public let rawValue: String
  public init(rawValue: String)
  public static let discouraged: ASAuthorizationPublicKeyCredentialResidentKeyPreference
  public static let preferred: ASAuthorizationPublicKeyCredentialResidentKeyPreference
  public static let required: ASAuthorizationPublicKeyCredentialResidentKeyPreference
}

open class ASAuthorizationSecurityKeyPublicKeyCredentialRegistration: NSObject,
  ASAuthorizationPublicKeyCredentialRegistration
{
  open var rawAttestationObject: Data? { get }
  open var rawClientDataJSON: Data { get }
  open var credentialID: Data { get }
}

open class ASAuthorizationSecurityKeyPublicKeyCredentialAssertion: NSObject,
  ASAuthorizationPublicKeyCredentialAssertion
{
  open var rawAuthenticatorData: Data! { get }
  open var userID: Data! { get }
  open var signature: Data! { get }
  open var rawClientDataJSON: Data { get }
  open var credentialID: Data { get }
}
