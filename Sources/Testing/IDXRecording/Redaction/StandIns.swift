import IDXBase
import IDXOAuth

/// Random stand-ins: equal values have equal stand-ins.
///
/// A stand-in has the length of its original, and shows whether that is a number. A long value, such as a handle, has
/// a stand-in in Base64, and a shared secret one in Base32. There are no vowels, so that it is not a word. Nobody can
/// compute the original from a stand-in: it is random, and the table is dropped. A new name has a number instead.
struct StandIns {
  /// What is replaced.
  ///
  /// A text that people read never has the stand-in of a value: else, a label that is equal to a password would show it.
  enum Original: Hashable {
    case value(String), typed(String), text(String), sharedSecret(String), name(String)
  }

  private let random: RandomBytes
  private var pool: [UInt8] = []
  private var known: [Original: String] = [:]
  private var nameCount = 0
  private var used: Set<String> = []

  init(random: RandomBytes) { self.random = random }

  /// The stand-in: `name-1` for the first name, and small letters or digits for what was typed and for texts.
  mutating func standIn(for original: Original) -> String {
    if let known = known[original] { return known }
    let new: String
    switch original {
    case .name:
      nameCount += 1
      new = "name-\(nameCount)"
    case .sharedSecret(let text): new = standIn(for: text, from: Self.base32)
    case .value(let text) where text.count >= 16:
      // Decoders of Base64 accept this end after a text of any length.
      new = standIn(for: text, from: Self.base64, endingWith: Array("AQgw"))
    case .value(let text), .typed(let text), .text(let text):
      new = standIn(for: text, from: Self.lower)
    }
    known[original] = new
    return new
  }

  private mutating func standIn(
    for text: String, from alphabet: [Character], endingWith ends: [Character] = []
  ) -> String {
    let isNumber = text.allSatisfy(\.isNumber)
    var new = ""
    // Short values have too few stand-ins for everyone to get one of their own.
    for _ in 0..<32 {
      new = String(text.map { _ in pick(from: isNumber ? Self.digits : alphabet) })
      // A number keeps its number of digits.
      if isNumber, new.first == "0" { new = String(pick(from: Self.firstDigits)) + new.dropFirst() }
      if !isNumber, !ends.isEmpty { new = new.dropLast() + String(pick(from: ends)) }
      if new != text, used.insert(new).inserted { break }
    }
    return new
  }

  private mutating func pick(from list: [Character]) -> Character {
    // Bytes at the end of the range would make the first characters more likely.
    let limit = 256 / list.count * list.count
    while true {
      if pool.isEmpty { pool = random(64) }
      let byte = Int(pool.popLast() ?? 0)
      if byte < limit { return list[byte % list.count] }
    }
  }

  private static let digits = Array("0123456789")
  private static let firstDigits = Array("123456789")
  private static let lower = Array("bcdfghjklmnpqrstvwxz")
  private static let upper = Array("BCDFGHJKLMNPQRSTVWXZ")
  private static let base32 = upper + Array("234567")
  private static let base64 = lower + upper + digits
}
