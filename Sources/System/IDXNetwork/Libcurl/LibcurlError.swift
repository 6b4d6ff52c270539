#if canImport(Glibc)
  import CLibcurl

  /// What libcurl says about a request without a response.
  struct LibcurlError: Error, Hashable, CustomStringConvertible {
    /// The `CURLcode`.
    let code: Int
    /// Its message, without the username and password of a proxy.
    let description: String
  }

  extension TransportFailure {
    /// The reason for a result of libcurl (`CURLcode`).
    ///
    /// `mayHaveLeft` says whether the request may have been sent: after that, only the connection or the
    /// response can fail. `proxyStatus` is the status of a proxy that has not connected the request, 0 if nothing,
    /// and nil if there is no such proxy.
    init(libcurl code: Int, detail: String, mayHaveLeft: Bool, proxyStatus: Int?, limit: Int) {
      if mayHaveLeft {
        self =
          switch code {
          case IDX_CURLE_UNSUPPORTED_PROTOCOL, IDX_CURLE_WEIRD_SERVER_REPLY: .notHTTP
          // The length of a chunk is no number.
          case IDX_CURLE_RECV_ERROR
          where detail.contains("hexadecimal") || detail.contains("chunk"):
            .notHTTP
          case IDX_CURLE_FILESIZE_EXCEEDED: .responseTooLarge(limit)
          case IDX_CURLE_OPERATION_TIMEDOUT: .timedOut
          default: .connectionLost
          }
        return
      }
      self =
        switch code {
        case _ where (400..<500).contains(proxyStatus ?? 0): .proxyRefused(proxyStatus ?? 0)
        case IDX_CURLE_COULDNT_RESOLVE_PROXY, IDX_CURLE_PROXY: .proxyFailed(detail)
        case IDX_CURLE_COULDNT_RESOLVE_HOST: .hostNotFound
        // A kind of proxy that it does not know.
        case IDX_CURLE_COULDNT_CONNECT where detail.contains("proxy"): .proxyFailed(detail)
        case IDX_CURLE_COULDNT_CONNECT: .connectionRefused
        case IDX_CURLE_PEER_FAILED_VERIFICATION, IDX_CURLE_SSL_CACERT_BADFILE,
          IDX_CURLE_SSL_CRL_BADFILE, IDX_CURLE_SSL_ISSUER_ERROR, IDX_CURLE_SSL_INVALIDCERTSTATUS:
          .untrustedCertificate(detail)
        // OpenSSL, GnuTLS.
        case IDX_CURLE_SSL_CONNECT_ERROR
        where detail.contains("wrong version number") || detail.contains("unexpected TLS packet"):
          .notTLS
        case IDX_CURLE_SSL_CONNECT_ERROR, IDX_CURLE_SSL_ENGINE_NOTFOUND, IDX_CURLE_SSL_CERTPROBLEM,
          IDX_CURLE_SSL_CIPHER, IDX_CURLE_USE_SSL_FAILED, IDX_CURLE_SSL_CLIENTCERT:
          .tlsFailed(detail)
        case IDX_CURLE_URL_MALFORMAT: .unsupportedAddress
        case IDX_CURLE_OPERATION_TIMEDOUT: .timedOut
        case _ where proxyStatus != nil: .proxyFailed(detail)
        case IDX_CURLE_RECV_ERROR, IDX_CURLE_SEND_ERROR, IDX_CURLE_GOT_NOTHING:
          .notConnected(detail)
        default: .other(detail)
        }
    }
  }
#endif
