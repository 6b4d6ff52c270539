import Foundation
import IDXOAuth

/// Answers questions about cryptography, one on each line of standard input, for comparison with another
/// implementation by `.ci/check-cryptography`.
///
/// Bytes are hexadecimal, `-` for none:
/// - `hash sha256 MESSAGE` → the digest
/// - `hmac sha256 KEY MESSAGE` → the code
/// - `totp SHA256 KEY DIGITS PERIOD SECONDS` → the one-time code at that time
/// - `rsa MODULUS EXPONENT SIGNATURE MESSAGE` → `true`, `false`, or `no key`
@main
struct CryptographyAnswers {
  static func main() {
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
    default: return nil
    }
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
