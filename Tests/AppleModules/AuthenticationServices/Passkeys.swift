// Passkeys. Source: Apple's documentation of AuthenticationServices.
//
// The optional requirements of protocols are required here, so that a method with a wrong signature is an
// error, not an ignored method. Newer SDKs isolate the dialog to the main actor, older ones do not. Both must
// work, so it is isolated here on iOS only.

@_exported public import AppleFoundation

#if os(macOS)
  public import AppKit

  public typealias ASPresentationAnchor = NSWindow
#else
  public import UIKit

  public typealias ASPresentationAnchor = UIWindow
#endif

// MARK: - Requests

open class ASAuthorizationRequest: NSObject {}

public protocol ASAuthorizationProvider: NSObjectProtocol {}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable,
  Hashable, Sendable
{
  public let rawValue: String
  public init(rawValue: String)
  public init(_ rawValue: String)
  public static let discouraged: ASAuthorizationPublicKeyCredentialUserVerificationPreference
  public static let preferred: ASAuthorizationPublicKeyCredentialUserVerificationPreference
  public static let required: ASAuthorizationPublicKeyCredentialUserVerificationPreference
}

public struct ASAuthorizationPublicKeyCredentialAttestationKind: RawRepresentable, Hashable,
  Sendable
{
  public let rawValue: String
  public init(rawValue: String)
  public static let direct: ASAuthorizationPublicKeyCredentialAttestationKind
  public static let none: ASAuthorizationPublicKeyCredentialAttestationKind
}

open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
  public init(relyingPartyIdentifier: String)
  open func createCredentialRegistrationRequest(
    challenge: Data, name: String, userID: Data
  ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
  open func createCredentialAssertionRequest(
    challenge: Data
  ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest
}

open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
  open var challenge: Data { get set }
  open var name: String { get set }
  open var userID: Data { get set }
  open var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
  { get set }
  open var attestationPreference: ASAuthorizationPublicKeyCredentialAttestationKind { get set }
}

open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
  open var challenge: Data { get set }
  open var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] { get set }
  open var userVerificationPreference: ASAuthorizationPublicKeyCredentialUserVerificationPreference
  { get set }
}

open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
  public init(credentialID: Data)
  open var credentialID: Data { get set }
}

// MARK: - Answers

public protocol ASAuthorizationCredential: NSObjectProtocol {}

public protocol ASPublicKeyCredential: ASAuthorizationCredential {
  var rawClientDataJSON: Data { get }
  var credentialID: Data { get }
}

public protocol ASAuthorizationPublicKeyCredentialRegistration: ASPublicKeyCredential {
  var rawAttestationObject: Data? { get }
}

public protocol ASAuthorizationPublicKeyCredentialAssertion: ASPublicKeyCredential {
  var rawAuthenticatorData: Data! { get }
  var userID: Data! { get }
  var signature: Data! { get }
}

open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject,
  ASAuthorizationPublicKeyCredentialRegistration
{
  open var rawAttestationObject: Data? { get }
  open var rawClientDataJSON: Data { get }
  open var credentialID: Data { get }
}

open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject,
  ASAuthorizationPublicKeyCredentialAssertion
{
  open var rawAuthenticatorData: Data! { get }
  open var userID: Data! { get }
  open var signature: Data! { get }
  open var rawClientDataJSON: Data { get }
  open var credentialID: Data { get }
}

open class ASAuthorization: NSObject {
  open var provider: any ASAuthorizationProvider { get }
  open var credential: any ASAuthorizationCredential { get }
}

public struct ASAuthorizationError: Error {
  public enum Code: Int, Sendable {
    case unknown = 1000
    case canceled = 1001
    case invalidResponse = 1002
    case notHandled = 1003
    case failed = 1004
    case notInteractive = 1005
  }

  public var code: Code { get }
}

// MARK: - The system's dialog

#if os(iOS)
  @MainActor
#endif
open class ASAuthorizationController: NSObject {
  public struct RequestOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt)
    public static var preferImmediatelyAvailableCredentials:
      ASAuthorizationController.RequestOptions
    { get }
  }

  public init(authorizationRequests: [ASAuthorizationRequest])
  weak open var delegate: (any ASAuthorizationControllerDelegate)? { get set }
  weak open var presentationContextProvider:
    (any ASAuthorizationControllerPresentationContextProviding)?
  { get set }
  open func performRequests()
  open func performRequests(options: ASAuthorizationController.RequestOptions)
  #if os(iOS)
    open func performAutoFillAssistedRequests()
  #endif
  open func cancel()
}

#if os(iOS)
  @MainActor
#endif
public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
  func authorizationController(
    controller: ASAuthorizationController,
    didCompleteWithAuthorization authorization: ASAuthorization)
  func authorizationController(
    controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

#if os(iOS)
  @MainActor
#endif
public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(
    for controller: ASAuthorizationController
  ) -> ASPresentationAnchor
}
