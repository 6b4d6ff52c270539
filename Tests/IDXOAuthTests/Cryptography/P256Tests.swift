import Expectations
import Testing

@testable import IDXOAuth

/// ECDSA over P-256.
struct P256Tests {
  // RFC 6979, appendix A.2.5.
  private let key = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
  private let publicKey = P256.PublicKey(
    x: hex("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"),
    y: hex("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))

  @Test(
    "The key of RFC 6979 has its public key, and a message gets its signature, which is valid",
    arguments: [
      (
        "sample", "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
        "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
      ),
      (
        "test", "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
        "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
      ),
    ])
  func vectors(message: String, r: String, s: String) {
    expectEqual(P256.publicKey(of: key), publicKey)
    let signature = P256.sign(Array(message.utf8), with: key)
    expectEqual(signature, P256.Signature(r: hex(r), s: hex(s)))
    expect(P256.verify(signature, of: Array(message.utf8), by: publicKey))
    expect(!P256.verify(signature, of: Array("another".utf8), by: publicKey))
  }

  @Test("A signature that is wrong, and one by a key that is not on the curve, are refused")
  func wrongSignatures() {
    let message = Array("sample".utf8)
    let signature = P256.sign(message, with: key)
    let other = P256.publicKey(of: P256.privateKey(.system))
    expect(!P256.verify(signature, of: message, by: other))
    var s = signature.s
    s[31] ^= 1
    expect(!P256.verify(P256.Signature(r: signature.r, s: s), of: message, by: publicKey))
    let zero = [UInt8](repeating: 0, count: 32)
    expect(!P256.verify(P256.Signature(r: zero, s: zero), of: message, by: publicKey))
    expect(!P256.verify(P256.Signature(r: zero, s: signature.s), of: message, by: publicKey))
    let foreign = P256.PublicKey(x: publicKey.x, y: publicKey.x)
    expect(!P256.verify(signature, of: message, by: foreign))
    let short = P256.PublicKey(x: [1], y: publicKey.y)
    expect(!P256.verify(signature, of: message, by: short))
  }

  @Test("Numbers with a high bit, and short ones, can be read from DER")
  func der() throws {
    let high = [UInt8](repeating: 0xff, count: 32)
    let low = [UInt8](repeating: 0, count: 31) + [5]
    let signature = P256.Signature(r: high, s: low)
    expectEqual(signature.der.count, 2 + 2 + 33 + 2 + 1)
    expectEqual(P256.Signature(der: signature.der), signature)
    expectEqual(P256.Signature(der: signature.der + [0]), nil)
    expectEqual(P256.Signature(der: Array(signature.der.dropLast())), nil)
    expectEqual(P256.Signature(der: []), nil)
    expectEqual(P256.Signature(der: [0x30, 0x06, 0x02, 0x01, 0xff, 0x02, 0x01, 0x05]), nil)
  }
}

func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
