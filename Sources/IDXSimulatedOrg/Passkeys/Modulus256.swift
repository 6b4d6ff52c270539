/// Arithmetic modulo a prime between 2^255 and 2^256, for tests only: the time depends on the values.
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
    var power = Number() &- prime
    for _ in 0..<256 { power = Self.sum(power, power, modulo: prime) }
    square = power
  }

  /// Converts a number into Montgomery form.
  func enter(_ number: Number) -> Number { multiply(number, square) }

  /// Converts a number from Montgomery form.
  func leave(_ number: Number) -> Number { multiply(number, Number(a: 1)) }

  func add(_ left: Number, _ right: Number) -> Number { Self.sum(left, right, modulo: value) }

  func subtract(_ left: Number, _ right: Number) -> Number {
    let difference = left &- right
    return left < right ? difference &+ value : difference
  }

  /// `left · right / 2^256`, below the prime.
  func multiply(_ left: Number, _ right: Number) -> Number {
    var sum = Number()
    var top: UInt64 = 0
    add(left, times: right.a, to: &sum, &top)
    add(left, times: right.b, to: &sum, &top)
    add(left, times: right.c, to: &sum, &top)
    add(left, times: right.d, to: &sum, &top)
    return top > 0 || !(sum < value) ? sum &- value : sum
  }

  /// The inverse of a number in Montgomery form, by Fermat's little theorem.
  func inverse(_ number: Number) -> Number {
    let exponent = value &- Number(a: 2)
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
  private func add(
    _ number: Number, times word: UInt64, to sum: inout Number, _ top: inout UInt64
  ) {
    var carry: UInt64
    (carry, sum.a) = Self.product(number.a, word, sum.a, 0)
    (carry, sum.b) = Self.product(number.b, word, sum.b, carry)
    (carry, sum.c) = Self.product(number.c, word, sum.c, carry)
    (carry, sum.d) = Self.product(number.d, word, sum.d, carry)
    top &+= carry
    let isAbove = top < carry
    let multiple = sum.a &* factor
    (carry, _) = Self.product(value.a, multiple, sum.a, 0)
    (carry, sum.a) = Self.product(value.b, multiple, sum.b, carry)
    (carry, sum.b) = Self.product(value.c, multiple, sum.c, carry)
    (carry, sum.c) = Self.product(value.d, multiple, sum.d, carry)
    sum.d = top &+ carry
    top = (isAbove ? 1 : 0) &+ (sum.d < carry ? 1 : 0)
  }

  /// `left · right + first + second`, which always fits into two words.
  private static func product(
    _ left: UInt64, _ right: UInt64, _ first: UInt64, _ second: UInt64
  ) -> (high: UInt64, low: UInt64) {
    var result = left.multipliedFullWidth(by: right)
    result.low &+= first
    if result.low < first { result.high &+= 1 }
    result.low &+= second
    if result.low < second { result.high &+= 1 }
    return result
  }

  private static func sum(_ left: Number, _ right: Number, modulo prime: Number) -> Number {
    let sum = left &+ right
    // A sum that is below a summand went over 2^256.
    return sum < left || !(sum < prime) ? sum &- prime : sum
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

  static func < (left: Self, right: Self) -> Bool {
    if left.d != right.d { return left.d < right.d }
    if left.c != right.c { return left.c < right.c }
    if left.b != right.b { return left.b < right.b }
    return left.a < right.a
  }

  /// The sum modulo 2^256.
  static func &+ (left: Self, right: Self) -> Self {
    var sum = Self(
      a: left.a &+ right.a, b: left.b &+ right.b, c: left.c &+ right.c, d: left.d &+ right.d)
    if sum.c < left.c { sum.d &+= 1 }
    if sum.b < left.b { sum.increment(from: 2) }
    if sum.a < left.a { sum.increment(from: 1) }
    return sum
  }

  /// The difference modulo 2^256.
  static func &- (left: Self, right: Self) -> Self {
    // The negative of a number is its complement and 1.
    var negative = Self(a: ~right.a, b: ~right.b, c: ~right.c, d: ~right.d)
    negative.increment(from: 0)
    return left &+ negative
  }

  /// Adds 1 to the word at this position, and to the next one as long as a word goes over 2^64.
  private mutating func increment(from position: Int) {
    if position < 1 {
      a &+= 1
      if a > 0 { return }
    }
    if position < 2 {
      b &+= 1
      if b > 0 { return }
    }
    c &+= 1
    if c == 0 { d &+= 1 }
  }
}
