#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Listens at a loopback address for a browser that returns from a page.
///
/// `LoopbackListener` of IDXNetwork conforms to it. A conforming type listens as soon as a caller gets
/// it, until ``close()``. Source: RFC 8252, section 7.3.
///
/// A listener for tests, in which the browser has already returned:
///
///     struct FinishedListener: RedirectListener {
///       let url: URL
///       func next() async throws -> URL { url }
///       func close() {}
///     }
public protocol RedirectListener: Sendable {
  /// Waits for the browser and returns the full address that it returned to.
  ///
  /// Throws `CancellationError` soon after the task is canceled, and an error that is described by a
  /// sentence if no browser can return any more.
  func next() async throws -> URL
  /// An address of this computer that leads a browser of this user to a page, while it listens.
  ///
  /// Everybody on a computer can read the arguments of a program, such as a browser, and the address of a page contains
  /// what the sign-in is bound to. A listener that has no such address returns the page itself, as by default.
  func entrance(to page: URL) -> URL
  /// Stops listening; idempotent.
  func close()
}

extension RedirectListener {
  /// The page itself.
  public func entrance(to page: URL) -> URL { page }
}
