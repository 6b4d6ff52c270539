/// Computes the correction codewords of a block, and corrects a block with them.
///
/// The correction codewords are the remainder of a division of polynomials over GF(256).
struct ReedSolomon {
  /// The coefficients of the generator polynomial, highest first, without the leading one.
  ///
  /// Each is the exponent of a power of two in the field; none of the coefficients is zero.
  let generator: [Int]

  init(correctionCount: Int) {
    var product: [UInt8] = [1]
    for root in 0..<correctionCount {
      var next = product + [0]
      for (index, coefficient) in product.enumerated() {
        next[index + 1] ^= GaloisField.product(coefficient, GaloisField.powers[root])
      }
      product = next
    }
    generator = product.dropFirst().map { GaloisField.logarithms[Int($0)] }
  }

  /// The correction codewords of a block of data.
  func correction(of data: ArraySlice<UInt8>) -> [UInt8] {
    let count = generator.count
    var remainder = Array(data) + Array(repeating: 0, count: count)
    for index in 0..<data.count where remainder[index] != 0 {
      let factor = GaloisField.logarithms[Int(remainder[index])]
      for offset in 0..<count {
        remainder[index + 1 + offset] ^= GaloisField.powers[factor + generator[offset]]
      }
    }
    return Array(remainder.suffix(count))
  }
}

// MARK: - Correction

extension ReedSolomon {
  /// Corrects the errors of a block of data and correction codewords.
  ///
  /// Returns nil if more codewords are wrong than half the number of correction codewords. In this
  /// extension, polynomials start with the coefficient of the lowest power.
  func corrected(_ block: [UInt8]) -> [UInt8]? {
    guard block.count < 256, block.count >= generator.count else { return nil }
    let syndromes = syndromes(of: block)
    if syndromes.allSatisfy({ $0 == 0 }) { return block }
    guard let locator = locator(for: syndromes) else { return nil }

    // Forney's formula: the value of an error is the quotient of these two polynomials at its location.
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

  /// The values of a block at the roots of the generator; all are zero if the block has no errors.
  private func syndromes(of block: [UInt8]) -> [UInt8] {
    let polynomial = Array(block.reversed())
    return generator.indices.map { GaloisField.value(of: polynomial, at: GaloisField.powers[$0]) }
  }

  /// The polynomial with a root for the location of each error (Berlekamp–Massey algorithm).
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

/// The arithmetic of QR codes: the field of 256 elements with the modulus x^8 + x^4 + x^3 + x^2 + 1.
enum GaloisField {
  /// The powers of two, repeated once, so that a sum of two logarithms can be an index.
  static let powers: [UInt8] = {
    var value = 1
    return (0..<2 * order).map { _ in
      defer {
        value <<= 1
        if value > 0xFF { value ^= 0x11D }
      }
      return UInt8(value)
    }
  }()

  /// The exponent of the power of two that equals an element; 0 for zero, which has no exponent.
  static let logarithms: [Int] = {
    var result = Array(repeating: 0, count: 256)
    for exponent in 0..<order { result[Int(powers[exponent])] = exponent }
    return result
  }()

  static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    a == 0 || b == 0 ? 0 : powers[logarithms[Int(a)] + logarithms[Int(b)]]
  }

  /// The inverse of an element, which must not be zero.
  static func inverse(_ element: UInt8) -> UInt8 { powers[255 - logarithms[Int(element)]] }

  /// The value of a polynomial, which starts with the coefficient of the lowest power.
  static func value(of polynomial: [UInt8], at point: UInt8) -> UInt8 {
    polynomial.reversed().reduce(0) { product($0, point) ^ $1 }
  }

  private static let order = 255
}
