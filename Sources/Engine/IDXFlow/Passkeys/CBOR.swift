import IDXBase

/// A CBOR value (RFC 8949) of the types that WebAuthn uses, written in CTAP2 canonical form (CTAP 2.1,
/// section 8): shortest lengths, sorted map keys.
package indirect enum CBOR: Sendable, Hashable {
  case integer(Int)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  case map([CBOR: CBOR])
  case bool(Bool)

  /// Reads bytes that contain exactly one value; nil for anything else, and for types that WebAuthn does
  /// not use.
  package init?(_ bytes: some Collection<UInt8>) {
    var reader = CBORReader(rest: ArraySlice(bytes))
    guard let value = reader.value(depth: 0), reader.rest.isEmpty else { return nil }
    self = value
  }

  /// Reads the first value and returns its length in bytes.
  package static func prefix(of bytes: ArraySlice<UInt8>) -> (value: CBOR, length: Int)? {
    var reader = CBORReader(rest: bytes)
    guard let value = reader.value(depth: 0) else { return nil }
    return (value, bytes.count - reader.rest.count)
  }

  /// The encoded bytes.
  package var encoded: [UInt8] {
    switch self {
    case .integer(let number):
      return number < 0
        ? Self.head(1, UInt64(-1 - number)) : Self.head(0, UInt64(number))
    case .bytes(let bytes): return Self.head(2, UInt64(bytes.count)) + bytes
    case .text(let text): return Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .array(let elements):
      return Self.head(4, UInt64(elements.count)) + elements.flatMap(\.encoded)
    case .map(let members):
      let pairs = members.map { (key: $0.key.encoded, value: $0.value.encoded) }
        .sorted { $0.key.precedes($1.key) }
      return Self.head(5, UInt64(pairs.count)) + pairs.flatMap { $0.key + $0.value }
    case .bool(let flag): return [flag ? 0xf5 : 0xf4]
    }
  }

  /// A member of a map.
  package subscript(key: CBOR) -> CBOR? {
    if case .map(let members) = self { members[key] } else { nil }
  }

  /// The bytes, if this is a byte string.
  package var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  private static func head(_ major: UInt8, _ count: UInt64) -> [UInt8] {
    let kind = major << 5
    let octets = (0..<8).map { UInt8(truncatingIfNeeded: count >> UInt64(56 - 8 * $0)) }
    switch count {
    case 0..<24: return [kind | UInt8(count)]
    case 24..<0x100: return [kind | 24] + octets.suffix(1)
    case 0x100..<0x1_0000: return [kind | 25] + octets.suffix(2)
    case 0x1_0000..<0x1_0000_0000: return [kind | 26] + octets.suffix(4)
    default: return [kind | 27] + octets
    }
  }
}

extension [UInt8] {
  /// CTAP2's order of keys: by major type, then by length, then by bytes.
  fileprivate func precedes(_ other: [UInt8]) -> Bool {
    let (mine, theirs) = ((self[0] >> 5, count), (other[0] >> 5, other.count))
    return mine == theirs ? lexicographicallyPrecedes(other) : mine < theirs
  }
}

/// Reads CBOR values from bytes.
private struct CBORReader {
  var rest: ArraySlice<UInt8>

  mutating func value(depth: Int) -> CBOR? {
    // WebAuthn nests four levels. A limit keeps hostile data from overflowing the stack.
    guard depth < 8, let first = rest.popFirst() else { return nil }
    if first == 0xf4 || first == 0xf5 { return .bool(first == 0xf5) }
    guard let argument = argument(first & 31) else { return nil }
    switch first >> 5 {
    case 0: return .integer(argument)
    case 1: return .integer(-1 - argument)
    case 2: return take(argument).map { .bytes(Array($0)) }
    case 3:
      return take(argument).flatMap { String(validUTF8: $0) }.map(CBOR.text)
    case 4: return values(argument, depth).map(CBOR.array)
    case 5:
      guard argument <= rest.count, let all = values(argument * 2, depth) else { return nil }
      let pairs = stride(from: 0, to: all.count, by: 2).map { (all[$0], all[$0 + 1]) }
      let members = Dictionary(pairs) { first, _ in first }
      return members.count == argument ? .map(members) : nil
    default: return nil
    }
  }

  private mutating func argument(_ short: UInt8) -> Int? {
    if short < 24 { return Int(short) }
    guard short < 28, let octets = take(1 << Int(short - 24)) else { return nil }
    return Int(exactly: octets.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func values(_ count: Int, _ depth: Int) -> [CBOR]? {
    guard count <= rest.count else { return nil }
    var values: [CBOR] = []
    for _ in 0..<count {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    }
    return values
  }
}

extension CBOR: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
}

extension CBOR {
  /// An attestation object (WebAuthn Level 2, section 6.5.4).
  package static func attestation(
    format: String, statement: [CBOR: CBOR], authenticatorData: [UInt8]
  ) -> CBOR {
    .map([
      "fmt": .text(format), "attStmt": .map(statement), "authData": .bytes(authenticatorData),
    ])
  }
}
