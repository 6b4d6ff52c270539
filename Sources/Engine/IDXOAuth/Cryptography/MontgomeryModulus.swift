/// Modular exponentiation with large odd moduli, by Montgomery multiplication.
///
/// A number is a list of words, lowest first, with as many words as the modulus. The time depends on the
/// values, so use it only with public keys and with the keys of tests.
package struct MontgomeryModulus: Sendable, Hashable {
  private let value: [UInt64]
  /// The negative inverse of the lowest word of the modulus, modulo 2^64.
  private let factor: UInt64
  /// The square of 2^(64 · words), which converts a number into Montgomery form.
  private let square: [UInt64]

  /// Creates a modulus from its bytes, highest first; nil if it is even, is 1 or begins with a zero.
  package init?(_ bytes: [UInt8]) {
    guard let first = bytes.first, first != 0, let last = bytes.last, last & 1 == 1, bytes != [1]
    else { return nil }
    let count = (bytes.count + 7) / 8
    let value = Self.words(of: bytes, count: count)
    var inverse: UInt64 = 1
    // Each round doubles the number of correct bits.
    for _ in 0..<6 { inverse = inverse &* (2 &- value[0] &* inverse) }
    self.value = value
    factor = 0 &- inverse

    let highest = count * 64 - 1 - value[count - 1].leadingZeroBitCount
    var power = [UInt64](repeating: 0, count: count)
    power[highest / 64] = 1 << UInt64(highest % 64)
    Arithmetic.run(modulo: value, factor: factor, numbers: 0) { arithmetic, _ in
      power.withUnsafeMutableBufferPointer { buffer in
        guard let power = buffer.baseAddress else { return }
        // The Montgomery form of 1, doubled once for each word, and then squared six times: the form of
        // 2^count to the power of 64.
        for _ in highest..<count * 65 { arithmetic.double(power) }
        for _ in 0..<6 { arithmetic.multiply(power, power, into: power) }
      }
    }
    square = power
  }

  /// A number to the power of a positive exponent; nil if the number is not below the modulus.
  ///
  /// The number and the result are bytes, highest first, and have the same length.
  package func power(_ base: [UInt8], _ exponent: UInt32) -> [UInt8]? {
    let count = value.count
    guard base.count <= count * 8, exponent > 0 else { return nil }
    var number = Self.words(of: base, count: count)
    let isBelow = Arithmetic.run(modulo: value, factor: factor, numbers: 2) { arithmetic, numbers in
      number.withUnsafeMutableBufferPointer { buffer in
        guard let number = buffer.baseAddress, Arithmetic.isBelow(number, arithmetic.modulus, count)
        else { return false }
        let (base, result) = (numbers, numbers + count)
        square.withUnsafeBufferPointer { square in
          if let square = square.baseAddress { arithmetic.multiply(number, square, into: base) }
        }
        result.update(from: base, count: count)
        // A last product with a number that is not in Montgomery form leaves that form.
        let last = exponent & 1 == 1 && exponent > 1 ? 1 : 0
        var bit = 31 - exponent.leadingZeroBitCount
        while bit > last {
          bit -= 1
          arithmetic.multiply(result, result, into: result)
          if exponent >> UInt32(bit) & 1 == 1 { arithmetic.multiply(result, base, into: result) }
        }
        if last == 1 {
          arithmetic.multiply(result, result, into: result)
        } else {
          number.update(repeating: 0, count: count)
          number[0] = 1
        }
        arithmetic.multiply(result, number, into: number)
        return true
      }
    }
    return isBelow ? Self.bytes(of: number, count: base.count) : nil
  }

  /// A number from its bytes, highest first.
  private static func words(of bytes: [UInt8], count: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: count)
    var position = 0
    while position < bytes.count {
      let byte = UInt64(bytes[bytes.count - 1 - position])
      words[position / 8] |= byte &<< UInt64(position % 8 * 8)
      position += 1
    }
    return words
  }

  /// The lowest bytes of a number, highest first.
  private static func bytes(of words: [UInt64], count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var position = count
    while position > 0 {
      position -= 1
      bytes.append(UInt8(truncatingIfNeeded: words[position / 8] &>> UInt64(position % 8 * 8)))
    }
    return bytes
  }
}

/// Montgomery multiplication of numbers with `count` words.
///
/// Unsafe pointers, because checks of the index would take as long as the arithmetic, and `while`, because
/// in a debug build each step of `for` takes longer than the arithmetic.
private struct Arithmetic {
  typealias Words = UnsafePointer<UInt64>
  typealias MutableWords = UnsafeMutablePointer<UInt64>

  let modulus: Words
  let count: Int
  let factor: UInt64
  /// Room for a product, twice as many words.
  let product: MutableWords

