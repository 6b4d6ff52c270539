import Foundation
public import IDXBase

/// Sends requests to programs on this computer, and to nothing else.
///
/// For addresses that somebody else has named, such as those of Okta Verify in a challenge. Like ``HTTPTransport``, but
/// - a request is connected to `127.0.0.0/8` or `::1` alone: the address is checked when the connection is opened, so a
///   name cannot stand for another computer in between;
/// - no proxy is used;
/// - a response is at most 64 KiB long, and may take 5 minutes.
///
/// Elsewhere than on Linux with glibc, nothing can check the address of a name, so only `localhost`, `127.0.0.0/8` and
/// `[::1]` are allowed.
public struct LoopbackTransport: Transport {
  #if canImport(Glibc)
    private let client: LibcurlClient
  #else
    private let client: URLSessionClient
  #endif

  /// Creates a transport; `authorities` are trusted in place of those of the system.
  public init(authorities: CertificateAuthorities? = nil) {
    let limits = HTTPTransport.Limits(time: .seconds(305), body: 1 << 16)
    #if canImport(Glibc)
      client = LibcurlClient(
        limits: limits, authorities: authorities, now: { .now }, isLoopbackOnly: true)
    #else
      client = URLSessionClient(limits: limits, authorities: authorities, now: { .now })
    #endif
  }

  /// Sends the request and waits for the whole response.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    _ = try request.check()
    #if !canImport(Glibc)
      guard request.isForLoopback else {
        throw TransportFailure.notLoopback.error(attempt: request.attempt, mayHaveArrived: false)
      }
    #endif
    return try await client.send(request, attempt: request.attempt, proxy: nil)
  }
}
