/// Arithmetic with whole numbers of 256 bits, modulo an odd number of as many.
///
/// Numbers are four words, the lowest first. Products are Montgomery's. It is not made to hide what it
/// computes with, and is for tests alone.
struct Modulus: Sendable {
  typealias Number = [UInt64]

  let value: Number
  /// The square of 2^256, which takes a number into Montgomery's form.
  private let square: Number
  /// What makes the lowest word vanish.
  private let factor: UInt64

  static let zero: Number = [0, 0, 0, 0]
  static let one: Number = [1, 0, 0, 0]

  /// An odd modulus of which the highest bit is set.
  init(_ value: Number) {
    self.value = value
    var inverse: UInt64 = 1
    // Each round doubles the number of bits that are right.
    for _ in 0..<6 { inverse = inverse &* (2 &- value[0] &* inverse) }
    factor = 0 &- inverse
    var square = Self.one
    for _ in 0..<512 { square = Self.sum(square, square, modulo: value) }
    self.square = square
  }

  /// The number that bytes write, the highest first; 32 of them.
  static func number(_ bytes: some Collection<UInt8>) -> Number {
    var words = zero
    for (position, byte) in bytes.reversed().enumerated() where position < 32 {
      words[position / 8] |= UInt64(byte) << UInt64(position % 8 * 8)
    }
    return words
  }

  /// The 32 bytes of a number, the highest first.
  static func bytes(_ number: Number) -> [UInt8] {
    (0..<32).map { (position: Int) -> UInt8 in
      let shift = 56 - position % 8 * 8
      return UInt8(truncatingIfNeeded: number[3 - position / 8] >> shift)
    }
  }

  static func isBelow(_ left: Number, _ right: Number) -> Bool {
    for index in (0..<4).reversed() where left[index] != right[index] {
      return left[index] < right[index]
    }
    return false
  }

  /// A number below 2^256 as one below the modulus.
  func reduced(_ number: Number) -> Number {
    Self.isBelow(number, value) ? number : Self.difference(number, value).result
  }

  func add(_ left: Number, _ right: Number) -> Number { Self.sum(left, right, modulo: value) }

  func subtract(_ left: Number, _ right: Number) -> Number {
    let (result, borrows) = Self.difference(left, right)
    return borrows ? Self.plain(result, value).result : result
  }

  /// A number in Montgomery's form.
  func enter(_ number: Number) -> Number { multiply(number, square) }
  /// A number out of Montgomery's form.
  func leave(_ number: Number) -> Number { multiply(number, Self.one) }

  /// The product of two numbers of which one or both are in Montgomery's form.
  func multiply(_ left: Number, _ right: Number) -> Number {
    var sum: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
    for word in right {
      var carry: UInt64 = 0
      sum.0 = Self.add(left[0], word, sum.0, &carry)
      sum.1 = Self.add(left[1], word, sum.1, &carry)
      sum.2 = Self.add(left[2], word, sum.2, &carry)
      sum.3 = Self.add(left[3], word, sum.3, &carry)
      let top = sum.4.addingReportingOverflow(carry)
      let multiple = sum.0 &* factor
      carry = 0
      _ = Self.add(value[0], multiple, sum.0, &carry)
      sum.0 = Self.add(value[1], multiple, sum.1, &carry)
      sum.1 = Self.add(value[2], multiple, sum.2, &carry)
      sum.2 = Self.add(value[3], multiple, sum.3, &carry)
      let next = top.partialValue.addingReportingOverflow(carry)
      sum.3 = next.partialValue
      sum.4 = (top.overflow ? 1 : 0) + (next.overflow ? 1 : 0)
    }
    let result = [sum.0, sum.1, sum.2, sum.3]
    return sum.4 > 0 ? Self.difference(result, value).result : reduced(result)
  }

  /// The inverse of a number in Montgomery's form, by Fermat: the modulus must be prime.
  func inverse(_ number: Number) -> Number {
    let exponent = Self.difference(value, [2, 0, 0, 0]).result
    var result = enter(Self.one)
    for bit in (0..<256).reversed() {
      result = multiply(result, result)
      if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = multiply(result, number) }
    }
    return result
  }

  /// The low word of `left * right + addend + carry`, of which the high word becomes the carry.
  private static func add(
    _ left: UInt64, _ right: UInt64, _ addend: UInt64, _ carry: inout UInt64
  ) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    let first = product.low.addingReportingOverflow(addend)
    let second = first.partialValue.addingReportingOverflow(carry)
    carry = product.high &+ (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
    return second.partialValue
  }

  private static func sum(_ left: Number, _ right: Number, modulo value: Number) -> Number {
    let (result, carries) = plain(left, right)
    return carries || !isBelow(result, value) ? difference(result, value).result : result
  }

  private static func plain(
    _ left: Number, _ right: Number
  ) -> (result: Number, carries: Bool) {
    var result = zero
    var carry: UInt64 = 0
    for index in 0..<4 {
      let first = left[index].addingReportingOverflow(right[index])
      let second = first.partialValue.addingReportingOverflow(carry)
      result[index] = second.partialValue
      carry = first.overflow || second.overflow ? 1 : 0
    }
    return (result, carry == 1)
  }

  private static func difference(
    _ left: Number, _ right: Number
  ) -> (result: Number, borrows: Bool) {
    var result = zero
    var borrow: UInt64 = 0
    for index in 0..<4 {
      let first = left[index].subtractingReportingOverflow(right[index])
      let second = first.partialValue.subtractingReportingOverflow(borrow)
      result[index] = second.partialValue
      borrow = first.overflow || second.overflow ? 1 : 0
    }
    return (result, borrow == 1)
  }
}
