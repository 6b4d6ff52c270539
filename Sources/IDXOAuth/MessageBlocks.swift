#if !canImport(CryptoKit)
  /// What the hash functions of FIPS 180-4 share: padding (section 5.1) and big-endian words.
  enum MessageBlocks {
    /// The message, a one bit, zeros, and the message's length in bits, up to a whole block.
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

    /// Reads the first sixteen words of a block.
    static func readWords<Word: FixedWidthInteger>(
      of bytes: [UInt8], from start: Int, into words: inout [Word]
    ) {
      let size = Word.bitWidth / 8
      for index in 0..<16 {
        var word: Word = 0
        for offset in 0..<size { word = word << 8 | Word(bytes[start + index * size + offset]) }
        words[index] = word
      }
    }

    /// The bytes of these words, the highest of each first.
    static func bytes<Word: FixedWidthInteger>(of words: [Word]) -> [UInt8] {
      words.flatMap { word in
        stride(from: Word.bitWidth - 8, through: 0, by: -8).map {
          UInt8(truncatingIfNeeded: word >> Word($0))
        }
      }
    }
  }
#endif