  /// Runs a body with room for a few more numbers, which are all zero.
  static func run<Result>(
    modulo value: [UInt64], factor: UInt64, numbers: Int,
    _ body: (Arithmetic, MutableWords) -> Result
  ) -> Result {
    let count = value.count
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: (3 + numbers) * count) {
      buffer in
      guard let memory = buffer.baseAddress else { preconditionFailure("A modulus has words.") }
      memory.initialize(repeating: 0, count: buffer.count)
      var row = 0
      while row < count {
        memory[row] = value[row]
        row += 1
      }
      let arithmetic = Arithmetic(
        modulus: Words(memory), count: count, factor: factor, product: memory + count)
      return body(arithmetic, memory + 3 * count)
    }
  }

  /// `left · right / 2^(64 · count)`, below the modulus; the result may be one of the factors.
  func multiply(_ left: Words, _ right: Words, into result: MutableWords) {
    product.update(repeating: 0, count: 2 * count)
    // The same memory means the same number; equal numbers elsewhere only take longer.
    if left == right {
      square(left)
    } else {
      var row = 0
      while row < count {
        product[row + count] = Self.add(left, count, times: right[row], to: product + row)
        row += 1
      }
    }
    let isAbove = reduce()
    let upper = product + count
    if isAbove || !Self.isBelow(upper, modulus, count) {
      subtractModulus(from: upper, into: result)
    } else {
      result.update(from: upper, count: count)
    }
  }

  func multiply(_ left: MutableWords, _ right: MutableWords, into result: MutableWords) {
    multiply(Words(left), Words(right), into: result)
  }

  /// Doubles a number modulo the modulus.
  func double(_ number: MutableWords) {
    var carry: UInt64 = 0
    var row = 0
    while row < count {
      let word = number[row]
      number[row] = word &<< 1 | carry
      carry = word &>> 63
      row += 1
    }
    if carry > 0 || !Self.isBelow(number, modulus, count) {
      subtractModulus(from: number, into: number)
    }
  }

  static func isBelow(_ left: Words, _ right: Words, _ count: Int) -> Bool {
    var row = count
    while row > 0 {
      row -= 1
      if left[row] != right[row] { return left[row] < right[row] }
    }
    return false
  }

  private func subtractModulus(from number: Words, into result: MutableWords) {
    var borrow: UInt64 = 0
    var row = 0
    while row < count {
      let first = number[row].subtractingReportingOverflow(modulus[row])
      let second = first.partialValue.subtractingReportingOverflow(borrow)
      result[row] = second.partialValue
      borrow = first.overflow || second.overflow ? 1 : 0
      row += 1
    }
  }

  /// Adds `count` words times a factor, and returns the word that is carried.
  @inline(__always)
  private static func add(
    _ words: Words, _ count: Int, times factor: UInt64, to sum: MutableWords
  ) -> UInt64 {
    var carry: UInt64 = 0
    var index = 0
    while index < count {
      var product = factor.multipliedFullWidth(by: words[index])
      product.low &+= carry
      if product.low < carry { product.high &+= 1 }
      sum[index] &+= product.low
      carry = sum[index] < product.low ? product.high &+ 1 : product.high
      index += 1
    }
    return carry
  }

  /// The square of a number as the product: each pair of different words is multiplied only once.
  private func square(_ number: Words) {
    var row = 0
    while row < count {
      product[row + count] = Self.add(
        number + row + 1, count - row - 1, times: number[row], to: product + 2 * row + 1)
      row += 1
    }
    var (shifted, carry): (UInt64, UInt64) = (0, 0)
    row = 0
    while row < count {
      let square = number[row].multipliedFullWidth(by: number[row])
      let (low, high) = (product[2 * row], product[2 * row + 1])
      let first = (low &<< 1 | shifted).addingReportingOverflow(square.low)
      let second = first.partialValue.addingReportingOverflow(carry)
      // Two carries: the square's upper word is at most 2^64 - 2, so one of them fits into it.
      let upper = square.high &+ (first.overflow ? 1 : 0)
      let third = (high &<< 1 | low &>> 63).addingReportingOverflow(upper)
      let fourth = third.partialValue.addingReportingOverflow(second.overflow ? 1 : 0)
      product[2 * row] = second.partialValue
      product[2 * row + 1] = fourth.partialValue
      shifted = high &>> 63
      carry = (third.overflow ? 1 : 0) &+ (fourth.overflow ? 1 : 0)
      row += 1
    }
  }

  /// Adds multiples of the modulus until the lower half of the product is zero; returns whether a bit is
  /// carried out of the upper half, which is the result.
  private func reduce() -> Bool {
    var carry: UInt64 = 0
    var row = 0
    while row < count {
      let top = Self.add(modulus, count, times: product[row] &* factor, to: product + row)
      let first = product[row + count].addingReportingOverflow(top)
      let second = first.partialValue.addingReportingOverflow(carry)
      product[row + count] = second.partialValue
      carry = (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
      row += 1
    }
    return carry > 0
  }
}
