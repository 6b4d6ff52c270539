#if !canImport(CryptoKit)
  /// SHA-1, where the system brings none.
  ///
  /// Source: FIPS 180-4, section 6.1.
  enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
      let padded = MessageBlocks.pad(message, blockSize: 64)
      var state: [UInt32] = [
        0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0,
      ]
      var schedule = [UInt32](repeating: 0, count: 80)
      for start in stride(from: 0, to: padded.count, by: 64) {
        MessageBlocks.readWords(of: padded, from: start, into: &schedule)
        for t in 16..<80 {
          let mixed = schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16]
          schedule[t] = rotate(mixed, left: 1)
        }
        compress(schedule, into: &state)
      }
      return MessageBlocks.bytes(of: state)
    }

    private static func compress(_ schedule: [UInt32], into state: inout [UInt32]) {
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for t in 0..<80 {
        let mixed: UInt32
        switch t {
        case 0..<20: mixed = ((b & c) | (~b & d)) &+ 0x5a82_7999
        case 20..<40: mixed = (b ^ c ^ d) &+ 0x6ed9_eba1
        case 40..<60: mixed = ((b & c) | (b & d) | (c & d)) &+ 0x8f1b_bcdc
        default: mixed = (b ^ c ^ d) &+ 0xca62_c1d6
        }
        let next = rotate(a, left: 5) &+ mixed &+ e &+ schedule[t]
        (a, b, c, d, e) = (next, a, rotate(b, left: 30), c, d)
      }
      state[0] &+= a
      state[1] &+= b
      state[2] &+= c
      state[3] &+= d
      state[4] &+= e
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, left count: UInt32) -> UInt32 {
      word &<< count | word &>> (32 &- count)
    }
  }
#endif
