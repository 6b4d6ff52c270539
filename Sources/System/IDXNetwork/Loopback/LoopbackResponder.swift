import IDXBase
import Foundation

/// Parses the request of a browser that returns to a redirect URI, and creates the response.
///
/// The response quotes nothing of the request.
struct LoopbackResponder {
  struct Response {
    let bytes: [UInt8]
    /// The address that the browser returned to; nil if it asked for anything else.
    let url: URL?
  }

  /// A path that leads to a page elsewhere.
  struct Entrance: Sendable {
    let path: String
    let page: URL
    /// Whether nothing else is waited for.
    var isLast = false
  }

  private enum Status: String {
    case ok = "200 OK"
    case found = "302 Found"
    case badRequest = "400 Bad Request"
    case forbidden = "403 Forbidden"
    case notFound = "404 Not Found"
    case methodNotAllowed = "405 Method Not Allowed"
    case headersTooLarge = "431 Request Header Fields Too Large"
  }

  /// The longest request in bytes.
  private static let limit = 16_384

  private let accepts: @Sendable (URL) -> Bool
  private let entrance: @Sendable () -> Entrance?
  private let origin: String
  private let authority: String
  private let path: String

  /// Creates a responder for an http address; `accepts` decides about an address with a query.
  init(
    _ url: URL, entrance: @escaping @Sendable () -> Entrance? = { nil },
    _ accepts: @escaping @Sendable (URL) -> Bool
  ) {
    self.entrance = entrance
    self.accepts = accepts
    // Like browsers, this omits the default port.
    origin = Origin(url).description
    authority = String(origin.dropFirst("http://".count))
    let path = url.path(percentEncoded: true)
    self.path = path.isEmpty ? "/" : path
  }

  /// The response to the bytes received so far; nil if the request is not complete yet.
  ///
  /// `isOwn` says whether the request can come from this user.
  func response(to received: [UInt8], isOwn: @autoclosure () -> Bool = true) -> Response? {
    let text = String(decoding: received, as: UTF8.self)
    guard received.count <= Self.limit else { return response(.headersTooLarge) }
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."),
      words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return response(.badRequest) }
    guard words[0] == "GET" else { return response(.methodNotAllowed) }
    let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
      .map { $0.dropFirst("host:".count).trimmingCharacters(in: .whitespaces).lowercased() }
    // Another host means DNS rebinding: a foreign page whose host name was redirected to this machine.
    guard hosts == [authority] || hosts == [authority + ":80"] else { return response(.badRequest) }
    let languages =
      lines.dropFirst().first { $0.lowercased().hasPrefix("accept-language:") }
      .map { $0.dropFirst("accept-language:".count).trimmingCharacters(in: .whitespaces) } ?? ""
    func answer(
      _ status: Status, _ kind: LoopbackPage.Kind, _ url: URL? = nil, location: URL? = nil
    ) -> Response {
      self.response(status, kind, languages: languages, url, location: location)
    }
    let isEntrance = words[1] == entrance()?.path[...]
    guard isOwn() else {
      return answer(.forbidden, isEntrance ? .entranceOfOtherUser : .otherUser)
    }
    if isEntrance, let entrance = entrance() {
      let end = entrance.isLast ? URL(string: origin + words[1]) : nil
      return answer(.found, .leads, end, location: entrance.page)
    }
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == path, parts.count == 2, !parts[1].isEmpty,
      let url = URL(string: origin + words[1])
    else { return answer(.notFound, .nothing) }
    guard accepts(url) else { return answer(.forbidden, .otherSignIn) }
    let isRefused = parts[1].split(separator: "&").contains { $0.hasPrefix("error=") }
    return answer(.ok, isRefused ? .refused : .accepted, url)
  }

  private func response(
    _ status: Status, _ kind: LoopbackPage.Kind = .nothing, languages: String = "",
    _ url: URL? = nil, location: URL? = nil
  ) -> Response {
    let body = LoopbackPage(kind: kind, languages: languages).html
    let head = [
      "HTTP/1.1 \(status.rawValue)", "Content-Type: text/html; charset=utf-8",
      "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
      "Referrer-Policy: no-referrer", "Content-Security-Policy: \(LoopbackPage.policy)",
      "X-Content-Type-Options: nosniff", "Connection: close",
    ]
    let fields = location.map { ["Location: \($0.absoluteString)"] } ?? []
    return Response(
      bytes: Array(((head + fields + ["", ""]).joined(separator: "\r\n") + body).utf8), url: url)
  }
}
