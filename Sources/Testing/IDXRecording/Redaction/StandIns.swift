import IDXBase
import IDXOAuth

/// Random stand-ins for runs of letters and digits: equal runs get equal stand-ins.
///
/// A stand-in has the length of its original. A short one has a letter for each letter and a digit for each
/// digit; a long one, such as a handle, has any of them, because their pattern could show the original. It has no
/// vowels, so that it is not a word. A key of an authenticator app stays Base32, and a hash stays hexadecimal.
/// Nobody can compute the original from a stand-in: it is random, and the table is dropped.
struct StandIns {
  private let random: RandomBytes
  private var pool: ArraySlice<UInt8> = []
  private var known: [Substring: String] = [:]
  private var used: Set<String> = []
  /// The stand-ins of answers, apart from those of words: a word of a known text would show the answer.
  private var answers: [String: String] = [:]
  private var texts: [String: String] = [:]
  private var numbers: [String: Int] = [:]

  init(random: RandomBytes) { self.random = random }

  mutating func standIn(for run: Substring) -> String {
    if let known = known[run] { return known }
    let alphabet = Alphabet(of: run)
    var new = ""
    // Short runs have too few stand-ins for everyone to get one of their own.
    for _ in 0..<32 {
      new = String(run.enumerated().map { replacement(for: $1, in: alphabet, isFirst: $0 == 0) })
      // The end of a short run would say something about its last character.
      if alphabet == .any { endLikeBase64(&new, run) }
      if new != run, !used.contains(new) { break }
    }
    known[run] = new
    used.insert(new)
    return new
  }

  /// A stand-in for an answer as a whole: digits for digits only, and otherwise small letters.
  mutating func standIn(forAnswer text: String) -> String {
    if let known = answers[text] { return known }
    let new = withLength(of: text)
    answers[text] = new
    return new
  }

  /// A stand-in for a text with a part of an answer, which is never that of an answer: else, the label of a form
  /// that is equal to an answer would show it.
  mutating func standIn(forText text: String) -> String {
    if let known = texts[text] { return known }
    let new = withLength(of: text)
    texts[text] = new
    return new
  }

  /// A random text of which only the length, and whether it is a number, is that of another one.
  private mutating func withLength(of text: String) -> String {
    let isNumber = text.allSatisfy(\.isNumber)
    var new = ""
    for _ in 0..<32 {
      new = String(
        text.indices.map { index in
          let first = index == text.startIndex ? Self.firstDigits : Self.digits
          return pick(from: isNumber ? first : Self.lower)
        })
      if new != text { break }
    }
    return new
  }

  /// A random number that is the same for the same text.
  mutating func number(below limit: Int, for text: String) -> Int {
    if let known = numbers[text] { return known }
    let new = random(4).reduce(0) { $0 << 8 | Int($1) } % limit
    numbers[text] = new
    return new
  }

  private mutating func replacement(
    for character: Character, in alphabet: Alphabet, isFirst: Bool
  ) -> Character {
    switch alphabet {
    case .base32: pick(from: Self.base32)
    case .hexadecimal: pick(from: Self.hexadecimal)
    case .any: pick(from: Self.any)
    case .mixed where character.isNumber:
      // A number keeps its number of digits.
      pick(from: isFirst && character != "0" ? Self.firstDigits : Self.digits)
    case .mixed: pick(from: character.isUppercase ? Self.upper : Self.lower)
    }
  }

  /// Gives a text an end that decoders of Base64 accept after a text of this length, if its original has one:
  /// the bits of the last character that are no part of a byte are 0.
  private mutating func endLikeBase64(_ text: inout String, _ original: Substring) {
    guard text.count > 1, let last = original.last,
      let ends = Self.base64Ends.first(where: { $0.contains(last) })
    else { return }
    text = text.dropLast() + String(pick(from: ends))
  }

  /// The characters of Base64 whose last four bits are 0, and those whose last two are.
  private static let base64Ends: [[Character]] = {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return [16, 4].map { step in stride(from: 0, to: 62, by: step).map { alphabet[$0] } }
  }()

  private mutating func pick(from list: [Character]) -> Character {
    // Bytes at the end of the range would make the first characters more likely.
    let limit = 256 / list.count * list.count
    while true {
      if pool.isEmpty { pool = random(64)[...] }
      let byte = Int(pool.popFirst() ?? 0)
      if byte < limit { return list[byte % list.count] }
    }
  }

  private enum Alphabet {
    case base32, hexadecimal, any, mixed

    init(of run: Substring) {
      if run.count >= 16, run.allSatisfy(base32Originals.contains) {
        self = .base32
      } else if run.count >= 16, run.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) {
        self = .hexadecimal
      } else if run.count >= 16, run.allSatisfy(\.isASCII) {
        self = .any
      } else {
        self = .mixed
      }
    }
  }

  /// Whether a character can be in a run, which has one stand-in.
  static func isInRun(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }

  /// A value in Base64 or Base64url at the beginning of a text; nil if there is none, or if it has no sign.
  ///
  /// It is replaced as a whole: the places of the signs in the public key of an org would say which org it is.
  static func base64(at text: Substring) -> Substring? {
    let value = text.prefix {
      $0.isASCII && (isInRun($0) || $0 == "-" || $0 == "_" || $0 == "+" || $0 == "/")
    }
    guard value.count >= 16, value.contains(where: { !isInRun($0) }),
      value.contains(where: \.isUppercase), value.contains(where: \.isLowercase),
      value.contains(where: \.isNumber)
    else { return nil }
    return value
  }

  private static let digits = Array("0123456789")
  private static let firstDigits = Array("123456789")
  private static let lower = Array("bcdfghjklmnpqrstvwxz")
  private static let upper = Array("BCDFGHJKLMNPQRSTVWXZ")
  private static let base32 = upper + Array("234567")
  private static let base32Originals = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
  private static let hexadecimal = digits + Array("bcdf")
  private static let any = lower + upper + digits
}
