import IDXBase

/// Collects a response from the lines of its head and the parts of its body, as libcurl passes them.
struct ResponseReader {
  /// The most bytes of all heads: of 1xx responses, of the response, and of its trailers.
  static let longestHead = 256 << 10

  /// The longest body in bytes.
  private let longestBody: Int
  /// Whether the request asks for a compressed body, which is then passed on as it is, or for none.
  private let acceptsCoding: Bool
  private var status = 0
  private var headers: [String: String] = [:]
  /// The names of the header fields as they are in `headers`, by their lowercase form.
  private var names: [String: String] = [:]
  private var lastName: String?
  private var headSize = 0
  private var isHTTP1 = false
  private var body: [UInt8] = []
  /// Whether the head of the last response, which is no 1xx, is complete.
  private(set) var isHeadComplete = false
  /// Whether anything of a response came.
  var hasBegun: Bool { headSize > 0 || !body.isEmpty }

  init(longestBody: Int, acceptsCoding: Bool = false) {
    self.longestBody = longestBody
    self.acceptsCoding = acceptsCoding
  }

  /// The response; nil if its head is not complete.
  var response: TransportResponse? {
    isHeadComplete ? TransportResponse(status: status, headers: headers, body: body) : nil
  }

  /// Whether the body ends where the connection ends, because no field says how long it is (RFC 9112, section 6.3).
  ///
  /// A response without a body, such as one to HEAD, also counts as one.
  var endsWithConnection: Bool {
    isHTTP1 && !isWithoutBody && names["content-length"] == nil && !isChunked
  }

  private var isWithoutBody: Bool { status == 204 || status == 304 }

  private var isChunked: Bool {
    let codings = names["transfer-encoding"].flatMap { headers[$0] } ?? ""
    return codings.lowercased().split(separator: ",").last?.trimmed() == "chunked"
  }

  /// Takes a line with its line break: a status line, a header field, the empty line at the end, or a trailer.
  ///
  /// Fields with the same name are joined by commas (RFC 9110, section 5.3). Trailers are left out, because
  /// a field in them need not mean what it means in the head (section 6.5.1). What is no field is ignored.
  mutating func take(line: UnsafeBufferPointer<UInt8>) throws(TransportFailure) {
    headSize += line.count
    guard headSize <= Self.longestHead else { throw .headTooLarge(Self.longestHead) }
    guard !isHeadComplete else { return }
    let line = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if line.starts(with: "HTTP/".utf8) {
      let words = line.split(separator: 0x20)
      status = words.count > 1 ? Int(Self.text(words[1])) ?? 0 : 0
      (headers, names, lastName) = ([:], [:], nil)
      isHTTP1 = line.starts(with: "HTTP/1".utf8)
    } else if line.isEmpty {
      isHeadComplete = status >= 200
    } else if line.first == 0x20 || line.first == 0x09 {
      // The rest of a field that was continued on a new line (RFC 9112, section 5.2).
      if let lastName { headers[lastName, default: ""] += " " + Self.trimmed(line) }
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = Self.text(line[..<colon])
      let value = Self.trimmed(line[(colon + 1)...])
      try checkCoding(name, value)
      if let known = names[name.lowercased()] {
        // Nobody can know where such a response ends (RFC 9110, section 8.6).
        if name.lowercased() == "content-length", value != headers[known] { throw .notHTTP }
        headers[known, default: ""] += ", " + value
        lastName = known
      } else {
        names[name.lowercased()] = name
        headers[name] = value
        lastName = name
      }
    }
  }

  /// Refuses a body that is compressed, which the requests do not ask for: some bytes of it could stand for hours of
  /// work, and libcurl does not notice if it is cut off.
  private func checkCoding(_ name: String, _ value: String) throws(TransportFailure) {
    guard ["content-encoding", "transfer-encoding"].contains(name.lowercased()) else { return }
    let words = value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
    let isPlain = words.allSatisfy { $0 == "chunked" || $0 == "identity" }
    guard isPlain || acceptsCoding || isWithoutBody else { throw .unrequestedEncoding }
  }

  /// Takes a part of the body.
  mutating func take(body part: UnsafeBufferPointer<UInt8>) throws(TransportFailure) {
    guard part.count <= longestBody - body.count else { throw .responseTooLarge(longestBody) }
    body.append(contentsOf: part)
  }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return text(bytes)
  }
}
