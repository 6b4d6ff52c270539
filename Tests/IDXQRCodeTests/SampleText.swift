/// A text of printable ASCII, the same for the same seed.
func sampleText(count: Int, seed: Int) -> String {
  var state = UInt32(seed)
  let bytes = (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(0x20 + (state >> 16) % 95)
  }
  return String(decoding: bytes, as: UTF8.self)
}
