/// Modular exponentiation with large odd moduli, by Montgomery multiplication.
///
/// A number is a list of words, lowest first, with as many words as the modulus. The time depends on the
/// values, so use it only with public keys and with the keys of tests.
package struct MontgomeryModulus: Sendable, Hashable {
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
    let result =
      exponent & 1 == 1 && exponent > 1
      // The last product with a number that is not in Montgomery form leaves that form.
      ? multiply(power(enter(number), [UInt64(exponent - 1)]), number)
      : leave(power(enter(number), [UInt64(exponent)]))
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
  ///
  /// Unsafe pointers, because checks of the index would take as long as the arithmetic, and `while`, because
  /// in a debug build each step of `for` takes longer than the arithmetic. All three numbers have `count`
  /// words, and the product has twice as many.
  private static func product(
    _ left: Number, _ right: Number, modulo value: Number, factor: UInt64
  ) -> Number {
    let count = value.count
    precondition(left.count == count && right.count == count, "The numbers differ in length.")
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * count) { buffer in
      buffer.initialize(repeating: 0)
      var isAbove = false
      let result = left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
          value.withUnsafeBufferPointer { value in
            guard let left = left.baseAddress, let right = right.baseAddress,
              let value = value.baseAddress, let product = buffer.baseAddress
            else { return Number() }
            // The same memory means the same number; equal numbers elsewhere only take longer.
            if left == right {
              square(left, count, into: product)
            } else {
              var row = 0
              while row < count {
                product[row + count] = add(left, count, times: right[row], to: product + row)
                row += 1
              }
            }
            isAbove = reduce(product, count, modulo: value, factor: factor)
            return Number(UnsafeBufferPointer(start: product + count, count: count))
          }
        }
      }
      return isAbove || !isBelow(result, value) ? difference(result, value) : result
    }
  }

  /// Adds `count` words times a factor, and returns the word that is carried.
  @inline(__always)
  private static func add(
    _ words: UnsafePointer<UInt64>, _ count: Int, times factor: UInt64,
    to sum: UnsafeMutablePointer<UInt64>
  ) -> UInt64 {
    var carry: UInt64 = 0
    var index = 0
    while index < count {
      let product = factor.multipliedFullWidth(by: words[index])
      let first = sum[index].addingReportingOverflow(product.low)
      let second = first.partialValue.addingReportingOverflow(carry)
      carry = product.high &+ (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
      sum[index] = second.partialValue
      index += 1
    }
    return carry
  }

  /// The square of a number, into as many zeros again: each pair of different words is multiplied only once.
  private static func square(
    _ number: UnsafePointer<UInt64>, _ count: Int, into product: UnsafeMutablePointer<UInt64>
  ) {
    var row = 0
    while row < count {
      product[row + count] = add(
        number + row + 1, count - row - 1, times: number[row], to: product + 2 * row + 1)
      row += 1
    }
    var (shifted, carry): (UInt64, UInt64) = (0, 0)
    row = 0
    while row < count {
      let square = number[row].multipliedFullWidth(by: number[row])
      let (low, high) = (product[2 * row], product[2 * row + 1])
      let first = (low << 1 | shifted).addingReportingOverflow(square.low)
      let second = first.partialValue.addingReportingOverflow(carry)
      // Two carries: the square's upper word is at most 2^64 - 2, so one of them fits into it.
      let upper = square.high &+ (first.overflow ? 1 : 0)
      let third = (high << 1 | low >> 63).addingReportingOverflow(upper)
      let fourth = third.partialValue.addingReportingOverflow(second.overflow ? 1 : 0)
      product[2 * row] = second.partialValue
      product[2 * row + 1] = fourth.partialValue
      shifted = high >> 63
      carry = (third.overflow ? 1 : 0) &+ (fourth.overflow ? 1 : 0)
      row += 1
    }
  }

  /// Adds multiples of the modulus until the lower half is zero; returns whether a bit is carried out of the
  /// upper half, which is the result.
  private static func reduce(
    _ product: UnsafeMutablePointer<UInt64>, _ count: Int, modulo value: UnsafePointer<UInt64>,
    factor: UInt64
  ) -> Bool {
    var carry: UInt64 = 0
    var row = 0
    while row < count {
      let top = add(value, count, times: product[row] &* factor, to: product + row)
      let first = product[row + count].addingReportingOverflow(top)
      let second = first.partialValue.addingReportingOverflow(carry)
      product[row + count] = second.partialValue
      carry = (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
      row += 1
    }
    return carry > 0
  }

  private static func sum(_ left: Number, _ right: Number, modulo value: Number) -> Number {
    var result = left
    var carry: UInt64 = 0
    var index = 0
    while index < left.count {
      let first = left[index].addingReportingOverflow(right[index])
      let second = first.partialValue.addingReportingOverflow(carry)
      result[index] = second.partialValue
      carry = first.overflow || second.overflow ? 1 : 0
      index += 1
    }
    return carry > 0 || !isBelow(result, value) ? difference(result, value) : result
  }

  package static func isBelow(_ left: Number, _ right: Number) -> Bool {
    var index = right.count
    while index > 0 {
      index -= 1
      if left[index] != right[index] { return left[index] < right[index] }
    }
    return false
  }

  private static func difference(_ left: Number, _ right: Number) -> Number {
    var result = left
    var borrow: UInt64 = 0
    var index = 0
    while index < right.count {
      let first = left[index].subtractingReportingOverflow(right[index])
      let second = first.partialValue.subtractingReportingOverflow(borrow)
      result[index] = second.partialValue
      borrow = first.overflow || second.overflow ? 1 : 0
      index += 1
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
