import IDXBase

/// What was entered and replaced in a conversation, to find it again in any case and with any signs between its
/// letters.
struct Originals {
  private var entered: Set<String> = []
  /// What was entered and has too few letters to be found by them, such as `!#%&`.
  private var enteredSigns: [String] = []
  /// Words of what was entered or replaced, in lowercase.
  private var words: Set<String> = []

  /// Pieces of what was entered that are looked for in texts, in both directions: six letters and digits, or all of
  /// a shorter value.
  private var textPieces = Pieces()
  /// Pieces of what was entered that are looked for in names: four letters in both directions and in Base64, and
  /// short words.
  private var namePieces = Pieces()
  /// Pieces of three letters, which are looked for in short names.
  private var shortNamePieces = Pieces()
  /// Pieces of what was replaced that are looked for in names.
  private var replacedPieces = Pieces()

  /// Two, three and four digits in a row of what was entered.
  private var enteredDigits = Pieces()
  /// Numbers of two or three digits that were entered.
  private var shortNumbers = Pieces()
  /// Numbers that were replaced, and four digits in a row of them.
  private var replacedNumbers: Set<String> = []
  private var replacedDigits = Pieces()

  /// Whether the person entered this value.
  func wasEntered(_ text: String) -> Bool { entered.contains(text) }

  /// Remembers what the person entered.
  mutating func enter(_ text: String) {
    guard !text.isEmpty, entered.insert(text).inserted else { return }
    let characters = Self.characters(of: text)
    if characters.count >= 4 {
      for direction in [characters, characters.reversed()] {
        textPieces.insert(direction, length: min(6, characters.count))
      }
    } else if text.count > 2 {
      enteredSigns.append(text)
    }
    let letters = characters.filter { !Self.isDigit($0) }
    namePieces.insert(letters, length: 4)
    namePieces.insert(letters.reversed(), length: 4)
    // Base64 can have no digit. Its letters depend on how many bytes are before the value.
    for start in 0..<3 {
      let encoded = Self.characters(of: Base64URL.encode(Array(text.utf8.dropFirst(start))))
      namePieces.insert(encoded.filter { !Self.isDigit($0) }, length: 4)
    }
    shortNamePieces.insert(letters, length: 3)
    for word in Self.words(of: text) where word.utf8.count > 1 {
      words.insert(word)
      // The end of an address is the same for many people.
      guard word.utf8.count == 3, !Self.commonEnds.contains(word) else { continue }
      namePieces.insert(Array(word.utf8), length: 3)
      namePieces.insert(word.utf8.reversed(), length: 3)
    }
    let digits = Self.digits(of: text)
    enteredDigits.insert(digits, length: 4)
    // A long value was made by a program, and has most short numbers by chance.
    if characters.count <= 64 {
      for length in 2...3 { enteredDigits.insert(digits, length: length) }
    }
    let number = Array(digits.drop { $0 == 0x30 })
    if (2...3).contains(number.count) { shortNumbers.insert(number, length: number.count) }
    replace(text)
  }

  /// Remembers a value that was replaced, and that is not a text of a form or message.
  mutating func replace(_ text: String) {
    replaceNumbers(in: text)
    for run in Self.runs(of: text) where run.count > 1 && run.allSatisfy(\.isLetter) {
      words.insert(run.lowercased())
    }
    replacedPieces.insert(Self.characters(of: text), length: 5)
  }

  /// Remembers the numbers of a text that was replaced.
  mutating func replaceNumbers(in text: String) {
    var numbers = Self.runs(of: text).filter { $0.allSatisfy(\.isNumber) }
    if !text.contains(where: \.isLetter) { numbers.append(text[...]) }
    for digits in numbers.map(Self.digits) {
      replacedDigits.insert(digits, length: 4)
      for number in [digits, Array(digits.drop { $0 == 0x30 })] where number.count > 2 {
        replacedNumbers.insert(String(decoding: number, as: UTF8.self))
      }
    }
  }

