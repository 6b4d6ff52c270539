#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Carries one HTTP request to the server and brings the response back.
///
/// This is the only way in which the engine reaches a server: `URLSessionTransport` of IDXNetwork is
/// one conformer, `SimulatedOrg` of IDXTesting another. A conformer owes the engine:
/// - the response as it came, whatever its status: a status is no error here;
/// - no following of redirects, no retries, no caching;
/// - a ``TransportError`` where no response came, which tells whether the request may have arrived;
/// - `CancellationError` when the task was cancelled, soon after it was.
///
/// A conformer for tests that answers everything alike:
///
///     struct OneAnswer: Transport {
///       let response: TransportResponse
///       func send(_ request: TransportRequest) async throws -> TransportResponse { response }
///     }
public protocol Transport: Sendable {
  /// Sends the request and waits for the whole response.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// An HTTP request, its body whole.
public struct TransportRequest: Sendable, Hashable {
  /// The method, in capitals: `POST`.
  public var method: String
  /// Where to.
  public var url: URL
  /// The header fields, by their usual spelling: `Content-Type`.
  public var headers: [String: String]
  /// The body; empty where there is none.
  public var body: [UInt8]

  /// A request of these parts.
  public init(
    method: String = "GET", url: URL, headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// An HTTP response, its body whole.
public struct TransportResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields, in any spelling; ``header(_:)`` looks them up.
  public var headers: [String: String]
  /// The body, any content coding undone.
  public var body: [UInt8]

  /// A response of these parts.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of a header field, whatever the case of its name; nil where it is absent.
  public func header(_ name: String) -> String? {
    headers[name] ?? headers.first { $0.key.isSameField(as: name) }?.value
  }
}

extension String {
  /// Whether two header fields have the same name, whatever the case of its letters.
  fileprivate func isSameField(as other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { mine, theirs in
        mine == theirs
          || (mine | 0x20 == theirs | 0x20 && (0x61...0x7A).contains(mine | 0x20))
      }
  }
}

// Bodies and header fields hold passwords, handles and tokens; paths and statuses do not.
extension TransportRequest: CustomStringConvertible, CustomReflectable {
  /// The method, the host and the path, without query, header fields and body.
  public var description: String { "\(method) \(url.host ?? "")\(url.path(percentEncoded: true))" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
  /// The status and the size of the body.
  public var description: String { "HTTP \(status), \(body.count) bytes" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
