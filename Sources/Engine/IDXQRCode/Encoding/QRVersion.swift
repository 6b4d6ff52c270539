/// A version of a code, which determines its size and its capacity.
struct QRVersion {
  static let numbers = 1...40

  let number: Int

  init(_ number: Int) { self.number = number }

  /// The number of modules on one side.
  var size: Int { 17 + 4 * number }

  /// The width of the length in byte mode, in bits.
  var byteCountWidth: Int { number < 10 ? 8 : 16 }

  /// Whether a code of this version contains its version number.
  var hasVersionInformation: Bool { number >= 7 }

  /// The coordinates of the centers of the alignment patterns, ascending; empty for version 1.
  ///
  /// The first is 6, and the last is six modules from the opposite edge. The distance between them is
  /// even and the same for all but the first, which is shorter if the distances do not fit. Version 32
  /// is an exception: the standard's table (annex E) has the distance 26 instead of 28.
  var alignmentCenters: [Int] {
    guard number > 1 else { return [] }
    let first = 6
    let last = size - 7
    let steps = number / 7 + 1
    let distance = number == 32 ? 26 : (last - first + 2 * steps - 1) / (2 * steps) * 2
    return [first] + (0..<steps).reversed().map { last - $0 * distance }
  }

  /// The number of codewords for data and correction: the modules that no pattern uses, divided by 8.
  var codewordCount: Int {
    let finders = 3 * 8 * 8
    let timing = 2 * (size - 16)
    let formatAndDarkModule = 31
    let versionInformation = hasVersionInformation ? 36 : 0
    var free = size * size - finders - timing - formatAndDarkModule - versionInformation
    let centers = alignmentCenters.count
    if centers > 0 {
      let patterns = centers * centers - 3
      let acrossTiming = 2 * (centers - 2)
      free -= patterns * 25 - acrossTiming * 5
    }
    return free / 8
  }

  func blocks(at correction: QRCode.Correction) -> BlockLayout {
    let (blocks, correction) = BlockLayout.counts(at: correction)
    return BlockLayout(
      codewordCount: codewordCount, blockCount: blocks[number - 1],
      correctionPerBlock: correction[number - 1])
  }
}

/// How the codewords of a code are divided into blocks, each with its own correction codewords.
struct BlockLayout {
  let codewordCount: Int
  let blockCount: Int
  let correctionPerBlock: Int

  /// The number of codewords for data.
  var dataCount: Int { codewordCount - blockCount * correctionPerBlock }

  /// The number of data codewords of each block; the last blocks may have one more than the first.
  var dataCounts: [Int] {
    let short = dataCount / blockCount
    let long = dataCount % blockCount
    return (0..<blockCount).map { $0 < blockCount - long ? short : short + 1 }
  }

  /// Adds the correction codewords and returns all in the order of placement: the first codeword of
  /// each block, then the second of each, and so on.
  func interleaved(_ data: [UInt8]) -> [UInt8] {
    let code = ReedSolomon(correctionCount: correctionPerBlock)
    var blocks: [ArraySlice<UInt8>] = []
    var corrections: [[UInt8]] = []
    var rest = data[...]
    for count in dataCounts {
      let block = rest.prefix(count)
      rest = rest.dropFirst(count)
      blocks.append(block)
      corrections.append(code.correction(of: block))
    }

    var result: [UInt8] = []
    result.reserveCapacity(codewordCount)
    for index in 0..<(blocks.last?.count ?? 0) {
      for block in blocks where index < block.count {
        result.append(block[block.startIndex + index])
      }
    }
    for index in 0..<correctionPerBlock {
      for correction in corrections { result.append(correction[index]) }
    }
    return result
  }

  /// Splits codewords in the order of placement into blocks, each with its correction codewords.
  func blocks(of codewords: [UInt8]) -> [[UInt8]] {
    let counts = dataCounts
    var blocks = counts.map { _ in [UInt8]() }
    var rest = codewords[...]
    for index in 0..<(counts.last ?? 0) + correctionPerBlock {
      for block in blocks.indices where index >= (counts.last ?? 0) || index < counts[block] {
        if let codeword = rest.popFirst() { blocks[block].append(codeword) }
      }
    }
    return blocks
  }
}

// MARK: - The numbers of blocks and correction codewords by version (ISO/IEC 18004:2015, table 9)

extension BlockLayout {
  /// For each version: the blocks, and the correction codewords of each.
  static func counts(at correction: QRCode.Correction) -> (blocks: [Int], correction: [Int]) {
    switch correction {
    case .low: (lowBlocks, lowCorrection)
    case .medium: (mediumBlocks, mediumCorrection)
    case .quartile: (quartileBlocks, quartileCorrection)
    case .high: (highBlocks, highCorrection)
    }
  }

  private static let lowBlocks = [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4,
    4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
    8, 9, 9, 10, 12, 12, 12, 13, 14, 15,
    16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
  ]
  private static let mediumBlocks = [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5,
    5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
    17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
    31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
  ]
  private static let quartileBlocks = [
    1, 1, 2, 2, 4, 4, 6, 6, 8, 8,
    8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
    23, 23, 25, 27, 29, 34, 34, 35, 38, 40,
    43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
  ]
  private static let highBlocks = [
    1, 1, 2, 4, 4, 4, 5, 6, 8, 8,
    11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
    25, 34, 30, 32, 35, 37, 40, 42, 45, 48,
    51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
  ]
  private static let lowCorrection = [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18,
    20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
    28, 28, 30, 30, 26, 28, 30, 30, 30, 30,
    30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ]
  private static let mediumCorrection = [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26,
    30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    26, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  ]
  private static let quartileCorrection = [
    13, 22, 18, 26, 18, 24, 18, 22, 20, 24,
    28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
    28, 30, 30, 30, 30, 28, 30, 30, 30, 30,
    30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ]
  private static let highCorrection = [
    17, 28, 22, 16, 22, 28, 26, 26, 24, 28,
    24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
    30, 24, 30, 30, 30, 30, 30, 30, 30, 30,
    30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ]
}
