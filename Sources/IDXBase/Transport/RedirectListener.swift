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
  /// Stops listening; idempotent.
  func close()
}
