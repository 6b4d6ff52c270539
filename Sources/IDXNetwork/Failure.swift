import IDXBase
import Foundation
import IDXOAuth

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The ways in which an exchange fails, as far as a person or the engine tells them apart.
enum Failure: Hashable {
  case noAddress
  case noHost
  case noConnection
  case noNetwork
  case noProxy(String)
  case untrusted(String)
  case noTLS(String)
  case silent(Duration)
  case unfinished(Duration)
  case timedOut
  case lost
  case tooLarge(Int)
  case notHTTP
  case other(String)

  /// What an error of the system comes to.
  ///
  /// `answered` tells whether a response had begun. Whatever is not known for sure counts as lost,
  /// so that the request is taken to have arrived.
  init(_ error: any Error, answered: Bool) {
    let detail = error.localizedDescription.printable
    let code = (error as? URLError)?.code
    #if canImport(FoundationNetworking)
      // FoundationNetworking has few codes of its own: most of libcurl's are "unknown", and the
      // one for a refused connection can stem from another address of the host that was tried
      // before. What libcurl says tells more.
      let sure = code == .cannotConnectToHost ? .unknown : code
      self = Self.said(by: detail) ?? Self.meant(by: sure, detail, answered)
    #else
      self = Self.meant(by: code, detail, answered)
    #endif
  }

  /// The error to throw for a request.
  func error(attempt: String, mayBeRepeated: Bool = false, cause: (any Error)?) -> TransportError {
    // The system's error also holds the whole address, and with it the query.
    let underlying = (cause as? URLError).map { error in
      URLError(
        error.code,
        userInfo: [NSLocalizedDescriptionKey: error.localizedDescription.printable])
    }
    return TransportError(
      code, message: "\(attempt) failed: \(reason).",
      mayHaveArrived: mayHaveArrived || (mayBeRepeated && self != .noAddress),
      underlying: underlying)
  }

  private var code: TransportError.Code {
    switch self {
    case .noAddress: .requestRefused
    case .noHost, .noConnection, .noNetwork, .noProxy: .unreachable
    case .untrusted, .noTLS: .insecure
    case .silent, .unfinished, .timedOut: .timedOut
    case .lost, .other: .connectionLost
    case .tooLarge: .responseTooLarge
    case .notHTTP: .badResponse
    }
  }

  private var mayHaveArrived: Bool {
    switch self {
    case .noAddress, .noHost, .noConnection, .noNetwork, .noProxy, .untrusted, .noTLS: false
    case .silent, .unfinished, .timedOut, .lost, .tooLarge, .notHTTP, .other: true
    }
  }

  private var reason: String {
    switch self {
    case .noAddress: "the system cannot use an address of this form"
    case .noHost: "no host of this name was found"
    case .noConnection: "the connection was refused, or the host is down"
    case .noNetwork: "this machine has no network connection"
    case .noProxy(let detail): "the proxy let nothing through (\(detail))"
    case .untrusted(let detail): "the server's TLS certificate is not trusted (\(detail))"
    case .noTLS(let detail): "TLS could not be agreed on (\(detail))"
    case .silent(let time): "timed out, nothing came for \(Self.seconds(time)) s"
    case .unfinished(let time): "timed out, it was not done after \(Self.seconds(time)) s"
    case .timedOut: "timed out"
    case .lost: "the connection was lost before the whole response came"
    case .tooLarge(let limit): "the response is longer than the \(limit) bytes allowed"
    case .notHTTP: "what came back is no HTTP response"
    case .other(let detail): "the system reports: \(detail)"
    }
  }

  private static func meant(by code: URLError.Code?, _ detail: String, _ answered: Bool) -> Self {
    switch code {
    case .badURL: .noAddress
    case .cannotFindHost, .dnsLookupFailed: .noHost
    case .cannotConnectToHost: .noConnection
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: .noNetwork
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
      .serverCertificateHasBadDate, .serverCertificateNotYetValid:
      .untrusted(detail)
    case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired,
      .appTransportSecurityRequiresSecureConnection:
      .noTLS(detail)
    case .timedOut: .timedOut
    case .networkConnectionLost, .badServerResponse: .lost
    // FoundationNetworking says that a URL is unsupported where the answer was not HTTP/1.
    case .unsupportedURL, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
      .notHTTP
    default: answered ? .lost : .other(detail)
    }
  }

  #if canImport(FoundationNetworking)
    private static func said(by detail: String) -> Self? {
      let text = detail.lowercased()
      return if text.contains("could not resolve proxy") || text.contains("connect tunnel failed") {
        .noProxy(detail)
      } else if ["ssl_read", "ssl_write", "recv", "send"].contains(where: text.contains) {
        .lost
      } else if text.contains("certificate") {
        .untrusted(detail)
      } else if text.contains("ssl") || text.contains("tls") {
        .noTLS(detail)
      } else if text.contains("onnect to") {
        .noConnection
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
