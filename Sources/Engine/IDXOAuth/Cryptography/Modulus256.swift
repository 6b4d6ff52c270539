/// Arithmetic modulo a prime between 2^255 and 2^256, in constant time: no branch and no address depends on a
/// number.
///
/// Products are those of Montgomery, so numbers are converted first. A number has four words and no array,
/// because a debug build needs much longer for an array than for the arithmetic.
struct Modulus256: Sendable {
  /// A number below 2^256; the lowest word is the first.
  struct Number: Sendable, Hashable {
    var a: UInt64 = 0
    var b: UInt64 = 0
    var c: UInt64 = 0
    var d: UInt64 = 0
  }

  let value: Number
  /// The negative inverse of the lowest word of the prime, modulo 2^64.
  private let factor: UInt64
  /// The square of 2^256, which converts a number into Montgomery form.
  private let square: Number

  init(_ prime: Number) {
    value = prime
    var inverse: UInt64 = 1
    // Each round doubles the number of correct bits.
    for _ in 0..<6 { inverse = inverse &* (2 &- prime.a &* inverse) }
    factor = 0 &- inverse
    // 2^256 less the prime, doubled 256 times.
    var power = Number().subtracting(prime).difference
    for _ in 0..<256 { power = Self.sum(power, power, modulo: prime) }
    square = power
  }

  /// Converts a number into Montgomery form.
  func enter(_ number: Number) -> Number { multiply(number, square) }

  /// Converts a number from Montgomery form.
  func leave(_ number: Number) -> Number { multiply(number, Number(a: 1)) }

  /// The remainder of a number below twice the prime.
  func reduced(_ number: Number) -> Number { Self.reduced(number, above: 0, modulo: value) }

  /// Whether a number is at least 1 and less than the prime.
  func contains(_ number: Number) -> Bool {
    let isBelow = number.subtracting(value).borrow
    return (number.a | number.b | number.c | number.d).isNotZero & isBelow == 1
  }

  func add(_ left: Number, _ right: Number) -> Number { Self.sum(left, right, modulo: value) }

  func subtract(_ left: Number, _ right: Number) -> Number {
    let (difference, borrow) = left.subtracting(right)
    return difference.adding(value.masked(by: 0 &- borrow)).sum
  }

  /// `left · right / 2^256`, below the prime.
  func multiply(_ left: Number, _ right: Number) -> Number {
    var sum = Number()
    var top: UInt64 = 0
    add(left, times: right.a, to: &sum, &top)
    add(left, times: right.b, to: &sum, &top)
    add(left, times: right.c, to: &sum, &top)
    add(left, times: right.d, to: &sum, &top)
    return Self.reduced(sum, above: top, modulo: value)
  }

  /// The inverse of a number in Montgomery form, by Fermat's little theorem; the exponent is public.
  func inverse(_ number: Number) -> Number {
    let exponent = value.subtracting(Number(a: 2)).difference
    var result = enter(Number(a: 1))
    for byte in exponent.bytes {
      for bit in (0..<8).reversed() {
        result = multiply(result, result)
        if byte >> UInt8(bit) & 1 == 1 { result = multiply(result, number) }
      }
    }
    return result
  }

  /// Adds a number times a word, and then a multiple of the prime that makes the lowest word zero.
  ///
  /// Drops that word; `top` is the fifth one.
  @inline(__always)
  private func add(
    _ number: Number, times word: UInt64, to sum: inout Number, _ top: inout UInt64
  ) {
    var carry: UInt64
    (carry, sum.a) = Self.product(number.a, word, sum.a, 0)
    (carry, sum.b) = Self.product(number.b, word, sum.b, carry)
    (carry, sum.c) = Self.product(number.c, word, sum.c, carry)
    (carry, sum.d) = Self.product(number.d, word, sum.d, carry)
    var above: UInt64 = 0
    let upper = top.adding(carry, &above)
    let multiple = sum.a &* factor
    (carry, _) = Self.product(value.a, multiple, sum.a, 0)
    (carry, sum.a) = Self.product(value.b, multiple, sum.b, carry)
    (carry, sum.b) = Self.product(value.c, multiple, sum.c, carry)
    (carry, sum.c) = Self.product(value.d, multiple, sum.d, carry)
    var again: UInt64 = 0
    sum.d = upper.adding(carry, &again)
    top = above &+ again
  }

