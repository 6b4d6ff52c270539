#if canImport(Glibc)
  import CLibcurl
  import Expectations
  import Foundation
  import IDXBase
  import IDXOAuth
  import Testing

  @testable import IDXNetwork

  @Suite("libcurl")
  struct LibcurlTests {
    @Test(
      "Without libcurl, nothing is sent, and the error names the package; another library is refused"
    )
    func missing() async throws {
      let library = Result { () throws(Libcurl.Unavailable) in try Libcurl(["libnothing.so.4"]) }
      let url = try require(URL(string: "https://acme.okta.example/x"))
      let error = try await failure(
        of: HTTPTransport(library: library), TransportRequest(method: "POST", url: url))
      expect(error.code == .requestRefused && !error.mayHaveArrived)
      expectEqual(
        error.message,
        "POST acme.okta.example/x was not sent: there is no libcurl (libnothing.so.4: cannot open shared "
          + "object file: No such file or directory). Install it, for example: apt-get install libcurl4, or "
          + "dnf install libcurl.")
      let other = #expect(throws: Libcurl.Unavailable.self) { try Libcurl(["libm.so.6"]) }
      expectEqual(other?.description.contains("too old"), true)
    }

    @Test(
      "A libcurl in the folder of the program is not opened, because anybody may have put it there",
      .promise("own-library"))
    func planted() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = "\(folder)/libcurl.so.4"
      try Data("not a library".utf8).write(to: URL(filePath: path))
      let error = #expect(throws: Libcurl.Unavailable.self) {
        try Libcurl(["libcurl.so.4"], besideProgramIn: folder)
      }
      expectPrefix(
        error?.description ?? "", "\(path) is in the folder of the program, and is not the libcurl")
      expect(try Libcurl(["libcurl.so.4"], besideProgramIn: nil).version > 0)
    }

    @Test(
      "A call of libcurl that reads much and takes long is too long; a slow computer or a long response is not",
      arguments: [(1000, 30.0, false), (100_000, 0.5, false), (100_000, 30, true)])
    func longCall(checks: Int, seconds: Double, expected: Bool) {
      // The call begins at 0, and every later look at the clock is at `seconds`.
      var hasBegun = false
      let call = LibcurlCall {
        defer { hasBegun = true }
        return hasBegun ? seconds : 0
      }
      call.begin(7)
      let isTooLong = (0..<checks).contains { _ in call.check() }
      expectEqual(isTooLong, expected)
    }

    @Test(
      "Only 127.0.0.0/8 and ::1 are addresses of this computer", .promise("https-only"),
      arguments: [
        ("127.0.0.1", true), ("127.255.3.4", true), ("128.0.0.1", false), ("10.0.0.1", false),
        ("0.0.0.0", false), ("::1", true), ("::", false), ("::2", false), ("fe80::1", false),
        ("::ffff:127.0.0.1", false), ("100::1", false),
      ])
    func loopback(address: String, expected: Bool) throws {
      var socketAddress = IDXSocketAddress()
      let result = withUnsafeMutableBytes(of: &socketAddress.bytes) { bytes in
        address.contains(":")
          ? inet_pton(AF_INET6, address, bytes.baseAddress.map { $0 + 8 })
          : inet_pton(AF_INET, address, bytes.baseAddress.map { $0 + 4 })
      }
      try require(result == 1)
      socketAddress.family = address.contains(":") ? AF_INET6 : AF_INET
      expectEqual(socketAddress.isLoopback, expected)
    }

    @Test(
      "Before the request left, each step towards the connection can fail; afterwards, only the connection or the response",
      arguments: [
        (IDX_CURLE_COULDNT_RESOLVE_HOST, false, .unknownHost),
        (IDX_CURLE_COULDNT_RESOLVE_PROXY, false, .unreachable),
        (IDX_CURLE_PROXY, false, .unreachable),
        (IDX_CURLE_COULDNT_CONNECT, false, .unreachable),
        (IDX_CURLE_RECV_ERROR, false, .unreachable),
        (IDX_CURLE_PEER_FAILED_VERIFICATION, false, .insecure),
        (IDX_CURLE_SSL_CACERT_BADFILE, false, .insecure),
        (IDX_CURLE_SSL_CONNECT_ERROR, false, .insecure), (IDX_CURLE_SSL_CIPHER, false, .insecure),
        (IDX_CURLE_URL_MALFORMAT, false, .requestRefused),
        (IDX_CURLE_OPERATION_TIMEDOUT, false, .timedOut),
        (IDX_CURLE_UNSUPPORTED_PROTOCOL, false, .connectionLost), (999, false, .connectionLost),
        (IDX_CURLE_COULDNT_CONNECT, true, .connectionLost),
        (IDX_CURLE_SSL_CONNECT_ERROR, true, .connectionLost),
        (IDX_CURLE_PEER_FAILED_VERIFICATION, true, .connectionLost),
        (IDX_CURLE_HTTP2, true, .connectionLost), (IDX_CURLE_PARTIAL_FILE, true, .connectionLost),
        (IDX_CURLE_GOT_NOTHING, true, .connectionLost),
        (IDX_CURLE_ABORTED_BY_CALLBACK, true, .connectionLost), (999, true, .connectionLost),
        (IDX_CURLE_UNSUPPORTED_PROTOCOL, true, .badResponse),
        (IDX_CURLE_WEIRD_SERVER_REPLY, true, .badResponse),
        (IDX_CURLE_FILESIZE_EXCEEDED, true, .responseTooLarge),
      ] as [(Int, Bool, TransportError.Code)])
    func codes(result: Int, hasLeft: Bool, code: TransportError.Code) {
      let reason = TransportFailure(
        libcurl: result, detail: "detail", mayHaveLeft: hasLeft, proxyStatus: nil, limit: 9)
      expectEqual(reason.error(attempt: "GET a/", mayHaveArrived: hasLeft).code, code)
    }

    @Test(
      "What a proxy refuses is a failure of the proxy, and only some of them may pass",
      arguments: [IDX_CURLE_RECV_ERROR, IDX_CURLE_GOT_NOTHING, 999],
      [(0, .proxyFailed("no")), (502, .proxyFailed("no")), (403, .proxyRefused(403))]
        as [(Int, TransportFailure)])
    func proxy(result: Int, proxy: (status: Int, failure: TransportFailure)) {
      let reason = TransportFailure(
        libcurl: result, detail: "no", mayHaveLeft: false, proxyStatus: proxy.status, limit: 9)
      expectEqual(reason, proxy.failure)
    }

    @Test(
      "A server without TLS is named",
      arguments: [
        "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
        "GnuTLS, handshake failed: An unexpected TLS packet was received.",
      ])
    func notTLS(detail: String) {
      let reason = TransportFailure(
        libcurl: IDX_CURLE_SSL_CONNECT_ERROR, detail: detail, mayHaveLeft: false, proxyStatus: nil,
        limit: 9)
      expectEqual(
        reason.error(attempt: "GET a/", mayHaveArrived: false).message,
        "GET a/ failed: the server does not use https at this port, but perhaps plain http.")
    }
  }
#endif
