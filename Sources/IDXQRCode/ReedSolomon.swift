/// The code that makes a block's correction codewords: a remainder of polynomials over GF(256).
struct ReedSolomon {
  /// The generator's coefficients below the leading one, highest first, as powers of two in the
  /// field; none of them is ever zero, so each has one.
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

/// The field of 256 elements in which QR codes reckon, its modulus x^8 + x^4 + x^3 + x^2 + 1.
enum GaloisField {
  /// The powers of two, twice round, so that a sum of two logarithms needs no modulo.
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

  /// The power of two that an element is; that of zero, which has none, stands as 0.
  static let logarithms: [Int] = {
    var result = Array(repeating: 0, count: 256)
    for exponent in 0..<order { result[Int(powers[exponent])] = exponent }
    return result
  }()

  static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    a == 0 || b == 0 ? 0 : powers[logarithms[Int(a)] + logarithms[Int(b)]]
  }

  private static let order = 255
}