  /// Whether a number has digits of something that was entered or replaced.
  ///
  /// - It has at least two digits, and all of them stand in a row in what was entered.
  /// - It has four digits in a row of what was entered, or a whole entered number of two or three digits.
  /// - It has at least three digits and was replaced, or it has four digits in a row of a number that was replaced.
  ///
  /// A number of one digit is in many places by chance.
  func contains(number: String) -> Bool {
    let digits = Array(number.utf8)
    return (2...3).contains(digits.count)
      && enteredDigits.contains(pieceOf: digits, length: digits.count)
      || enteredDigits.contains(pieceOf: digits, length: 4)
      || (2...3).contains { shortNumbers.contains(pieceOf: digits, length: $0) }
      || digits.count > 2 && replacedNumbers.contains(number)
      || replacedDigits.contains(pieceOf: digits, length: 4)
  }

  /// Whether a text has a part of something that was entered.
  func haveParts(ofText text: String) -> Bool {
    // Most texts are shorter than the signs, and a search takes long.
    if enteredSigns.contains(where: { text.utf8.count >= $0.utf8.count && text.contains($0) }) {
      return true
    }
    guard !textPieces.isEmpty else { return false }
    let characters = Self.characters(of: text)
    return (4...6).contains { textPieces.contains(pieceOf: characters, length: $0) }
  }

  /// Whether a name has a part of something that was entered or replaced.
  func haveParts(ofName name: String) -> Bool {
    let letters = Self.characters(of: name).filter { !Self.isDigit($0) }
    return Self.words(of: name).contains { words.contains($0) }
      || (3...4).contains { namePieces.contains(pieceOf: letters, length: $0) }
      || letters.count <= 5 && shortNamePieces.contains(pieceOf: letters, length: 3)
      || letters.count == 3 && shortNamePieces.contains(pieceOf: letters.reversed(), length: 3)
      || replacedPieces.contains(pieceOf: letters, length: 5)
  }

  private static let commonEnds: Set<String> = ["com", "org", "net"]

  private static func runs(of text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber }
  }

  /// The letters and digits of a text in lowercase, in UTF-8.
  private static func characters(of text: String) -> [UInt8] {
    text.lowercased().unicodeScalars.reduce(into: []) { bytes, scalar in
      guard !scalar.isASCII else {
        let byte = UInt8(scalar.value)
        if isDigit(byte) || (0x61...0x7A).contains(byte) { bytes.append(byte) }
        return
      }
      let character = Character(scalar)
      if character.isLetter || character.isNumber { bytes += Array(character.utf8) }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The digits of a text as ASCII.
  private static func digits(of text: some StringProtocol) -> [UInt8] {
    text.compactMap(\.wholeNumberValue).flatMap { Array(String($0).utf8) }
  }

  /// The words of a text in lowercase: runs of letters, and their parts in camel case.
  private static func words(of text: String) -> Set<String> {
    var words: Set<String> = []
    for run in text.split(whereSeparator: { !$0.isLetter }) {
      words.insert(run.lowercased())
      var word = ""
      var last: Character = " "
      for character in run {
        if character.isUppercase, !last.isUppercase {
          words.insert(word.lowercased())
          word = ""
        }
        word.append(character)
        last = character
      }
      words.insert(word.lowercased())
    }
    return words.filter { !$0.isEmpty }
  }
}

/// Pieces of texts: so many bytes in a row, at most seven.
private struct Pieces {
  /// The bytes of each piece, with their number in the first byte.
  private var keys: Set<UInt64> = []

  var isEmpty: Bool { keys.isEmpty }

  mutating func insert(_ bytes: [UInt8], length: Int) {
    keys.formUnion(Self.keys(of: bytes, length: length))
  }

  func contains(pieceOf bytes: [UInt8], length: Int) -> Bool {
    Self.keys(of: bytes, length: length).contains(where: keys.contains)
  }

  private static func keys(of bytes: [UInt8], length: Int) -> [UInt64] {
    let mask: UInt64 = 1 << (8 * UInt64(length)) - 1
    var key: UInt64 = 0
    let keys = bytes.map { byte in
      key = (key << 8 | UInt64(byte)) & mask
      return key | UInt64(length) << 56
    }
    return Array(keys.dropFirst(length - 1))
  }
}
