/// Bytes as pairs of digits.
func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

/// Bytes from pairs of digits; nil where it is something else.
func bytes(hex text: String) -> [UInt8]? {
  guard text.utf8.count % 2 == 0 else { return nil }
  var rest = text[...]
  var bytes: [UInt8] = []
  while !rest.isEmpty {
    guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
    bytes.append(byte)
    rest = rest.dropFirst(2)
  }
  return bytes
}
