import AuthenticationServices
import Foundation
import IDXFlow
import IDXSimulatedOrg

#if os(macOS)
  import AppKit
#else
  import UIKit
#endif

/// Opens pages outside the app, such as that of an identity provider.
protocol WebPages: Sendable {
  /// Opens a page, and returns the address that it leads back to.
  ///
  /// Throws `CancellationError` if the person closes the page.
  @MainActor
  func open(_ page: URL, returningTo redirectURI: String) async throws -> URL
}

/// Pages in the browser sheet of the system, which shares the cookies of the browser.
///
/// The redirect URI needs a scheme of the app's own, such as `com.example.app:/callback`.
struct SystemWebPages: WebPages {
  @MainActor
  func open(_ page: URL, returningTo redirectURI: String) async throws -> URL {
    let (answers, continuation) = AsyncThrowingStream<URL, any Error>.makeStream()
    // The system may call the closure on any thread.
    let session = ASWebAuthenticationSession(
      url: page, callbackURLScheme: URL(string: redirectURI)?.scheme
    ) { @Sendable url, error in
      if let url { continuation.yield(url) }
      let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
      continuation.finish(throwing: isClosed ? CancellationError() : error)
    }
    let anchor = WindowAnchor(.current)
    session.presentationContextProvider = anchor
    // `ASWebAuthenticationSession` has only a weak reference to it.
    defer { withExtendedLifetime(anchor) {} }
    guard session.start() else { throw PageProblem() }
    for try await url in answers { return url }
    // The stream ends without an address if the task was cancelled.
    session.cancel()
    throw CancellationError()
  }
}

/// The system did not show a page.
struct PageProblem: LocalizedError {
  var errorDescription: String? { "The browser cannot be used now. Try again." }
}

/// Pages of a simulated org, whose user signs in there at once.
struct SimulatedWebPages: WebPages {
  let org: SimulatedOrg

  func open(_ page: URL, returningTo redirectURI: String) async throws -> URL {
    guard let url = await org.visit(page) else { throw CancellationError() }
    return url
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
  /// The window that the person uses.
  @MainActor static var current: ASPresentationAnchor {
    #if os(macOS)
      let window = NSApplication.shared.keyWindow
    #else
      let window = UIApplication.shared.connectedScenes
        .compactMap { ($0 as? UIWindowScene)?.keyWindow }.first
    #endif
    return window ?? ASPresentationAnchor()
  }
}
