#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A transport that sends requests to an org with another `User-Agent`, or asks for another media type of its responses.
///
/// Protection against bots in front of an org can refuse the name of a program that it does not know, and some orgs
/// answer `application/json` otherwise than `application/ion+json`:
///
///     let transport = HeaderTransport(
///       shared, for: configuration.issuer, userAgent: "Mozilla/5.0 (X11; Linux x86_64)")
///     let client = HostedClient(transport: transport)
///
/// Requests to other origins stay as they are.
public struct HeaderTransport: Transport {
  private let transport: any Transport
  private let origin: Origin
  private let userAgent: String?
  private let accept: String?

  /// Creates a transport.
  ///
  /// Characters that a header field cannot have are left out.
  ///
  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - url: An address of the org.
  ///   - userAgent: The value of `User-Agent`; nil for that of the transport.
  ///   - accept: The media type that is asked for in place of `application/ion+json`; nil for that one.
  public init(
    _ transport: any Transport, for url: URL, userAgent: String? = nil, accept: String? = nil
  ) {
    self.transport = transport
    origin = Origin(url)
    self.userAgent = userAgent?.headerFieldValue()
    self.accept = accept?.headerFieldValue()
  }

  /// Sends the request with the header fields, if it is for the org.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard Origin(request.url) == origin else { return try await transport.send(request) }
    var request = request
    if let userAgent { request.headers["User-Agent"] = userAgent }
    if let accept, request.headers["Accept"]?.hasPrefix("application/ion+json") == true {
      request.headers["Accept"] = accept
    }
    return try await transport.send(request)
  }
}

extension HeaderTransport: Redacted {
  /// The org.
  public var description: String { "transport with other header fields for \(origin)" }
}
