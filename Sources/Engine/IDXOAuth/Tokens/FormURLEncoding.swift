/// The encoding of OAuth requests: `application/x-www-form-urlencoded`.
///
/// Source: RFC 6749, appendix B.
package enum FormURLEncoding {
  /// The value of the header field `Content-Type`.
  package static let contentType = "application/x-www-form-urlencoded"

  /// Writes pairs in their order, with spaces as `+`.
  package static func encode(_ pairs: [(String, String)]) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(pairs.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count * 3 / 2 + 2 })
    for (name, value) in pairs {
      if !result.isEmpty { result.append(UInt8(ascii: "&")) }
      percentEncode(name, spaceAsPlus: true, into: &result)
      result.append(UInt8(ascii: "="))
      percentEncode(value, spaceAsPlus: true, into: &result)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Reads pairs in their order; nil if an escape is damaged or the characters are not UTF-8.
  ///
  /// A name without `=` has an empty value. Empty pairs are skipped.
  package static func decode(_ text: String) -> [(name: String, value: String)]? {
    var pairs: [(name: String, value: String)] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecode(parts[0], plusAsSpace: true),
        let value = parts.count > 1 ? percentDecode(parts[1], plusAsSpace: true) : ""
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }

  /// Escapes all bytes except unreserved characters (RFC 3986, section 2.3).
  package static func percentEncode(_ text: String, spaceAsPlus: Bool = false) -> String {
    var result: [UInt8] = []
    percentEncode(text, spaceAsPlus: spaceAsPlus, into: &result)
    return String(decoding: result, as: UTF8.self)
  }

  private static func percentEncode(
    _ text: String, spaceAsPlus: Bool, into result: inout [UInt8]
  ) {
    for byte in text.utf8 {
      if isUnreserved(byte) {
        result.append(byte)
      } else if spaceAsPlus, byte == UInt8(ascii: " ") {
        result.append(UInt8(ascii: "+"))
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
  }

  /// Undoes escapes; nil if one is damaged or the result is not UTF-8.
  package static func percentDecode(
    _ text: some Sequence<UInt8>, plusAsSpace: Bool = false
  ) -> String? {
    var result: [UInt8] = []
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue)
        else { return nil }
        result.append(high << 4 | low)
      case UInt8(ascii: "+") where plusAsSpace: result.append(UInt8(ascii: " "))
      default: result.append(byte)
      }
    }
    return String(validUTF8: result)
  }

  package static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
