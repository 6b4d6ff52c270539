/// Modular exponentiation with large odd moduli, by Montgomery multiplication.
///
/// A number is a list of words, lowest first, with as many words as the modulus. The time depends on the
/// values, so use it only with public keys and with the keys of tests.
package struct MontgomeryModulus: Sendable {
  package typealias Number = [UInt64]

  package let value: Number
  /// The negative inverse of the lowest word of the modulus, modulo 2^64.
  private let factor: UInt64
  /// The square of 2^(64 · words), which converts a number into Montgomery form.
  private let square: Number

  /// Creates a modulus from its bytes, highest first; nil if it is even, is 1 or begins with a zero.
  package init?(_ bytes: [UInt8]) {
    guard let first = bytes.first, first != 0, let last = bytes.last, last & 1 == 1, bytes != [1]
    else { return nil }
    value = Self.words(of: bytes, count: (bytes.count + 7) / 8)
    var inverse: UInt64 = 1
    // Each round doubles the number of correct bits.
    for _ in 0..<6 { inverse = inverse &* (2 &- value[0] &* inverse) }
    factor = 0 &- inverse

    let width = value.count * 64
    let highest = width - 1 - value[value.count - 1].leadingZeroBitCount
    var power = Number(repeating: 0, count: value.count)
    power[highest / 64] = 1 << UInt64(highest % 64)
    for _ in highest..<width { power = Self.sum(power, power, modulo: value) }
    // `power` is the Montgomery form of 1. The square is the form of 2^width, by binary exponentiation.
    var result = power
    for bit in (0..<(Int.bitWidth - width.leadingZeroBitCount)).reversed() {
      result = Self.product(result, result, modulo: value, factor: factor)
      if width >> bit & 1 == 1 { result = Self.sum(result, result, modulo: value) }
    }
    square = result
  }

  /// A number to the power of a positive exponent; nil if the number is not below the modulus.
  ///
  /// The number and the result are bytes, highest first, and have the same length.
  package func power(_ base: [UInt8], _ exponent: UInt32) -> [UInt8]? {
    guard base.count <= value.count * 8, exponent > 0 else { return nil }
    let number = Self.words(of: base, count: value.count)
    guard Self.isBelow(number, value) else { return nil }
    let result = leave(power(enter(number), [UInt64(exponent)]))
    return Self.bytes(of: result, count: base.count)
  }

  /// A number in Montgomery form to the power of a positive exponent.
  package func power(_ base: Number, _ exponent: Number) -> Number {
    let top = exponent.lastIndex { $0 != 0 } ?? 0
    var result = base
    for bit in (0..<(top * 64 + 63 - exponent[top].leadingZeroBitCount)).reversed() {
      result = multiply(result, result)
      if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = multiply(result, base) }
    }
    return result
  }

  /// Converts a number into Montgomery form.
  package func enter(_ number: Number) -> Number { multiply(number, square) }

  /// Converts a number from Montgomery form.
  package func leave(_ number: Number) -> Number {
    multiply(number, [1] + Number(repeating: 0, count: value.count - 1))
  }

  package func multiply(_ left: Number, _ right: Number) -> Number {
    Self.product(left, right, modulo: value, factor: factor)
  }

  package func add(_ left: Number, _ right: Number) -> Number {
    Self.sum(left, right, modulo: value)
  }

  package func subtract(_ left: Number, _ right: Number) -> Number {
    Self.isBelow(left, right)
      ? Self.difference(value, Self.difference(right, left)) : Self.difference(left, right)
  }

  /// `left · right / 2^(64 · words)`, below the modulus.
  private static func product(
    _ left: Number, _ right: Number, modulo value: Number, factor: UInt64
  ) -> Number {
    let count = value.count
    var sum = Number(repeating: 0, count: count)
    var top: UInt64 = 0
    for word in right {
      // Both rows are added in one pass, each with its own carry.
      var product = word.multipliedFullWidth(by: left[0])
      var lowest = sum[0].addingReportingOverflow(product.low)
      var carry = product.high &+ (lowest.overflow ? 1 : 0)
      let multiple = lowest.partialValue &* factor
      product = multiple.multipliedFullWidth(by: value[0])
      lowest = lowest.partialValue.addingReportingOverflow(product.low)
      var reduction = product.high &+ (lowest.overflow ? 1 : 0)
      var index = 1
      while index < count {
        product = word.multipliedFullWidth(by: left[index])
        let first = sum[index].addingReportingOverflow(product.low)
        let second = first.partialValue.addingReportingOverflow(carry)
        carry = product.high &+ (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
        product = multiple.multipliedFullWidth(by: value[index])
        let third = second.partialValue.addingReportingOverflow(product.low)
        let fourth = third.partialValue.addingReportingOverflow(reduction)
        reduction = product.high &+ (third.overflow ? 1 : 0) &+ (fourth.overflow ? 1 : 0)
        sum[index &- 1] = fourth.partialValue
        index &+= 1
      }
      let first = top.addingReportingOverflow(carry)
      let second = first.partialValue.addingReportingOverflow(reduction)
      sum[count - 1] = second.partialValue
      top = (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
    }
    return top > 0 || !isBelow(sum, value) ? difference(sum, value) : sum
  }

  private static func sum(_ left: Number, _ right: Number, modulo value: Number) -> Number {
    var result = left
    var carry: UInt64 = 0
    for index in result.indices {
      let first = left[index].addingReportingOverflow(right[index])
      let second = first.partialValue.addingReportingOverflow(carry)
      result[index] = second.partialValue
      carry = first.overflow || second.overflow ? 1 : 0
    }
    return carry > 0 || !isBelow(result, value) ? difference(result, value) : result
  }

  package static func isBelow(_ left: Number, _ right: Number) -> Bool {
    for index in right.indices.reversed() where left[index] != right[index] {
      return left[index] < right[index]
    }
    return false
  }

  private static func difference(_ left: Number, _ right: Number) -> Number {
    var result = left
    var borrow: UInt64 = 0
    for index in right.indices {
      let first = left[index].subtractingReportingOverflow(right[index])
      let second = first.partialValue.subtractingReportingOverflow(borrow)
      result[index] = second.partialValue
      borrow = first.overflow || second.overflow ? 1 : 0
    }
    return result
  }

  /// A number from its bytes, highest first.
  package static func words(of bytes: [UInt8], count: Int) -> Number {
    var words = Number(repeating: 0, count: count)
    for (position, byte) in bytes.reversed().enumerated() {
      words[position / 8] |= UInt64(byte) << UInt64(position % 8 * 8)
    }
    return words
  }

  /// The lowest bytes of a number, highest first.
  package static func bytes(of words: Number, count: Int) -> [UInt8] {
    (0..<count).reversed().map { (position: Int) -> UInt8 in
      let shift = position % 8 * 8
      return UInt8(truncatingIfNeeded: words[position / 8] >> shift)
    }
  }
}
