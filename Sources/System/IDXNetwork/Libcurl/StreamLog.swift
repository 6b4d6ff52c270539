/// What libcurl's debug texts say about the HTTP/2 stream of a request, and about the end of its connection.
///
/// libcurl tells nowhere else whether the server said that it did not process a request (RFC 9113, section
/// 8.7), or whether it ended the connection itself. The texts are those of 7.88 to 8.23. Another version may have
/// others: then a request counts as one that may have been processed, and a body that ends with the connection as one
/// that is not complete.
struct StreamLog {
  /// The number of the stream of the request; nil before it was sent.
  private var stream: Int?
  /// The last stream that the server processes before it closes the connection; nil if it did not say so.
  private var lastProcessed: Int?
  private var isRefused = false
  /// Whether the server said that it sends nothing more on the connection (`close_notify`).
  private(set) var hasCloseNotify = false

  /// Whether the request was sent on a stream, so that the connection is one of HTTP/2.
  var hasStream: Bool { stream != nil }

  /// Whether the server said that it did not process the request and never will.
  var isUnprocessed: Bool {
    guard let stream else { return false }
    return isRefused || lastProcessed.map { $0 < stream } ?? false
  }

  /// Reads a debug text.
  mutating func read(_ text: String) {
    if let number = Self.number(after: "Using Stream ID: ", in: text) ?? Self.openedStream(text) {
      // What was said about an earlier stream of the connection says nothing about this one.
      self = StreamLog()
      stream = number
    } else if text.hasPrefix("received GOAWAY, ") || text.hasPrefix("recveived GOAWAY, ") {
      lastProcessed = text.split(separator: " ").last.flatMap {
        Self.number(after: "last_stream=", in: String($0))
      }
    } else if text.hasPrefix("REFUSED_STREAM") {
      isRefused = true
    } else if text.hasPrefix("TLS") || text.hasPrefix("SSL"),
      text.firstRange(of: "(IN), TLS alert, close notify") != nil
    {
      hasCloseNotify = true
    }
  }

  /// The number in a text such as `[HTTP/2] [5] OPENED stream for https://…`.
  private static func openedStream(_ text: String) -> Int? {
    let mark = "[HTTP/2] ["
    guard let number = number(after: mark, in: text),
      text.hasPrefix("\(mark)\(number)] OPENED stream")
    else { return nil }
    return number
  }

  private static func number(after mark: String, in text: String) -> Int? {
    text.hasPrefix(mark) ? number(text.utf8.dropFirst(mark.utf8.count)) : nil
  }

  private static func number(_ text: Substring.UTF8View) -> Int? {
    Int(Substring(text.prefix { (0x30...0x39).contains($0) }))
  }
}
