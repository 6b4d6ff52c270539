#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why no response came to a request.
///
/// It names the host and the path, never a body, a query or a header field.
public struct TransportError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  ///
  /// An open set: a transport may add its own.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// A code of this name.
    public init(stringLiteral value: String) { description = value }

    /// Nothing was connected to: no such host, refused, no network.
    ///
    /// Or nothing any more, where a connection that was used again broke first: see
    /// ``TransportError/mayHaveArrived``.
    public static let unreachable: Code = "unreachable"
    /// The time for it was up.
    public static let timedOut: Code = "timed out"
    /// The connection broke after it stood.
    public static let connectionLost: Code = "connection lost"
    /// TLS could not be agreed on, or the certificate is not trusted.
    public static let insecure: Code = "insecure"
    /// Plain http to an address that is not loopback, or another scheme.
    public static let schemeRefused: Code = "scheme refused"
    /// The body was longer than allowed.
    public static let responseTooLarge: Code = "response too large"
    /// What came back was no HTTP response.
    public static let badResponse: Code = "bad response"
  }

  /// What went wrong.
  public let code: Code
  /// What was tried and what happened, in a sentence for a person.
  public let message: String
  /// Whether the server may have acted on the request, so that it must be asked before sending again.
  public let mayHaveArrived: Bool
  /// What the system reported; nil where the transport itself refused.
  public let underlying: (any Error)?

  /// An error of these parts.
  public init(
    _ code: Code, message: String, mayHaveArrived: Bool, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.mayHaveArrived = mayHaveArrived
    self.underlying = underlying
  }

  /// The message.
  public var description: String { message }
}

extension TransportError: LocalizedError {
  /// The sentence that ``description`` gives, for `localizedDescription`.
  public var errorDescription: String? { description }
}
