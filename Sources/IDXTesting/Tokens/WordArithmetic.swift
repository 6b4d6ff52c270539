/// Arithmetic modulo a number of 64 bits; it hides nothing of what it computes with.
enum WordArithmetic {
  static func product(_ left: UInt64, _ right: UInt64, modulo modulus: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    // Below the modulus by itself, so that the quotient fits one word.
    return modulus.dividingFullWidth((high % modulus, low)).remainder
  }

  static func power(_ base: UInt64, _ exponent: UInt64, modulo modulus: UInt64) -> UInt64 {
    var result: UInt64 = 1
    var square = base % modulus
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 { result = product(result, square, modulo: modulus) }
      square = product(square, square, modulo: modulus)
      rest >>= 1
    }
    return result
  }

  /// The inverse modulo a prime of a number that it does not divide.
  static func inverse(of number: UInt64, modulo prime: UInt64) -> UInt64 {
    power(number, prime - 2, modulo: prime)
  }

  /// Whether an odd number above 37 is prime: Miller and Rabin's test, which errs for no number of
  /// 64 bits when these twelve bases are tried.
  static func isPrime(_ number: UInt64) -> Bool {
    guard smallPrimes.allSatisfy({ number % $0 != 0 }) else { return false }
    let shifts = (number - 1).trailingZeroBitCount
    return smallPrimes.prefix(12).allSatisfy { base in
      var value = power(base, (number - 1) >> UInt64(shifts), modulo: number)
      if value == 1 || value == number - 1 { return true }
      for _ in 1..<max(shifts, 1) {
        value = product(value, value, modulo: number)
        if value == number - 1 { return true }
      }
      return false
    }
  }

  private static let smallPrimes: [UInt64] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113,
  ]
}
