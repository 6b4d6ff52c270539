/// Numbers that look random, the same for the same seed.
struct SampleNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}

/// Bytes from their hexadecimal digits.
func bytes(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}
