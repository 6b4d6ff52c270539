import Foundation

/// A request with its whole body.
public struct HTTPRequest: Sendable {
  /// The method in capital letters.
  public var method: String
  /// The path, decoded.
  public let path: String
  /// The path and the query, as received.
  public let target: String
  /// The header fields by their names in lowercase.
  public var headers: [String: String]
  /// The body; empty if there is none.
  public var body: [UInt8]

  /// Creates a request.
  public init(
    method: String = "GET", target: String, headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    let encoded = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    path = Self.decoded(encoded)
    self.headers = headers
    self.body = body
  }

  /// The value of a cookie; nil if there is none.
  ///
  /// Only bytes count. A browser lets another host set a cookie with a name that is the same in Unicode,
  /// or has other spaces around it, although it protects the name itself.
  public func cookie(_ name: String) -> String? {
    for pair in (headers["cookie"] ?? "").utf8.split(separator: UInt8(ascii: ";")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map(Self.withoutSpaces)
      guard parts.count == 2, parts[0].utf8.elementsEqual(name.utf8) else { continue }
      return String(parts[1])
    }
    return nil
  }

  private static func withoutSpaces(_ text: Substring.UTF8View) -> Substring {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let start = text.firstIndex { !isSpace($0) } ?? text.endIndex
    let end = text.lastIndex { !isSpace($0) }.map(text.index(after:)) ?? start
    return Substring(text[start..<end])
  }

  /// The fields of a form in the body, by name; the last value of a name counts.
  public var form: [String: String] {
    let isForm = headers["content-type"]?.lowercased()
      .hasPrefix("application/x-www-form-urlencoded")
    guard isForm == true else { return [:] }
    let pairs = body.split(separator: UInt8(ascii: "&")).map { pair in
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { $0.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 } }
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
    return Dictionary(pairs) { $1 }
  }

  /// The text of bytes that are percent-encoded; a percent sign that encodes nothing stays.
  private static func decoded(_ encoded: some Sequence<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = Array(encoded)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), case let digits = rest.prefix(2).compactMap(value),
        digits.count == 2
      {
        bytes.append(UInt8(digits[0] * 16 + digits[1]))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self).withoutManyMarks
  }

  private static func value(ofHexDigit byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).hexDigitValue
  }
}

extension String {
  /// The text; empty if it has more than 30 combining marks in a row, which no language needs (UAX #15, section 13).
  ///
  /// To compare two texts, Swift sorts the marks of each letter, which takes seconds for some thousands.
  var withoutManyMarks: String {
    var marks = 0
    for scalar in unicodeScalars {
      let isMark =
        !scalar.isASCII && scalar.properties.canonicalCombiningClass != .notReordered
      marks = isMark ? marks + 1 : 0
      if marks > 30 { return "" }
    }
    return self
  }
}

/// A response with its whole body.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields, in order.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of the first header field with a name; nil if there is none.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
