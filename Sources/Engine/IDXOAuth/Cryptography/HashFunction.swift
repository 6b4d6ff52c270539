#if canImport(CryptoKit)
  import CryptoKit
#endif

/// A hash function of FIPS 180-4 and its HMAC (RFC 2104).
package enum HashFunction: Sendable, Hashable, CaseIterable {
  case sha1
  case sha256
  case sha512

  /// The digest of these bytes: 20, 32 or 64 bytes.
  package func hash(_ bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      switch self {
      case .sha1: Array(CryptoKit.Insecure.SHA1.hash(data: bytes))
      case .sha256: Array(CryptoKit.SHA256.hash(data: bytes))
      case .sha512: Array(CryptoKit.SHA512.hash(data: bytes))
      }
    #else
      switch self {
      case .sha1: SHA1.hash(bytes)
      case .sha256: SHA256.hash(bytes)
      case .sha512: SHA512.hash(bytes)
      }
    #endif
  }

  /// The HMAC of a message; the key may have any length.
  package func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var block = key.count > blockSize ? hash(key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    let inner = hash(block.map { $0 ^ 0x36 } + message)
    return hash(block.map { $0 ^ 0x5c } + inner)
  }

  private var blockSize: Int { self == .sha512 ? 128 : 64 }
}

#if !canImport(CryptoKit)
  /// SHA-1, for platforms without CryptoKit.
  ///
  /// Source: FIPS 180-4, section 6.1.
  enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
      var state: [UInt32] = [
        0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0,
      ]
      MessageBlocks.forEach(of: message, scheduleCount: 80, as: UInt32.self) { schedule in
        var t = 16
        while t < 80 {
          let mixed = schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16]
          schedule[t] = rotate(mixed, left: 1)
          t += 1
        }
        compress(schedule, into: &state)
      }
      return MessageBlocks.bytes(of: state)
    }

    private static func compress(
      _ schedule: UnsafeMutablePointer<UInt32>, into state: inout [UInt32]
    ) {
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

  /// SHA-256, for platforms without CryptoKit.
  ///
  /// Source: FIPS 180-4, section 6.2.
  enum SHA256 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
      var state = start
      MessageBlocks.forEach(of: message, scheduleCount: 64, as: UInt32.self) { schedule in
        var t = 16
        while t < 64 {
          let early = schedule[t - 15]
          let late = schedule[t - 2]
          let first = (early &>> 7 | early &<< 25) ^ (early &>> 18 | early &<< 14) ^ early &>> 3
          let second = (late &>> 17 | late &<< 15) ^ (late &>> 19 | late &<< 13) ^ late &>> 10
          schedule[t] = schedule[t - 16] &+ first &+ schedule[t - 7] &+ second
          t += 1
        }
        rounds.withUnsafeBufferPointer { compress(schedule, $0, into: &state) }
      }
      return MessageBlocks.bytes(of: state)
    }

    private static func compress(
      _ schedule: UnsafeMutablePointer<UInt32>, _ rounds: UnsafeBufferPointer<UInt32>,
      into state: inout [UInt32]
    ) {
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      // Without calls, which take longer than the arithmetic in a debug build.
      var t = 0
      while t < 64 {
        var sum = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21)
        sum ^= e &>> 25 | e &<< 7
        sum = sum &+ h &+ (g ^ (e & (f ^ g)))
        sum = sum &+ rounds[t] &+ schedule[t]
        h = g
        g = f
        f = e
        e = d &+ sum
        sum = sum &+ ((a & b) | (c & (a | b)))
        var sigma = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19)
        sigma ^= a &>> 22 | a &<< 10
        d = c
        c = b
        b = a
        a = sum &+ sigma
        t += 1
      }
      state[0] &+= a
      state[1] &+= b
      state[2] &+= c
      state[3] &+= d
      state[4] &+= e
      state[5] &+= f
      state[6] &+= g
      state[7] &+= h
    }

    /// The fractions of the square roots of the first eight primes.
    private static let start: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c,
      0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// The fractions of the cube roots of the first 64 primes.
    private static let rounds: [UInt32] = [
      0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
      0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
      0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
      0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
      0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
      0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
      0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
      0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
      0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
      0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
      0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
  }

  /// SHA-512, for platforms without CryptoKit.
  ///
  /// Source: FIPS 180-4, section 6.4.
  enum SHA512 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
      var state = start
      MessageBlocks.forEach(of: message, scheduleCount: 80, as: UInt64.self) { schedule in
        var t = 16
        while t < 80 {
          let (early, late) = (schedule[t - 15], schedule[t - 2])
          let first = rotate(early, 1) ^ rotate(early, 8) ^ early &>> 7
          let second = rotate(late, 19) ^ rotate(late, 61) ^ late &>> 6
          schedule[t] = schedule[t - 16] &+ first &+ schedule[t - 7] &+ second
          t += 1
        }
        rounds.withUnsafeBufferPointer { compress(schedule, $0, into: &state) }
      }
      return MessageBlocks.bytes(of: state)
    }

    private static func compress(
      _ schedule: UnsafeMutablePointer<UInt64>, _ rounds: UnsafeBufferPointer<UInt64>,
      into state: inout [UInt64]
    ) {
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for t in 0..<80 {
        let choice = (e & f) ^ (~e & g)
        let majority = (a & b) ^ (a & c) ^ (b & c)
        let sigma1 = rotate(e, 14) ^ rotate(e, 18) ^ rotate(e, 41)
        let sum = h &+ sigma1 &+ choice &+ rounds[t] &+ schedule[t]
        let sigma0 = rotate(a, 28) ^ rotate(a, 34) ^ rotate(a, 39)
        (h, g, f, e) = (g, f, e, d &+ sum)
        (d, c, b, a) = (c, b, a, sum &+ sigma0 &+ majority)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word &>> count | word &<< (64 &- count)
    }

    /// The fractions of the square roots of the first eight primes.
    private static let start: [UInt64] = [
      0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b,
      0xa54f_f53a_5f1d_36f1, 0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f,
      0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]

    /// The fractions of the cube roots of the first 80 primes.
    private static let rounds: [UInt64] = [
      0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f,
      0xe9b5_dba5_8189_dbbc, 0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019,
      0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118, 0xd807_aa98_a303_0242,
      0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
      0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235,
      0xc19b_f174_cf69_2694, 0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3,
      0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65, 0x2de9_2c6f_592b_0275,
      0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
      0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f,
      0xbf59_7fc7_beef_0ee4, 0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725,
      0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70, 0x27b7_0a85_46d2_2ffc,
      0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
      0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6,
      0x9272_2c85_1482_353b, 0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001,
      0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30, 0xd192_e819_d6ef_5218,
      0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
      0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99,
      0x34b0_bcb5_e19b_48a8, 0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb,
      0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3, 0x748f_82ee_5def_b2fc,
      0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
      0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915,
      0xc671_78f2_e372_532b, 0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207,
      0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178, 0x06f0_67aa_7217_6fba,
      0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
      0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc,
      0x431d_67c4_9c10_0d4c, 0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a,
      0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
    ]
  }

  /// Padding (section 5.1) and big-endian words, for all hash functions of FIPS 180-4.
  enum MessageBlocks {
    /// The message, a one bit, zeros, and the message's length in bits, filling whole blocks.
    static func pad(_ message: [UInt8], blockSize: Int) -> [UInt8] {
      let lengthSize = blockSize / 8
      let used = message.count + 1 + lengthSize
      let zeros = (blockSize - used % blockSize) % blockSize
      var padded = message
      padded.reserveCapacity(used + zeros)
      padded.append(0x80)
      // A message in memory never needs more than 64 bits for its length.
      padded += [UInt8](repeating: 0, count: zeros + lengthSize - 8)
      padded += bytes(of: [UInt64(message.count) &* 8])
      return padded
    }

    /// Calls `body` for each block of a padded message, with its sixteen words at the beginning of a schedule.
    ///
    /// Unsafe pointers, because checks of the index would take longer than the arithmetic.
    @inline(__always)
    static func forEach<Word: FixedWidthInteger>(
      of message: [UInt8], scheduleCount: Int, as: Word.Type,
      _ body: (UnsafeMutablePointer<Word>) -> Void
    ) {
      let size = Word.bitWidth / 8
      withUnsafeTemporaryAllocation(of: Word.self, capacity: scheduleCount) { schedule in
        schedule.initialize(repeating: 0)
        guard let words = schedule.baseAddress else { return }
        pad(message, blockSize: 16 * size).withUnsafeBytes { padded in
          for block in stride(from: 0, to: padded.count, by: 16 * size) {
            UnsafeMutableRawBufferPointer(schedule).copyMemory(
              from: UnsafeRawBufferPointer(rebasing: padded[block..<block + 16 * size]))
            var index = 0
            while index < 16 {
              words[index] = words[index].bigEndian
              index += 1
            }
            body(words)
          }
        }
      }
    }

    /// The bytes of these words, the highest byte of each word first.
    static func bytes<Word: FixedWidthInteger>(of words: [Word]) -> [UInt8] {
      var bytes: [UInt8] = []
      for word in words { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
      return bytes
    }
  }
#endif

extension [UInt8] {
  /// The bytes as lowercase hexadecimal digits.
  package var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
