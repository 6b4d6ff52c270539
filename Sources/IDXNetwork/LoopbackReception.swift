import Foundation

/// Reads the request of a browser that comes to a redirect URI, and words the reply.
///
/// The reply holds nothing of the request.
struct LoopbackReception {
  struct Reply {
    let bytes: [UInt8]
    /// The address that the browser came to; nil where it asks for anything else.
    let url: URL?
  }

  private enum Answer: String {
    case welcome = "200 OK"
    case malformed = "400 Bad Request"
    case elsewhere = "404 Not Found"
    case otherMethod = "405 Method Not Allowed"
    case tooLong = "431 Request Header Fields Too Large"
  }

  /// How many bytes a request may have.
  private static let limit = 16_384

  private let origin: String
  private let authority: String
  private let path: String

  /// A reception for browsers that come to this http address.
  init(_ url: URL) {
    let host = url.host ?? ""
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    // Browsers leave out the port that http has anyway.
    let port = url.port.flatMap { $0 == 80 ? nil : ":\($0)" } ?? ""
    authority = (name + port).lowercased()
    origin = "http://\(authority)"
    let path = url.path(percentEncoded: true)
    self.path = path.isEmpty ? "/" : path
  }

  /// The reply to what was heard; nil where the request is not whole yet.
  func reply(to heard: [UInt8]) -> Reply? {
    let text = String(decoding: heard, as: UTF8.self)
    guard heard.count <= Self.limit else { return reply(.tooLong) }
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].utf8.allSatisfy(Self.isPlain)
    else { return reply(.malformed) }
    guard words[0] == "GET" else { return reply(.otherMethod) }
    let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
      .map { $0.dropFirst("host:".count).trimmingCharacters(in: .whitespaces).lowercased() }
    // A page elsewhere whose name was made to lead here (DNS rebinding) has another host.
    guard hosts == [authority] || hosts == [authority + ":80"] else { return reply(.malformed) }
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == path, parts.count == 2, !parts[1].isEmpty,
      let url = URL(string: origin + words[1])
    else { return reply(.elsewhere) }
    return reply(.welcome, url)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  private func reply(_ answer: Answer, _ url: URL? = nil) -> Reply {
    let words =
      answer == .welcome
      ? "You can close this window and go back to the terminal." : "There is nothing here."
    let body = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Signing in</title>\
      <p>\(words)</p></html>
      """
    let head = [
      "HTTP/1.1 \(answer.rawValue)", "Content-Type: text/html; charset=utf-8",
      "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
      "Referrer-Policy: no-referrer", "Content-Security-Policy: default-src 'none'",
      "X-Content-Type-Options: nosniff", "Connection: close", "", "",
    ]
    return Reply(bytes: Array((head.joined(separator: "\r\n") + body).utf8), url: url)
  }
}
