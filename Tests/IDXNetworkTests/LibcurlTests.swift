#if canImport(Glibc)
  import CLibcurl
  import Expectations
  import Foundation
  import IDXOAuth
  import Testing

  @testable import IDXNetwork

  @Suite("libcurl")
  struct LibcurlTests {
    @Test("Without libcurl, nothing is sent, and the error names the package")
    func missing() async throws {
      let library = Result { () throws(Libcurl.Missing) in try Libcurl(["libnothing.so.4"]) }
      let url = try #require(URL(string: "https://acme.okta.example/x"))
      let error = try await failure(
        of: HTTPTransport(library: library), TransportRequest(method: "POST", url: url))
      #expect(error.code == .requestRefused && !error.mayHaveArrived)
      expectEqual(
        error.message,
        "POST acme.okta.example/x was not sent: the library libnothing.so.4 is not installed. Install it, "
          + "for example: apt-get install libcurl4, or dnf install libcurl.")
    }

    @Test("A library without the functions of libcurl is refused")
    func other() throws {
      let error = #expect(throws: Libcurl.Missing.self) { try Libcurl(["libm.so.6"]) }
      #expect(error?.description.contains("too old") == true)
    }

    @Test("The libcurl of the system is new enough")
    func system() throws {
      let library = try Libcurl.system.get()
      #expect(library.has(.oldest))
    }

    @Test(
      "Only 127.0.0.0/8 and ::1 are addresses of this computer",
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
      try #require(result == 1)
      socketAddress.family = address.contains(":") ? AF_INET6 : AF_INET
      expectEqual(socketAddress.isLoopback, expected)
    }

    @Test(
      "Results of libcurl before the request left say that it did not arrive",
      arguments: [
        (IDX_CURLE_COULDNT_RESOLVE_HOST, TransportError.Code.unknownHost),
        (IDX_CURLE_COULDNT_RESOLVE_PROXY, .unreachable), (IDX_CURLE_PROXY, .unreachable),
        (IDX_CURLE_COULDNT_CONNECT, .unreachable), (IDX_CURLE_RECV_ERROR, .unreachable),
        (IDX_CURLE_PEER_FAILED_VERIFICATION, .insecure), (IDX_CURLE_SSL_CACERT_BADFILE, .insecure),
        (IDX_CURLE_SSL_CONNECT_ERROR, .insecure), (IDX_CURLE_SSL_CIPHER, .insecure),
        (IDX_CURLE_URL_MALFORMAT, .requestRefused), (IDX_CURLE_OPERATION_TIMEDOUT, .timedOut),
        (IDX_CURLE_UNSUPPORTED_PROTOCOL, .connectionLost), (999, .connectionLost),
      ])
    func before(result: Int, code: TransportError.Code) {
      let reason = TransportFailure(
        libcurl: result, detail: "detail", mayHaveLeft: false, isHeldByProxy: false, limit: 9)
      expectEqual(reason.error(attempt: "GET a/", mayHaveArrived: false).code, code)
    }

    @Test(
      "After the request left, only the connection or the response can fail",
      arguments: [
        (IDX_CURLE_COULDNT_CONNECT, TransportError.Code.connectionLost),
        (IDX_CURLE_SSL_CONNECT_ERROR, .connectionLost),
        (IDX_CURLE_PEER_FAILED_VERIFICATION, .connectionLost), (IDX_CURLE_HTTP2, .connectionLost),
        (IDX_CURLE_PARTIAL_FILE, .connectionLost), (IDX_CURLE_GOT_NOTHING, .connectionLost),
        (IDX_CURLE_ABORTED_BY_CALLBACK, .connectionLost), (999, .connectionLost),
        (IDX_CURLE_UNSUPPORTED_PROTOCOL, .badResponse),
        (IDX_CURLE_WEIRD_SERVER_REPLY, .badResponse),
        (IDX_CURLE_BAD_CONTENT_ENCODING, .badResponse),
        (IDX_CURLE_FILESIZE_EXCEEDED, .responseTooLarge),
      ])
    func after(result: Int, code: TransportError.Code) {
      let reason = TransportFailure(
        libcurl: result, detail: "detail", mayHaveLeft: true, isHeldByProxy: false, limit: 9)
      expectEqual(reason.error(attempt: "GET a/", mayHaveArrived: true).code, code)
    }

    @Test(
      "What a proxy refuses is a failure of the proxy",
      arguments: [IDX_CURLE_RECV_ERROR, IDX_CURLE_GOT_NOTHING, 999])
    func proxy(result: Int) {
      let reason = TransportFailure(
        libcurl: result, detail: "403", mayHaveLeft: false, isHeldByProxy: true, limit: 9)
      expectEqual(reason, .proxyFailed("403"))
    }

    @Test(
      "A message that quotes a proxy does not contain its password",
      arguments: [
        "Unsupported proxy syntax in 'http://ada:ge@heim@127.0.0.1:2'",
        "Unsupported proxy syntax in 'ada:ge heim@127.0.0.1:2'",
        "Could not resolve proxy: http://ada:geheim@proxy.example",
      ])
    func proxyPassword(message: String) {
      let text = message.withoutUserInfo
      #expect(text.contains("…@") && !text.contains("heim"))
    }
  }

  @Suite("What libcurl says about a stream")
  struct StreamLogTests {
    private func log(_ texts: [String]) -> StreamLog {
      var log = StreamLog()
      for text in texts { log.read(text) }
      return log
    }

    @Test(
      "A request is unprocessed if the server said so after it was sent",
      arguments: [
        // libcurl 7.88
        ["Using Stream ID: 5 (easy handle 0x5581)", "recveived GOAWAY, error=0, last_stream=3\n"],
        // libcurl 8.23
        ["[HTTP/2] [5] OPENED stream for https://a/", "received GOAWAY, error=0, last_stream=3"],
        [
          "[HTTP/2] [5] OPENED stream for https://a/", "REFUSED_STREAM, retrying a fresh connect\n",
        ],
      ])
    func unprocessed(texts: [String]) { #expect(log(texts).isUnprocessed) }

    @Test(
      "Everything else means that it may have been processed",
      arguments: [
        [], ["Using Stream ID: 5 (easy handle 0x5581)"],
        ["Using Stream ID: 5 (easy handle 0x5581)", "recveived GOAWAY, error=0, last_stream=5"],
        ["Using Stream ID: 5 (easy handle 0x5581)", "recveived GOAWAY, error=0, last_stream=7"],
        ["recveived GOAWAY, error=0, last_stream=3"],
        // What was said about an earlier request on the connection.
        ["recveived GOAWAY, error=0, last_stream=3", "Using Stream ID: 5 (easy handle 0x5581)"],
        ["REFUSED_STREAM, retrying a fresh connect", "[HTTP/2] [5] OPENED stream for https://a/"],
        ["Using Stream ID: 5 (easy handle 0x5581)", "received GOAWAY, error=0"],
        ["Using Stream ID: x", "received GOAWAY, error=0, last_stream=3"],
        ["Using Stream ID: 99999999999999999999", "received GOAWAY, error=0, last_stream=3"],
      ])
    func uncertain(texts: [String]) { #expect(!log(texts).isUnprocessed) }
  }

  @Suite("Reading a response of libcurl")
  struct ResponseReaderTests {
    private func reader(_ lines: [String], limit: Int = 9) throws -> ResponseReader {
      var reader = ResponseReader(longestBody: limit)
      for line in lines {
        try Array("\(line)\r\n".utf8).withUnsafeBufferPointer { try reader.take(line: $0) }
      }
      return reader
    }

    @Test("The fields of a head are read, whatever their form")
    func fields() throws {
      let response = try #require(
        reader([
          "HTTP/1.1 400 Bad Request", "A: 1", "a:2", "B:", "C:  x:y \t", "D: one", "\ttwo",
          "no field",
          "É: ü", "",
        ]).response)
      expectEqual(response.status, 400)
      expectEqual(
        response.headers, ["A": "1, 2", "B": "", "C": "x:y", "D": "one two", "É": "ü"])
    }

    @Test("A head without an end, or of a 1xx response, is no response")
    func incomplete() throws {
      #expect(try reader(["HTTP/1.1 200 OK", "A: 1"]).response == nil)
      #expect(try reader(["HTTP/1.1 103 Early Hints", "A: 1", ""]).response == nil)
      #expect(try reader(["HTTP/1.1 abc", ""]).response == nil)
      #expect(try reader([""]).response == nil)
    }

    @Test("The fields of 1xx responses and trailers are left out")
    func others() throws {
      let response = try #require(
        reader(["HTTP/1.1 103 X", "A: 1", "", "HTTP/2 200", "B: 2", "", "C: 3", ""]).response)
      expectEqual(response.headers, ["B": "2"])
    }

    @Test("Only the version 2 of a status line is HTTP/2", arguments: ["1.0", "1.1", "2", "3"])
    func version(number: String) throws {
      try expectEqual(reader(["HTTP/\(number) 200 OK", ""]).isHTTP2, number == "2")
    }

    @Test("Heads are limited together")
    func longHead() throws {
      let line = "A: " + String(repeating: "x", count: 1000)
      #expect(throws: TransportFailure.headTooLarge(ResponseReader.longestHead)) {
        try reader(["HTTP/1.1 200 OK"] + Array(repeating: line, count: 300))
      }
      #expect(throws: TransportFailure.headTooLarge(ResponseReader.longestHead)) {
        try reader(Array(repeating: ["HTTP/1.1 103 X", line, ""], count: 300).flatMap { $0 })
      }
    }

    @Test("A body longer than the limit is refused")
    func longBody() throws {
      var reader = try reader(["HTTP/1.1 200 OK", ""])
      try [UInt8](repeating: 1, count: 9).withUnsafeBufferPointer { try reader.take(body: $0) }
      expectEqual(reader.response?.body.count, 9)
      #expect(throws: TransportFailure.responseTooLarge(9)) {
        try [1].withUnsafeBufferPointer { try reader.take(body: $0) }
      }
    }
  }
#endif
