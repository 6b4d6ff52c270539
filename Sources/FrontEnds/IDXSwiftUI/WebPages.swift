#if canImport(SwiftUI) && canImport(AuthenticationServices)
  public import AuthenticationServices

  #if os(macOS)
    public import AppKit
  #else
    public import UIKit
  #endif

  /// Opens pages outside the app, such as that of an identity provider.
  ///
  /// A conforming type returns the address to which the page leads back, and throws `CancellationError` if the person
  /// closes the page or the task is canceled. Another error is shown to the person with its description.
  ///
  ///     struct NoPages: WebPages {
  ///       func open(_ page: URL, returningTo redirectURI: String) async throws -> URL {
  ///         throw CancellationError()
  ///       }
  ///     }
  public protocol WebPages: Sendable {
    /// Opens a page, and returns the address to which it leads back.
    @MainActor
    func open(_ page: URL, returningTo redirectURI: String) async throws -> URL
  }

  /// Pages in the browser sheet of the system.
  ///
  /// The redirect URI has a scheme of the app's own, such as `com.example.app:/callback`, or is an https address of a
  /// domain that is associated with the app (`webcredentials`), which iOS 17.4 and macOS 14.4 can return to.
  public struct SystemWebPages: WebPages {
    private let isEphemeral: Bool

    /// Creates the pages; if `isEphemeral` is true, they share no cookies with the browser, and nobody is signed in
    /// there already.
    public init(isEphemeral: Bool = false) { self.isEphemeral = isEphemeral }

    /// Opens a page.
    @MainActor
    public func open(_ page: URL, returningTo redirectURI: String) async throws -> URL {
      let (answers, continuation) = AsyncThrowingStream<URL, any Error>.makeStream()
      // The system may call the closure on any thread.
      let finish: @Sendable (URL?, (any Error)?) -> Void = { @Sendable url, error in
        if let url { continuation.yield(url) }
        let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
        continuation.finish(throwing: isClosed ? CancellationError() : error)
      }
      let session = try Self.session(page, returningTo: redirectURI, finish)
      session.prefersEphemeralWebBrowserSession = isEphemeral
      let anchor = WindowAnchor(.current)
      session.presentationContextProvider = anchor
      // `ASWebAuthenticationSession` has only a weak reference to it.
      defer { withExtendedLifetime(anchor) {} }
      guard session.start() else { throw PageProblem.notShown }
      for try await url in answers { return url }
      // The stream ends without an address if the task was canceled.
      session.cancel()
      throw CancellationError()
    }

    @MainActor
    private static func session(
      _ page: URL, returningTo redirectURI: String,
      _ finish: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) throws -> ASWebAuthenticationSession {
      let address = URL(string: redirectURI)
      guard address?.scheme?.lowercased() == "https", let host = address?.host else {
        return ASWebAuthenticationSession(
          url: page, callbackURLScheme: address?.scheme, completionHandler: finish)
      }
      guard #available(iOS 17.4, macOS 14.4, *) else { throw PageProblem.noCallback }
      return ASWebAuthenticationSession(
        url: page, callback: .https(host: host, path: address?.path ?? "/"),
        completionHandler: finish)
    }
  }

  /// Why the system did not show a page.
  enum PageProblem: LocalizedError {
    /// There is no window, or another page is open.
    case notShown
    /// This system cannot return to an https address.
    case noCallback

    var errorDescription: String? {
      switch self {
      case .notShown: "The browser cannot be used now. Try again."
      case .noCallback: "This needs a newer version of the system."
      }
    }
  }

  private final class WindowAnchor: NSObject, ASWebAuthenticationPresentationContextProviding,
    Sendable
  {
    private let window: ASPresentationAnchor

    init(_ window: ASPresentationAnchor) { self.window = window }

    nonisolated func presentationAnchor(
      for session: ASWebAuthenticationSession
    ) -> ASPresentationAnchor { window }
  }

  extension ASPresentationAnchor {
    /// The window that the person uses, for dialogs of the system such as those of `SystemPasskeys`.
    @MainActor public static var current: ASPresentationAnchor {
      #if os(macOS)
        let window = NSApplication.shared.keyWindow
      #else
        let window = UIApplication.shared.connectedScenes
          .compactMap { ($0 as? UIWindowScene)?.keyWindow }.first
      #endif
      return window ?? ASPresentationAnchor()
    }
  }
#endif
