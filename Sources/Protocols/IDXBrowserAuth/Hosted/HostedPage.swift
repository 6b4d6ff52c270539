package import IDXBase

/// What a hosted sign-in page of an org contains: the state token that its script begins the sign-in with.
///
/// Okta documents the page nowhere. It names the token in one of several ways: as a variable, as a member of an object,
/// or in a text that contains JSON. Each is a text of JavaScript with escapes, and an earlier one may be empty.
package struct HostedPage: Sendable {
  /// The largest number of bytes that is searched: 4 MiB.
  static let maximumSize = 4 << 20
  /// The largest number of bytes of a token: 16 KiB, three times as many as a page contains.
  static let maximumTokenSize = 16 << 10
  /// The largest number of different tokens that are kept: 5.
  static let maximumCount = 5

  /// The tokens that can begin a sign-in, in the order of the page, each once.
  package private(set) var stateTokens: [Secret] = []
  /// Whether the page is that of an org, or an app, that does not use Identity Engine: each state token is empty, or
  /// begins with `00`.
  package private(set) var isClassic = false

  package init(_ body: [UInt8]) {
    guard body.count <= Self.maximumSize else { return }
    var reader = Reader(bytes: body)
    var found: [[UInt8]] = []
    while found.count < Self.maximumCount, let text = reader.nextToken() {
      if text.isEmpty || text.starts(with: Array("00".utf8)) {
        isClassic = true
      } else if !found.contains(text) {
        found.append(text)
      }
    }
    stateTokens = found.map { Secret(String(decoding: $0, as: UTF8.self)) }
    if !stateTokens.isEmpty { isClassic = false }
  }
}

/// Finds the values of `stateToken` in one pass.
private struct Reader {
  private static let name = Array("stateToken".utf8)
  private static let separators = ["=", ":", #"\x3A"#, #"\x3a"#, #"\u003A"#, #"\u003a"#].map {
    Array($0.utf8)
  }
  private static let quotes = [
    "\"", "'", #"\x22"#, #"\x27"#, #"\u0022"#, #"\""#, "&quot;", "&#34;", "&#x22;",
  ].map { Array($0.utf8) }

  let bytes: [UInt8]
  private var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The next value that can be a token, without its escapes; nil after the last one.
  mutating func nextToken() -> [UInt8]? {
    while skipPast(Self.name) {
      guard let token = value().flatMap(Self.token) else { continue }
      return token
    }
    return nil
  }

  private mutating func skipPast(_ text: [UInt8]) -> Bool {
    while index + text.count <= bytes.count {
      if bytes[index] == text[0], bytes[index..<(index + text.count)].elementsEqual(text) {
        index += text.count
        return true
      }
      index += 1
    }
    index = bytes.count
    return false
  }

  /// What follows the name: a closing quote if the name had one, `=` or `:`, and a text in quotes.
  private mutating func value() -> [UInt8]? {
    _ = quote()
    skipSpaces()
    guard skip(anyOf: Self.separators) != nil else { return nil }
    skipSpaces()
    guard let quote = quote() else { return nil }
    let start = index
    while index < bytes.count, index - start <= HostedPage.maximumTokenSize * 6 {
      if bytes[index] == quote[0], bytes[index...].starts(with: quote) {
        defer { index += quote.count }
        return Array(bytes[start..<index])
      }
      // A text ends with its line, unless the line ends with a backslash.
      if bytes[index] == 0x0A || bytes[index] == 0x0D, !isContinued(start) { return nil }
      index += bytes[index] == UInt8(ascii: "\\") && quote.count == 1 ? 2 : 1
    }
    return nil
  }

  private func isContinued(_ start: Int) -> Bool {
    let last =
      bytes[index] == 0x0A && index > start && bytes[index - 1] == 0x0D ? index - 2 : index - 1
    return last >= start && bytes[last] == UInt8(ascii: "\\")
  }

  /// A quote, also one that is escaped in a text around it, or written as HTML.
  private mutating func quote() -> [UInt8]? { skip(anyOf: Self.quotes) }

  /// Skips one of several texts, and returns it; nil if none is here.
  private mutating func skip(anyOf texts: [[UInt8]]) -> [UInt8]? {
    guard let found = texts.first(where: { bytes[index...].starts(with: $0) }) else { return nil }
    index += found.count
    return found
  }

  private mutating func skipSpaces() {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
  }

  // MARK: Escapes

  /// A text without escapes; nil if it cannot be a token.
  private static func token(_ text: [UInt8]) -> [UInt8]? {
    // JSON in a text of JavaScript is escaped twice.
    guard let once = unescaped(text), let token = unescaped(once) else { return nil }
    let isToken = token.allSatisfy { $0.isASCIIAlphanumeric || "-._~+/=".utf8.contains($0) }
    return isToken && token.count <= HostedPage.maximumTokenSize ? token : nil
  }

  private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
    guard text.contains(UInt8(ascii: "\\")) else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        continue
      }
      guard let kind = rest.popFirst() else { return nil }
      switch kind {
      case UInt8(ascii: "x"), UInt8(ascii: "u"):
        let count = kind == UInt8(ascii: "x") ? 2 : 4
        guard let code = UInt8(hexadecimal: rest.prefix(count), count: count) else { return nil }
        result.append(code)
        rest = rest.dropFirst(count)
      case 0x0D: if rest.first == 0x0A { rest.removeFirst() }
      case 0x0A: continue
      default: result.append(kind)
      }
    }
    return result
  }
}

extension UInt8 {
  /// The character with a hexadecimal code; nil if it is none of ASCII.
  fileprivate init?(hexadecimal digits: ArraySlice<UInt8>, count: Int) {
    // A sign is a digit for the initializer of an integer.
    guard digits.count == count, digits.allSatisfy(\.isASCIIAlphanumeric),
      let code = Int(String(decoding: digits, as: UTF8.self), radix: 16), code < 0x80
    else { return nil }
    self = UInt8(code)
  }
}
