import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cookie as the header field `Set-Cookie` describes it (RFC 6265, section 5.2).
///
/// Attributes that are damaged or unknown are ignored.
package struct SetCookie: Sendable {
  let name: String
  let value: Secret
  /// `Domain`, in lowercase and without a dot at the start; nil if there is none.
  private(set) var domain: String?
  /// `Path`; nil if there is none.
  private(set) var path: String?
  /// `Max-Age` or else `Expires`; nil for a cookie that lasts as long as the sign-in.
  private(set) var expiresAt: Date?
  /// `Secure`.
  private(set) var isSecure = false

  /// Reads one cookie; nil if it has no name.
  init?(_ text: Substring, at now: Date) {
    var parts = text.split(separator: ";", omittingEmptySubsequences: false)[...]
    guard let first = parts.popFirst(), let pair = Self.pair(first), !pair.name.isEmpty,
      let value = pair.value
    else { return nil }
    name = pair.name
    self.value = Secret(value)
    var expires: Date?
    var endOfAge: Date?
    for part in parts {
      guard let (name, value) = Self.pair(part) else { continue }
      // The last attribute with a name counts.
      switch name.lowercased() {
      case "domain":
        let domain = (value ?? "").drop { $0 == "." }.lowercased()
        self.domain = domain.isEmpty ? self.domain : domain
      case "path": path = value.flatMap { $0.hasPrefix("/") ? $0 : nil }
      case "expires": expires = value.flatMap(Date.init(cookieDate:)) ?? expires
      case "max-age": endOfAge = value.flatMap { Self.end(ofAge: $0, from: now) } ?? endOfAge
      case "secure": isSecure = true
      default: break
      }
    }
    expiresAt = endOfAge ?? expires
  }

  /// The cookies of several header fields that a system has joined by commas.
  ///
  /// A comma separates cookies if a name and `=` follow; the comma in a date does not.
  package static func texts(in field: String) -> [Substring] {
    var texts: [Substring] = []
    var start = field.startIndex
    for comma in field.utf8.indices where field.utf8[comma] == UInt8(ascii: ",") {
      let rest = field.utf8[field.utf8.index(after: comma)...].drop { $0 == UInt8(ascii: " ") }
      let end = rest.firstIndex { "=;, ".utf8.contains($0) }
      guard let end, end > rest.startIndex, field.utf8[end] == UInt8(ascii: "=") else { continue }
      texts.append(field[start..<comma])
      start = rest.startIndex
    }
    return texts + [field[start...]]
  }

  /// A name and the value after `=`, without white space around them; nil if both are empty.
  private static func pair(_ text: Substring) -> (name: String, value: String?)? {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let trimmed = halves.map { $0.trimmed { $0 == " " || $0 == "\t" } }
    guard let name = trimmed.first, !name.isEmpty || trimmed.count > 1 else { return nil }
    return (name, trimmed.dropFirst().first)
  }

  /// The time after this many seconds; the past for zero and less.
  private static func end(ofAge text: String, from now: Date) -> Date? {
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    // The number may be too large for an integer.
    let longest = 10 * 366 * 24 * 3600
    let seconds = Int(text) ?? (text.hasPrefix("-") ? 0 : longest)
    return seconds <= 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, longest)))
  }
}

extension SetCookie: Redacted {
  /// The name.
  package var description: String { "cookie \(name.printable)" }
}

extension Date {
  /// Reads the date of a cookie in any format that servers use: `Thu, 01-Jan-1970 00:00:10 GMT` (RFC 6265,
  /// section 5.1.1).
  package init?(cookieDate text: String) {
    var time: [Int]?
    var (day, month, year): (Int?, Int?, Int?)
    let isPart: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), 0x7F...0xFF, 0x00...0x08, 0x0A...0x1F:
        true
      default: false
      }
    }
    for part in text.utf8.split(whereSeparator: { !isPart($0) }) {
      let word = String(decoding: part, as: UTF8.self)
      let digits = part.prefix { (0x30...0x39).contains($0) }
      let number = digits.count <= 4 ? Int(String(decoding: digits, as: UTF8.self)) : nil
      if time == nil, let found = Self.time(word) {
        time = found
      } else if day == nil, (1...2).contains(digits.count) {
        day = number
      } else if month == nil, let index = Self.months.firstIndex(of: word.prefix(3).lowercased()) {
        month = index + 1
      } else if year == nil, (2...4).contains(digits.count) {
        year = number
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    guard year >= 1601 else { return nil }
    func padded(_ number: Int) -> String { String(number).leadingZeros(to: 2) }
    let clock = time.map(padded).joined(separator: ":")
    self.init(timestamp: "\(year)-\(padded(month))-\(padded(day))T\(clock)Z")
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// The hour, minute and second of `08:49:37`.
  private static func time(_ word: String) -> [Int]? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let numbers = parts.compactMap { part in
      (1...2).contains(part.utf8.count) ? UInt8(part).map(Int.init) : nil
    }
    return numbers.count == 3 ? numbers : nil
  }
}
