#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Listens at a loopback address for a browser that comes back.
///
/// `LoopbackListener` of IDXNetwork is one.
///
/// A conformer listens from before it is handed out, so that a browser may be sent at once, until
/// ``close()``.
///
/// Source: RFC 8252, section 7.3.
public protocol RedirectListener: Sendable {
  /// Waits for the browser and returns the whole address that it came back to.
  ///
  /// Throws `CancellationError` soon after the task was cancelled, and an error with a sentence as its
  /// description where no browser can come any more.
  func next() async throws -> URL
  /// Stops to listen; to call it twice does no more.
  func close()
}
