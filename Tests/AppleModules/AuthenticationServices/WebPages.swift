// Pages in a browser sheet. Source: Apple's documentation of AuthenticationServices.
//
// The system may call the completion handler on any thread.

open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  // From iOS 17.4 and macOS 14.4 on: use it only where that is checked.
  public struct Callback: Sendable {
    public static func customScheme(_ customScheme: String) -> ASWebAuthenticationSession.Callback
    public static func https(host: String, path: String) -> ASWebAuthenticationSession.Callback
  }

  public init(
    url: URL, callback: ASWebAuthenticationSession.Callback,
    completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler)
  public init(
    url: URL, callbackURLScheme: String?,
    completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler)
  weak open var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  { get set }
  open var prefersEphemeralWebBrowserSession: Bool { get set }
  open func start() -> Bool
  open func cancel()
}

public struct ASWebAuthenticationSessionError: Error {
  public enum Code: Int, Sendable {
    case canceledLogin = 1
    case presentationContextNotProvided = 2
    case presentationContextInvalid = 3
  }

  public var code: Code { get }
}

#if os(iOS)
  @MainActor
#endif
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}
