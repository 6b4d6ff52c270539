import Foundation
import IDXOAuth

/// Answers questions about cryptography, one on each line of standard input, for comparison with another
/// implementation by `Tests/Checks/test_cryptography.py`.
///
/// Bytes are hexadecimal, `-` for none:
/// - `hash sha256 MESSAGE` → the digest
/// - `hmac sha256 KEY MESSAGE` → the code
/// - `totp SHA256 KEY DIGITS PERIOD SECONDS` → the one-time code at that time
/// - `rsa MODULUS EXPONENT SIGNATURE MESSAGE` → `true`, `false`, or `no key`
/// - `p256-sign KEY MESSAGE` → the public key and the signature, or `no key`
/// - `p256-verify X Y SIGNATURE MESSAGE` → `true` or `false`
///
/// With the argument `unknown-key`, it signs with bytes that were never set, for a check that knows which branches and
/// addresses depend on them.
@main
struct CryptographyAnswers {
  static func main() {
    if CommandLine.arguments.dropFirst().first == "unknown-key" { return signWithUnknownKey() }
    while let line = readLine() {
      print(answer(line.split(separator: " ").map(String.init)) ?? "unreadable question")
    }
  }

  private static func answer(_ words: [String]) -> String? {
    switch (words.first, words.count) {
    case ("hash", 3):
      guard let hash = hash(words[1]), let message = bytes(words[2]) else { return nil }
      return text(hash.hash(message))
    case ("hmac", 4):
      guard let hash = hash(words[1]), let key = bytes(words[2]), let message = bytes(words[3])
      else { return nil }
      return text(hash.hmac(key: key, message))
    case ("totp", 6):
      guard let algorithm = TOTPGenerator.Algorithm(rawValue: words[1]), let key = bytes(words[2]),
        let digits = Int(words[3]), let period = Int(words[4]), let seconds = Double(words[5])
      else { return nil }
      return TOTPGenerator(key: key, digits: digits, period: period, algorithm: algorithm)
        .code(at: Date(timeIntervalSince1970: seconds))
    case ("rsa", 5):
      let numbers = words.dropFirst().compactMap(bytes)
      guard numbers.count == 4 else { return nil }
      guard let key = RSAPublicKey(modulus: numbers[0], exponent: numbers[1]) else {
        return "no key"
      }
      let result = key.verify(numbers[2], of: numbers[3])
      // On Apple platforms, both ways to verify must agree.
      return result == key.verifyInSwift(numbers[2], of: numbers[3]) ? "\(result)" : "undecided"
    case ("p256-sign", 3):
      guard let key = bytes(words[1]), let message = bytes(words[2]) else { return nil }
      guard P256.isPrivateKey(key) else { return "no key" }
      let (publicKey, signature) = (P256.publicKey(of: key), P256.sign(message, with: key))
      return text(publicKey.x + publicKey.y + signature.r + signature.s)
    case ("p256-verify", 5):
      let values = words.dropFirst().compactMap(bytes)
      guard values.count == 4 else { return nil }
      let half = values[2].count / 2
      let signature = P256.Signature(
        r: Array(values[2].prefix(half)), s: Array(values[2].dropFirst(half)))
      let key = P256.PublicKey(x: values[0], y: values[1])
      return "\(P256.verify(signature, of: values[3], by: key))"
    default: return nil
    }
  }

  private static func signWithUnknownKey() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 8)
    defer { memory.deallocate() }
    let signature = P256.sign(Array("a message".utf8), with: Array(memory))
    print("signed: \(signature.r.count + signature.s.count) bytes")
  }

  private static func hash(_ name: String) -> HashFunction? {
    ["sha1": .sha1, "sha256": .sha256, "sha512": .sha512][name]
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    if text == "-" { return [] }
    let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
