#if !canImport(Glibc)
  import Expectations
  import Foundation
  import IDXBase
  import IDXOAuth
  import Testing

  @testable import IDXNetwork

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite("Failures of URLSession")
  struct URLSessionFailureTests {
    @Test(
      "Error codes of the system are mapped",
      arguments: [
        (URLError.Code.cannotFindHost, TransportError.Code.unknownHost, false),
        (.dnsLookupFailed, .unknownHost, false),
        (.notConnectedToInternet, .unreachable, false),
        (.serverCertificateUntrusted, .insecure, false),
        (.serverCertificateHasBadDate, .insecure, false),
        (.secureConnectionFailed, .insecure, false),
        (.timedOut, .timedOut, true),
        (.networkConnectionLost, .connectionLost, true),
        (.badServerResponse, .connectionLost, true),
        (.cannotParseResponse, .badResponse, true),
        (.unknown, .connectionLost, true),
        (.cancelled, .connectionLost, true),
        (.resourceUnavailable, .connectionLost, true),
      ])
    func systemCodes(system: URLError.Code, code: TransportError.Code, mayHaveArrived: Bool) {
      let cause = URLError(system, userInfo: ["NSErrorFailingURLStringKey": "https://a/?s=1"])
      let error = TransportFailure(cause, answered: false).error(
        attempt: "GET a/", mayBeRepeated: false, cause: cause)
      expectEqual(error.code, code)
      expectEqual(error.mayHaveArrived, mayHaveArrived)
      expectEqual((error.underlying as? URLError)?.code, system)
      expect((error.underlying as? URLError)?.userInfo["NSErrorFailingURLStringKey"] == nil)
    }

    #if canImport(FoundationNetworking)
      @Test(
        "Messages of libcurl are mapped if the code is not specific",
        arguments: [
          ("SSL certificate problem: self-signed certificate", TransportError.Code.insecure, false),
          ("SSL: no alternative certificate subject name matches 'a'", .insecure, false),
          ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a:443", .insecure, false),
          ("gnutls_handshake() failed: The TLS connection was terminated.", .insecure, false),
          ("OpenSSL SSL_read: error:0A000412:alert bad certificate", .connectionLost, true),
          ("OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number", .insecure, false),
          ("GnuTLS recv error (-110): The TLS connection was cut.", .connectionLost, true),
          ("Could not resolve proxy: p", .unreachable, false),
          ("CONNECT tunnel failed, response 403", .unreachable, false),
          ("Failed to connect to a port 443: No route to host", .unreachable, false),
          ("Empty reply from server", .connectionLost, true),
          ("Recv failure: Connection reset by peer", .connectionLost, true),
          ("something new", .connectionLost, true),
        ],
        [URLError.Code.unknown, .cannotConnectToHost])
      func libcurlMessages(
        message: (text: String, code: TransportError.Code, mayHaveArrived: Bool),
        code: URLError.Code
      ) {
        let cause = URLError(code, userInfo: [NSLocalizedDescriptionKey: message.text])
        let error = TransportFailure(cause, answered: false).error(
          attempt: "GET a/", mayBeRepeated: false, cause: cause)
        expectEqual(error.code, message.code)
        expectEqual(error.mayHaveArrived, message.mayHaveArrived)
      }
    #endif
  }
#endif
