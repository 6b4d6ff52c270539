/// A size of code, and what follows from it.
struct QRVersion {
  static let numbers = 1...40

  let number: Int

  init(_ number: Int) { self.number = number }

  /// The modules of one side.
  var size: Int { 17 + 4 * number }

  /// The bits of the byte mode's length.
  var byteCountWidth: Int { number < 10 ? 8 : 16 }

  /// From this version on a code states its version.
  var hasVersionInformation: Bool { number >= 7 }

  /// The rows (and columns) of the alignment patterns' centres, ascending; none in version 1.
  ///
  /// The last is six modules from the edge, and the others are before it at an even distance as
  /// wide as spreads them over the side; what is left over shortens the first step, from 6.
  /// Version 32 alone is not so: the standard's table (annex E) has 26 there, not 28.
  var alignmentCentres: [Int] {
    guard number > 1 else { return [] }
    let first = 6
    let last = size - 7
    let steps = number / 7 + 1
    let distance = number == 32 ? 26 : (last - first + 2 * steps - 1) / (2 * steps) * 2
    return [first] + (0..<steps).reversed().map { last - $0 * distance }
  }

  /// All codewords, of data and of correction: what the patterns and the format leave free.
  var codewordCount: Int {
    let finders = 3 * 8 * 8
    let timing = 2 * (size - 16)
    let formatAndDarkModule = 31
    let versionInformation = hasVersionInformation ? 36 : 0
    var free = size * size - finders - timing - formatAndDarkModule - versionInformation
    let centres = alignmentCentres.count
    if centres > 0 {
      let patterns = centres * centres - 3
      let acrossTiming = 2 * (centres - 2)
      free -= patterns * 25 - acrossTiming * 5
    }
    return free / 8
  }

  func blocks(at correction: QRCode.Correction) -> BlockLayout {
    let index = number - 1
    return BlockLayout(
      codewordCount: codewordCount,
      blockCount: BlockLayout.blockCounts(at: correction)[index],
      correctionPerBlock: BlockLayout.correctionCounts(at: correction)[index])
  }
}