  /// `left · right + first + second`, which always fits into two words.
  @inline(__always)
  private static func product(
    _ left: UInt64, _ right: UInt64, _ first: UInt64, _ second: UInt64
  ) -> (high: UInt64, low: UInt64) {
    let product = left.multipliedFullWidth(by: right)
    var (carry, again): (UInt64, UInt64) = (0, 0)
    let low = product.low.adding(first, &carry).adding(second, &again)
    return (product.high &+ carry &+ again, low)
  }

  private static func sum(_ left: Number, _ right: Number, modulo prime: Number) -> Number {
    let (sum, carry) = left.adding(right)
    return reduced(sum, above: carry, modulo: prime)
  }

  /// The remainder of a number below twice the prime, whose fifth word is `above`.
  @inline(__always)
  private static func reduced(
    _ number: Number, above: UInt64, modulo prime: Number
  ) -> Number {
    let (difference, borrow) = number.subtracting(prime)
    // The number itself, if it is below the prime: if the difference borrows and there is no fifth word.
    return Number.choose(number, over: difference, by: 0 &- (borrow & ~above))
  }
}

extension Modulus256.Number {
  /// The number of at most 32 bytes, the highest first.
  init(_ bytes: [UInt8]) {
    self.init()
    for byte in bytes {
      d = d &<< 8 | c &>> 56
      c = c &<< 8 | b &>> 56
      b = b &<< 8 | a &>> 56
      a = a &<< 8 | UInt64(byte)
    }
  }

  /// The 32 bytes of the number, the highest first.
  var bytes: [UInt8] {
    [d, c, b, a].flatMap { word in
      stride(from: 56 as UInt64, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word &>> $0) }
    }
  }

  /// The hexadecimal digit at a position, the lowest first.
  func digit(_ position: Int) -> UInt64 {
    let word =
      switch position / 16 {
      case 0: a
      case 1: b
      case 2: c
      default: d
      }
    return word &>> UInt64(position % 16 * 4) & 15
  }

  /// One of two numbers: the first if all bits of the mask are set, the second if none is.
  @inline(__always)
  static func choose(_ first: Self, over second: Self, by mask: UInt64) -> Self {
    Self(
      a: second.a ^ (first.a ^ second.a) & mask, b: second.b ^ (first.b ^ second.b) & mask,
      c: second.c ^ (first.c ^ second.c) & mask, d: second.d ^ (first.d ^ second.d) & mask)
  }

  func masked(by mask: UInt64) -> Self { Self(a: a & mask, b: b & mask, c: c & mask, d: d & mask) }

  /// The sum modulo 2^256, and the bit that is carried out of it.
  @inline(__always)
  func adding(_ other: Self) -> (sum: Self, carry: UInt64) {
    var carry: UInt64 = 0
    let sum = Self(
      a: a.adding(other.a, &carry), b: b.adding(other.b, &carry), c: c.adding(other.c, &carry),
      d: d.adding(other.d, &carry))
    return (sum, carry)
  }

  /// The difference modulo 2^256, and 1 if the other number is larger.
  @inline(__always)
  func subtracting(_ other: Self) -> (difference: Self, borrow: UInt64) {
    var borrow: UInt64 = 0
    let difference = Self(
      a: a.subtracting(other.a, &borrow), b: b.subtracting(other.b, &borrow),
      c: c.subtracting(other.c, &borrow), d: d.subtracting(other.d, &borrow))
    return (difference, borrow)
  }
}

// Carries are computed from bits, because a compiler makes branches of comparisons.
extension UInt64 {
  /// 1 unless the number is zero.
  var isNotZero: UInt64 { (self | (0 &- self)) &>> 63 }

  /// The sum with another word and a carry, which is then the carry of the sum.
  @inline(__always)
  fileprivate func adding(_ other: UInt64, _ carry: inout UInt64) -> UInt64 {
    let sum = self &+ other &+ carry
    carry = (self & other | (self | other) & ~sum) &>> 63
    return sum
  }

  /// The difference to another word and a borrow, which is then the borrow of the difference.
  @inline(__always)
  fileprivate func subtracting(_ other: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let difference = self &- other &- borrow
    borrow = (~self & other | (~self | other) & difference) &>> 63
    return difference
  }
}
