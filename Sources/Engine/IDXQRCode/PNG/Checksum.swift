/// The two checksums of a PNG file.
enum Checksum {
  /// The CRC-32 of a chunk.
  ///
  /// Source: W3C Portable Network Graphics, annex D.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in
      remainders[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
  }

  /// The Adler-32 of a zlib stream's content.
  ///
  /// Source: RFC 1950, section 8.
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    let modulus: UInt32 = 65521
    var sum: UInt32 = 1
    var sumOfSums: UInt32 = 0
    for byte in bytes {
      sum = (sum + UInt32(byte)) % modulus
      sumOfSums = (sumOfSums + sum) % modulus
    }
    return sumOfSums << 16 | sum
  }

  /// The CRC-32 of each byte.
  private static let remainders: [UInt32] = (0..<256).map { (byte: UInt32) in
    (0..<8).reduce(byte) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
  }
}
