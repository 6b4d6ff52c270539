import Expectations
import IDXOAuth
import Testing

@testable import IDXNetwork

/// What libcurl says about a stream.
struct StreamLogTests {
  private func log(_ texts: [String]) -> StreamLog {
    var log = StreamLog()
    for text in texts { log.read(text) }
    return log
  }

  @Test(
    "The server has ended the connection itself if its alert has come, and not if only this side sent one",
    .promise("cut-body")
  )
  func closeNotify() {
    expect(log(["TLSv1.3 (IN), TLS alert, close notify (256):"]).hasCloseNotify)
    expect(log(["TLSv1.2 (IN), TLS alert, close notify (256):\n"]).hasCloseNotify)
    for other in [
      "TLSv1.3 (OUT), TLS alert, close notify (256):",
      "TLSv1.3 (IN), TLS alert, internal error (592):",
      "Connection #0 to host a left intact", "Server: TLSv1.3 (IN), TLS alert, close notify (256):",
    ] {
      expect(!log([other]).hasCloseNotify)
    }
  }

  @Test(
    "A request is unprocessed only if the server said so after it was sent",
    .promise("processed-once"))
  func unprocessed() {
    for texts in [
      // libcurl 7.88
      ["Using Stream ID: 5 (easy handle 0x5581)", "recveived GOAWAY, error=0, last_stream=3\n"],
      // libcurl 8.23
      ["[HTTP/2] [5] OPENED stream for https://a/", "received GOAWAY, error=0, last_stream=3"],
      [
        "[HTTP/2] [5] OPENED stream for https://a/", "REFUSED_STREAM, retrying a fresh connect\n",
      ],
    ] {
      expect(log(texts).isUnprocessed, "\(texts)")
    }
    for texts in [
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
    ] {
      expect(!log(texts).isUnprocessed, "\(texts)")
    }
  }
}

/// Reading a response of libcurl.
struct ResponseReaderTests {
  private func reader(_ lines: [String], acceptsCoding: Bool = false) throws -> ResponseReader {
    var reader = ResponseReader(longestBody: 9, acceptsCoding: acceptsCoding)
    for line in lines {
      try Array("\(line)\r\n".utf8).withUnsafeBufferPointer { try reader.take(line: $0) }
    }
    return reader
  }

  /// The failure that a body throws; nil if it throws none.
  private func failure(_ body: () throws -> Void) -> TransportFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? TransportFailure
    }
  }

  @Test(
    "The fields of a whole head are read, whatever their form, but not those of 1xx responses and trailers"
  )
  func fields() throws {
    let response = try require(
      reader([
        "HTTP/1.1 400 Bad Request", "A: 1", "a:2", "B:", "C:  x:y \t", "D: one", "\ttwo",
        "no field",
        "É: ü", "",
      ]).response)
    expectEqual(response.status, 400)
    expectEqual(
      response.headers, ["A": "1, 2", "B": "", "C": "x:y", "D": "one two", "É": "ü"])
    try expectEqual(reader(["HTTP/1.1 200 OK", "A: 1"]).response, nil)
    try expectEqual(reader(["HTTP/1.1 103 Early Hints", "A: 1", ""]).response, nil)
    try expectEqual(reader(["HTTP/1.1 abc", ""]).response, nil)
    try expectEqual(reader([""]).response, nil)
    let last = try require(
      reader(["HTTP/1.1 103 X", "A: 1", "", "HTTP/2 200", "B: 2", "", "C: 3", ""]).response)
    expectEqual(last.headers, ["B": "2"])
  }

  @Test(
    "A compressed body is refused, unless the request asked for it", .promise("cut-body"),
    arguments: [
      ["Content-Encoding: gzip"], ["content-encoding: BR"], ["Transfer-Encoding: gzip, chunked"],
      ["Content-Encoding: gzip, gzip"], ["Content-Encoding: gzip", "content-encoding: br"],
      ["Content-Encoding: gzip", "Transfer-Encoding: gzip, chunked"],
    ])
  func codings(fields: [String]) throws {
    expectEqual(
      failure { _ = try reader(["HTTP/1.1 200 OK"] + fields) }, .unrequestedEncoding)
    let whole = ["HTTP/1.1 200 OK"] + fields + [""]
    try expect(reader(whole, acceptsCoding: true).response != nil)
    let plain = ["HTTP/1.1 200 OK", "Content-Encoding: identity", "Transfer-Encoding: chunked", ""]
    try expect(reader(plain).response != nil)
  }

  @Test(
    "Only a body of HTTP/1 without a length ends with the connection", .promise("cut-body"),
    arguments: [
      (["HTTP/1.0 200 OK"], true), (["HTTP/1.1 200 OK", "Connection: close"], true),
      (["HTTP/1.1 200 OK", "Content-Length: 3"], false),
      (["HTTP/1.1 200 OK", "transfer-encoding: chunked"], false), (["HTTP/2 200"], false),
      (["HTTP/1.1 204 No Content"], false), (["HTTP/1.1 304 Not Modified"], false),
      (["HTTP/1.1 103 X", "Content-Length: 3", "", "HTTP/1.1 200 OK"], true),
    ])
  func ends(head: [String], expected: Bool) throws {
    try expectEqual(reader(head + [""]).endsWithConnection, expected)
  }

  @Test("Two lengths of one body are refused, unless they are equal")
  func lengths() throws {
    let different = ["HTTP/1.1 200 OK", "Content-Length: 2", "content-length: 3"]
    expectEqual(failure { _ = try reader(different) }, .notHTTP)
    let equal = ["HTTP/1.1 200 OK", "Content-Length: 2", "Content-Length: 2", ""]
    try expect(reader(equal).response != nil)
  }

  @Test("Heads together, and a body, are refused beyond their limits")
  func longHead() throws {
    let line = "A: " + String(repeating: "x", count: 1000)
    let long = Array(repeating: line, count: 300)
    let early = long.flatMap { ["HTTP/1.1 103 X", $0, ""] }
    for head in [["HTTP/1.1 200 OK"] + long, early] {
      expectEqual(
        failure { _ = try reader(head) }, .headTooLarge(ResponseReader.longestHead))
    }
    var whole = try reader(["HTTP/1.1 200 OK", ""])
    try [UInt8](repeating: 1, count: 9).withUnsafeBufferPointer { try whole.take(body: $0) }
    expectEqual(whole.response?.body.count, 9)
    let more = failure { try [1 as UInt8].withUnsafeBufferPointer { try whole.take(body: $0) } }
    expectEqual(more, .responseTooLarge(9))
  }
}
