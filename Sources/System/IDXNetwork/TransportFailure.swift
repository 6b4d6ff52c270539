import Foundation
import IDXBase

/// A reason why a request got no response.
enum TransportFailure: Error, Hashable {
  case unsupportedAddress
  case hostNotFound
  case connectionRefused
  /// The connection could not be established for another reason.
  case notConnected(String)
  /// The name of this computer stands for the address of another one.
  case notLoopback
  /// The process has no file descriptors left.
  case noDescriptors
  case noNetwork
  case proxyFailed(String)
  /// The proxy responded with this status instead of connecting the request, and would do so again.
  case proxyRefused(Int)
  /// Something responds at the address that does not speak TLS.
  case notTLS
  case untrustedCertificate(String)
  case tlsFailed(String)
  /// The response was not complete after this long; `answered` says whether it had begun.
  case timeLimit(Duration, answered: Bool)
  /// The system's own timeout.
  case timedOut
  case connectionLost
  /// Nobody said that the body was complete when the connection ended.
  case cutOff
  /// The body is longer than this number of bytes.
  case responseTooLarge(Int)
  /// The header fields are longer than this number of bytes.
  case headTooLarge(Int)
  /// The server sends so much without a pause that nothing else can be done.
  case flood
  case notHTTP
  /// The body is compressed, although the request did not ask for that.
  case unrequestedEncoding
  case other(String)

  /// The error for a request, described by `attempt`.
  func error(
    attempt: String, mayHaveArrived: Bool, underlying: (any Error)? = nil
  ) -> TransportError {
    TransportError(
      code, message: "\(attempt) failed: \(reason).", mayHaveArrived: mayHaveArrived,
      underlying: underlying)
  }

  private var code: TransportError.Code {
    switch self {
    case .unsupportedAddress: .requestRefused
    case .hostNotFound: .unknownHost
    case .connectionRefused, .notConnected, .noNetwork, .proxyFailed: .unreachable
    case .proxyRefused: .proxyRefused
    case .notLoopback: .schemeRefused
    case .noDescriptors: .noDescriptors
    case .untrustedCertificate, .tlsFailed, .notTLS: .insecure
    case .timeLimit, .timedOut: .timedOut
    case .connectionLost, .cutOff, .other: .connectionLost
    case .responseTooLarge, .headTooLarge: .responseTooLarge
    case .notHTTP, .unrequestedEncoding, .flood: .badResponse
    }
  }

  private var reason: String {
    switch self {
    case .unsupportedAddress: "the system does not support this form of address"
    case .hostNotFound: "the host name was not found"
    case .connectionRefused: "the connection was refused, or the host is down"
    case .notConnected(let detail): "there is no connection (\(detail))"
    case .notLoopback:
      "the request may only go to this computer, but the name stands for another one. For another computer, use https"
    case .noDescriptors:
      "this process has too many open files and connections. Close some, or raise the limit (ulimit -n)"
    case .noNetwork: "this machine has no network connection"
    case .proxyFailed(let detail): "there is no connection through the proxy (\(detail))"
    case .proxyRefused(407): "the proxy wants a username and a password, or others"
    case .proxyRefused(let status):
      "the proxy refuses to connect to the server (HTTP status \(status))"
    case .notTLS: "the server does not use https at this port, but perhaps plain http"
    case .untrustedCertificate(let detail):
      "the server's TLS certificate is not trusted (\(detail))"
    case .tlsFailed(let detail): "the TLS handshake failed (\(detail))"
    case .timeLimit(let time, false): "no response came within \(Self.seconds(time)) s"
    case .timeLimit(let time, true): "the response was not complete within \(Self.seconds(time)) s"
    case .timedOut: "no response came in time"
    case .connectionLost: "the connection was lost before the response was complete"
    case .cutOff:
      "the connection ended, and the server did not say that the response is complete (no close_notify)"
    case .responseTooLarge(let limit): "the response is longer than the limit of \(limit) bytes"
    case .headTooLarge(let limit):
      "the header fields of the response are longer than the limit of \(limit) bytes"
    case .flood: "the server sends without end"
    case .notHTTP: "the response is not HTTP"
    case .unrequestedEncoding:
      "the body of the response is compressed, although the request does not accept that"
    case .other(let detail): "the system reports: \(detail)"
    }
  }

  private static func seconds(_ time: Duration) -> String {
    let seconds = time / .seconds(1)
    return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }
}

extension String {
  /// The text without the username and the password of an address in it, such as that of a proxy.
  ///
  /// Everything up to the last `@` is removed, because a password may contain one.
  var withoutUserInfo: String { replacing(/(:\/\/|')(.*)@/) { "\($0.output.1)…@" } }
}
