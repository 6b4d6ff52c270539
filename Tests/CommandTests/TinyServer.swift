/// A server on a loopback port that answers each path always alike.
final class TinyServer: Sendable {
  private let server: LoopbackServer

  /// `responses` are whole HTTP responses by path; what is not among them is not found.
  init(_ responses: [String: String]) throws {
    server = try LoopbackServer()
    server.start { request in
      Array((responses[request.url.path] ?? Self.response("404 Not Found", "")).utf8)
    }
  }

  var port: Int { server.port }

  var issuer: String { "http://127.0.0.1:\(port)/oauth2/default" }

  static func response(_ status: String, _ body: String, _ headers: String...) -> String {
    let head =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return head.joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}
