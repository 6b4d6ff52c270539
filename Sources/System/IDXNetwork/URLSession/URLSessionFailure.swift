#if !canImport(Glibc)
  import Foundation
  import IDXBase

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension TransportFailure {
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
    ///
    /// `mayBeRepeated` says whether the system may have sent the request twice.
    func error(attempt: String, mayBeRepeated: Bool, cause: (any Error)?) -> TransportError {
      // The system's error also contains the whole address with its query.
      let underlying = (cause as? URLError).map { error in
        URLError(
          error.code,
          userInfo: [
            NSLocalizedDescriptionKey: error.localizedDescription.printable.withoutUserInfo
          ])
      }
      return error(
        attempt: attempt,
        mayHaveArrived: mayHaveArrived || (mayBeRepeated && self != .unsupportedAddress),
        underlying: underlying)
    }

    private var mayHaveArrived: Bool {
      switch self {
      case .unsupportedAddress, .hostNotFound, .connectionRefused, .notConnected, .notLoopback,
        .noDescriptors, .noNetwork, .proxyFailed, .proxyRefused, .untrustedCertificate, .tlsFailed,
        .notTLS:
        false
      case .timeLimit, .timedOut, .connectionLost, .cutOff, .responseTooLarge, .headTooLarge,
        .notHTTP, .unrequestedEncoding, .flood, .other:
        true
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
        return if text.contains("could not resolve proxy") || text.contains("connect tunnel failed")
        {
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
  }
#endif
