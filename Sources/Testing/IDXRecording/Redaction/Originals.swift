import IDXBase

/// What was typed and replaced in a conversation, for the rules of new names and of numbers.
struct Originals {
  private var typed: Set<String> = []
  private var typedInLowercase: [String] = []
  /// Pieces of letters, in lowercase, that no new name may have.
  private var letters: Set<String> = []
  /// Pieces of digits that no number may have.
  private var digits: Set<String> = []
  /// Numbers of two or three digits that may not stay.
  private var numbers: Set<String> = []

  /// The rule of new names: whether a person may keep this one.
  ///
  /// It has six ASCII letters or more, with only `-`, `_`, `.` or `:` between them, and its letters contain no word
  /// that was replaced or typed and no four letters in a row of what was typed. The case does not matter, and what was
  /// typed is also looked for backwards and in Base64. A word that was replaced has at least four letters, a typed one
  /// three.
  func allow(newName name: String) -> Bool {
    let ownLetters = Self.letters(of: name)
    return Self.canBeNew(name) && ownLetters.count >= 6
      && (3...ownLetters.count).allSatisfy {
        Self.pieces(of: ownLetters, $0).isDisjoint(with: letters)
      }
  }

  /// Whether a text has only the signs of a name of the protocol; all others are replaced like values.
  static func canBeNew(_ name: String) -> Bool {
    name.utf8.count <= 100
      && name.utf8.allSatisfy { isLetter($0) || "-_.:".utf8.contains($0) }
  }

  /// The rule of numbers: whether one may stay.
  ///
  /// - It has at most seven digits, the first of which is not 0, and nothing else but `-` before them.
  /// - It has no four digits in a row of what was typed, or of a number that was replaced.
  /// - Two or three digits do not stand in a row in what was typed, nor are they a number that was replaced.
  /// - It has no whole number of two or three digits that was typed.
  ///
  /// A number of one digit is in many places by chance.
  func allow(number text: String) -> Bool {
    guard text.wholeMatch(of: /-?(0|[1-9][0-9]{0,6})/) != nil else { return false }
    let number = Array(text.drop { $0 == "-" })
    return number.count < 2
      || Self.pieces(of: number, number.count).isDisjoint(with: numbers)
        && (2...4).allSatisfy { Self.pieces(of: number, $0).isDisjoint(with: digits) }
  }

  /// Whether the person typed this value.
  func wasTyped(_ text: String) -> Bool { typed.contains(text) }

  /// Whether words with dots or spaces, or an error code among them, are in something that the person typed.
  func wereTyped(_ words: String) -> Bool {
    let codes = words.split { " ;.".contains($0) }.filter { Vocabulary.isErrorCode(String($0)) }
    let parts = (codes + [words[...]]).map { $0.lowercased() }
    return typedInLowercase.contains { text in parts.contains { text.contains($0) } }
  }

  /// Remembers what the person typed.
  mutating func add(typed text: String) {
    guard !text.isEmpty, typed.insert(text).inserted else { return }
    typedInLowercase.append(text.lowercased())
    // The letters of Base64 depend on how many bytes are before the value.
    let encoded = (0..<3).map { Base64URL.encode(Array(text.utf8.dropFirst($0))) }
    for spelling in [text] + encoded {
      let letters = Self.letters(of: spelling)
      for direction in [letters, letters.reversed()] {
        self.letters.formUnion(Self.pieces(of: direction, max(3, min(4, letters.count))))
      }
    }
    for word in text.split(whereSeparator: { !$0.isLetter }).map(Self.letters)
    // The end of an address is the same for many people.
    where word.count == 3 && !["com", "org", "net"].contains(String(word)) {
      letters.formUnion([String(word), String(word.reversed())])
    }
    let digits = Self.digits(of: text)
    self.digits.formUnion(Self.pieces(of: digits, 4).union(Self.pieces(of: digits.reversed(), 4)))
    // A long value was made by a program, and has most short numbers by chance.
    if text.count <= 64 {
      for length in 2...3 { numbers.formUnion(Self.pieces(of: digits, length)) }
    }
    let number = digits.drop { $0 == "0" }
    if (2...3).contains(number.count) { self.digits.insert(String(number)) }
    add(replaced: text)
  }

  /// Remembers a value that was replaced, and that is not a text of a form or message.
  mutating func add(replaced text: String) {
    addNumbers(ofReplaced: text)
    for run in text.utf8.split(whereSeparator: { !Self.isLetter($0) }) where run.count > 3 {
      letters.insert(String(decoding: run, as: UTF8.self).lowercased())
    }
  }

  /// Remembers the numbers of a text that was replaced.
  mutating func addNumbers(ofReplaced text: String) {
    let runs = Self.runs(of: text).filter { $0.allSatisfy(\.isNumber) }
    for number in runs + (text.contains(where: \.isLetter) ? [] : [text[...]]) {
      let digits = Self.digits(of: number)
      self.digits.formUnion(Self.pieces(of: digits, 4))
      for own in [digits[...], digits.drop { $0 == "0" }] where own.count == 3 {
        numbers.insert(String(own))
      }
    }
  }

  private static func runs(of text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber }
  }

  /// All texts of so many characters in a row.
  private static func pieces(of characters: [Character], _ length: Int) -> Set<String> {
    guard length <= characters.count else { return [] }
    return Set((length...characters.count).map { String(characters[($0 - length)..<$0]) })
  }

  /// The ASCII letters of a text in lowercase.
  private static func letters(of text: some StringProtocol) -> [Character] {
    text.utf8.filter(isLetter).map { Character(Unicode.Scalar($0 | 0x20)) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// The digits of a text as ASCII.
  private static func digits(of text: some StringProtocol) -> [Character] {
    text.compactMap(\.wholeNumberValue).flatMap { String($0) }
  }
}
