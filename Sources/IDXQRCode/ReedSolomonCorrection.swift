extension ReedSolomon {
  /// A block of data and correction codewords with its errors put right.
  ///
  /// Nil where there are more errors than half as many as correction codewords. Of polynomials, the
  /// coefficient of the lowest power is the first here.
  func corrected(_ block: [UInt8]) -> [UInt8]? {
    guard block.count < 256, block.count >= generator.count else { return nil }
    let syndromes = syndromes(of: block)
    if syndromes.allSatisfy({ $0 == 0 }) { return block }
    guard let locator = locator(for: syndromes) else { return nil }

    // Forney's formula: the value of an error is the quotient of these two at its place.
    var evaluator = Array(repeating: UInt8(0), count: syndromes.count)
    for (i, a) in locator.enumerated() {
      for (j, b) in syndromes.prefix(syndromes.count - i).enumerated() {
        evaluator[i + j] ^= GaloisField.product(a, b)
      }
    }
    let derivative = locator.dropFirst().enumerated().map { $0.offset % 2 == 0 ? $0.element : 0 }

    var result = block
    var found = 0
    for power in 0..<block.count {
      let inverse = GaloisField.powers[255 - power]
      guard GaloisField.value(of: locator, at: inverse) == 0 else { continue }
      let slope = GaloisField.value(of: derivative, at: inverse)
      guard slope != 0 else { return nil }
      let value = GaloisField.value(of: evaluator, at: inverse)
      result[block.count - 1 - power] ^= GaloisField.product(
        GaloisField.product(value, GaloisField.inverse(slope)), GaloisField.powers[power])
      found += 1
    }
    guard found == locator.count - 1, self.syndromes(of: result).allSatisfy({ $0 == 0 })
    else { return nil }
    return result
  }

  /// The values of a block at the generator's roots: all zero in a block without errors.
  private func syndromes(of block: [UInt8]) -> [UInt8] {
    let polynomial = Array(block.reversed())
    return generator.indices.map { GaloisField.value(of: polynomial, at: GaloisField.powers[$0]) }
  }

  /// The polynomial with a root for each error's place, by the algorithm of Berlekamp and Massey.
  private func locator(for syndromes: [UInt8]) -> [UInt8]? {
    var locator: [UInt8] = [1]
    var earlier: [UInt8] = [1]
    var earlierDiscrepancy: UInt8 = 1
    var errorCount = 0
    var shift = 1
    for step in syndromes.indices {
      var discrepancy = syndromes[step]
      for index in 1..<max(1, min(locator.count, step + 1)) {
        discrepancy ^= GaloisField.product(locator[index], syndromes[step - index])
      }
      guard discrepancy != 0 else {
        shift += 1
        continue
      }
      let factor = GaloisField.product(discrepancy, GaloisField.inverse(earlierDiscrepancy))
      var next = locator
      let missing = earlier.count + shift - next.count
      if missing > 0 { next += Array(repeating: 0, count: missing) }
      for (index, coefficient) in earlier.enumerated() {
        next[index + shift] ^= GaloisField.product(factor, coefficient)
      }
      if 2 * errorCount <= step {
        errorCount = step + 1 - errorCount
        (earlier, earlierDiscrepancy, shift) = (locator, discrepancy, 1)
      } else {
        shift += 1
      }
      locator = next
    }
    while locator.last == 0 { locator.removeLast() }
    return errorCount <= syndromes.count / 2 && locator.count == errorCount + 1 ? locator : nil
  }
}

extension GaloisField {
  /// One divided by an element other than zero.
  static func inverse(_ element: UInt8) -> UInt8 { powers[255 - logarithms[Int(element)]] }

  /// The value of a polynomial, the coefficient of the lowest power first.
  static func value(of polynomial: [UInt8], at point: UInt8) -> UInt8 {
    polynomial.reversed().reduce(0) { product($0, point) ^ $1 }
  }
}
