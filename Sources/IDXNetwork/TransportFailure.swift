import Foundation
import IDXBase
import IDXOAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A reason why a request got no response.
enum TransportFailure: Hashable {
  case unsupportedAddress
  case hostNotFound
  case connectionRefused
  case noNetwork
  case proxyFailed(String)
  case untrustedCertificate(String)
  case tlsFailed(String)
  /// The response was not complete after this long; `answered` says whether it had begun.
  case timeLimit(Duration, answered: Bool)
  /// The system's own timeout.
  case timedOut
  case connectionLost
  /// The body is longer than this number of bytes.
  case responseTooLarge(Int)
  case notHTTP
  case other(String)

  /// Classifies an error of the system.
  ///
  /// `answered` says whether a response had begun. If the cause is uncertain, the connection counts as
  /// lost, so that the request may have arrived.
  init(_ error: any Error, answered: Bool) {
    let detail = error.localizedDescription.printable.withoutUserInfo
    let code = (error as? URLError)?.code
    #if canImport(FoundationNetworking)
      // FoundationNetworking maps most errors of libcurl to `unknown`. It may report a refused connection
      // although only the first address of a host refused it. The message of libcurl says more.
      let certain = code == .cannotConnectToHost ? .unknown : code
      self =
        Self.classify(message: detail)
        ?? Self.classify(code: certain, detail: detail, answered: answered)
    #else
      self = Self.classify(code: code, detail: detail, answered: answered)
    #endif
  }

  /// The error for a request, described by `attempt`.
  func error(attempt: String, mayBeRepeated: Bool = false, cause: (any Error)?) -> TransportError {
    // The system's error also contains the whole address with its query.
    let underlying = (cause as? URLError).map { error in
      URLError(
        error.code,
        userInfo: [
          NSLocalizedDescriptionKey: error.localizedDescription.printable.withoutUserInfo
        ])
    }
    return TransportError(
      code, message: "\(attempt) failed: \(reason).",
      mayHaveArrived: mayHaveArrived || (mayBeRepeated && self != .unsupportedAddress),
      underlying: underlying)
  }

  private var code: TransportError.Code {
    switch self {
    case .unsupportedAddress: .requestRefused
    case .hostNotFound: .unknownHost
    case .connectionRefused, .noNetwork, .proxyFailed: .unreachable
    case .untrustedCertificate, .tlsFailed: .insecure
    case .timeLimit, .timedOut: .timedOut
    case .connectionLost, .other: .connectionLost
    case .responseTooLarge: .responseTooLarge
    case .notHTTP: .badResponse
    }
  }

  private var mayHaveArrived: Bool {
    switch self {
    case .unsupportedAddress, .hostNotFound, .connectionRefused, .noNetwork, .proxyFailed,
      .untrustedCertificate, .tlsFailed:
      false
    case .timeLimit, .timedOut, .connectionLost, .responseTooLarge, .notHTTP, .other:
      true
    }
  }

  private var reason: String {
    switch self {
    case .unsupportedAddress: "the system does not support this form of address"
    case .hostNotFound: "the host name was not found"
    case .connectionRefused: "the connection was refused, or the host is down"
    case .noNetwork: "this machine has no network connection"
    case .proxyFailed(let detail): "there is no connection through the proxy (\(detail))"
    case .untrustedCertificate(let detail):
      "the server's TLS certificate is not trusted (\(detail))"
    case .tlsFailed(let detail): "the TLS handshake failed (\(detail))"
    case .timeLimit(let time, false): "no response came within \(Self.seconds(time)) s"
    case .timeLimit(let time, true): "the response was not complete within \(Self.seconds(time)) s"
    case .timedOut: "no response came in time"
    case .connectionLost: "the connection was lost before the response was complete"
    case .responseTooLarge(let limit): "the response is longer than the limit of \(limit) bytes"
    case .notHTTP: "the response is not HTTP"
    case .other(let detail): "the system reports: \(detail)"
    }
  }

  private static func classify(
    code: URLError.Code?, detail: String, answered: Bool
  ) -> Self {
    switch code {
    case .badURL: .unsupportedAddress
    case .cannotFindHost, .dnsLookupFailed: .hostNotFound
    case .cannotConnectToHost: .connectionRefused
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: .noNetwork
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
      .serverCertificateHasBadDate, .serverCertificateNotYetValid:
      .untrustedCertificate(detail)
    case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired,
      .appTransportSecurityRequiresSecureConnection:
      .tlsFailed(detail)
    case .timedOut: .timedOut
    case .networkConnectionLost, .badServerResponse: .connectionLost
    // FoundationNetworking reports an unsupported URL if the response is not HTTP/1.
    case .unsupportedURL, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
      .notHTTP
    default: answered ? .connectionLost : .other(detail)
    }
  }

  #if canImport(FoundationNetworking)
    /// Classifies a message of libcurl; nil if the message does not decide.
    private static func classify(message: String) -> Self? {
      let text = message.lowercased()
      return if text.contains("could not resolve proxy") || text.contains("connect tunnel failed") {
        .proxyFailed(message)
      } else if ["ssl_read", "ssl_write", "recv", "send"].contains(where: text.contains) {
        .connectionLost
      } else if text.contains("certificate") {
        .untrustedCertificate(message)
      } else if text.contains("ssl") || text.contains("tls") {
        .tlsFailed(message)
      } else if text.contains("connect to") {
        .connectionRefused
      } else {
        nil
      }
    }
  #endif

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
