/// Bits in the order in which they were appended, the first the highest of the first byte.
struct BitBuffer {
  private(set) var bytes: [UInt8] = []
  private(set) var width = 0

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Appends the lowest `width` bits of a value, the highest of them first.
  mutating func append(_ value: Int, width: Int) {
    for bit in (0..<width).reversed() {
      if self.width % 8 == 0 { bytes.append(0) }
      let isSet = (value >> bit) & 1
      bytes[self.width / 8] |= UInt8(isSet << (7 - self.width % 8))
      self.width += 1
    }
  }
}
