extension JSONValue {
  /// The value as UTF-8 JSON without white space, members in order.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// The value as JSON text without white space.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Writes values as UTF-8 JSON.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  /// Most requests fit into this, so that the bytes are allocated once.
  init() { bytes.reserveCapacity(480) }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): bytes.append(contentsOf: number.literal.utf8)
    case .string(let string): write(string)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(member.name)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    // Written as it is first, and anew where that will not do, which is seldom.
    let start = bytes.count
    bytes.append(contentsOf: string.utf8)
    if !bytes[start...].allSatisfy(Self.isPlain) {
      bytes.removeSubrange(start...)
      writeEscaping(string)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a byte is a character that stands for itself.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func writeEscaping(_ string: String) {
    var previous: UInt8 = 0
    for byte in string.utf8 {
      defer { previous = byte }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0x00..<0x20, 0x7F: escape(byte)
      // Control characters beyond ASCII steer terminals too; in UTF-8 they follow 0xC2.
      case 0x80..<0xA0 where previous == 0xC2:
        bytes.removeLast()
        escape(byte)
      default: bytes.append(byte)
      }
    }
  }

  private mutating func escape(_ code: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(contentsOf: "\\u00".utf8)
    bytes.append(digits[Int(code >> 4)])
    bytes.append(digits[Int(code & 15)])
  }
}
