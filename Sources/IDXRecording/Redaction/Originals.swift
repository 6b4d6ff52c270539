import IDXBase

/// What was entered and replaced in a conversation, to find it again in any case and with any signs between its
/// letters.
struct Originals {
  /// The shortest part of something that was entered or replaced that is looked for inside of other words.
  private static let shortestEntered = 4
  private static let shortestReplaced = 5

  private var entered: Set<String> = []
  /// What was entered with signs, which are kept in other texts.
  private(set) var enteredWithSigns: [String] = []
  /// Words of what was entered or replaced, in lowercase.
  private var words: Set<String> = []
  /// Hashes of all parts with the shortest length.
  private var enteredParts: Set<Int> = []
  private var replacedParts: Set<Int> = []
  /// Digits of what was entered, without signs between them.
  private var enteredNumbers: Set<String> = []
  private var numbers: Set<String> = []

  /// Whether the person entered this value.
  func wasEntered(_ text: String) -> Bool { entered.contains(text) }

  /// Remembers what the person entered.
  mutating func enter(_ text: String) {
    guard !text.isEmpty, entered.insert(text).inserted else { return }
    for word in Self.words(of: text) where word.count > 1 { words.insert(word) }
    enteredParts.formUnion(Self.parts(of: text, length: Self.shortestEntered))
    let digits = Self.digits(of: text)
    if !digits.isEmpty {
      enteredNumbers.insert(digits)
      enteredParts.formUnion(Self.parts(of: digits, length: Self.shortestEntered))
    }
    if text.count > 2, !text.allSatisfy({ $0.isLetter || $0.isNumber }) {
      enteredWithSigns.append(text)
    }
    replace(text)
  }

  /// Remembers a value that was replaced, and that is not a text of a form or message.
  mutating func replace(_ text: String) {
    replaceNumbers(in: text)
    for run in Self.runs(of: text) where run.count > 1 && run.allSatisfy(\.isLetter) {
      words.insert(run.lowercased())
    }
    replacedParts.formUnion(Self.parts(of: text, length: Self.shortestReplaced))
  }

  /// Remembers the numbers of a text that was replaced.
  mutating func replaceNumbers(in text: String) {
    for run in Self.runs(of: text) where run.allSatisfy(\.isNumber) {
      numbers.insert(Self.digits(of: run))
    }
    if !text.contains(where: \.isLetter) { numbers.insert(Self.digits(of: text)) }
  }

  private static func runs(of text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber }
  }

  /// Whether a number has something that was entered, or is one that was replaced.
  ///
  /// A short number is in many places by chance.
  func contains(number digits: String) -> Bool {
    if enteredNumbers.contains(digits) { return true }
    return digits.count > 2 && numbers.contains(digits)
      || !enteredParts.isDisjoint(with: Self.parts(of: digits, length: Self.shortestEntered))
  }

  /// Whether a name has a part of something that was entered or replaced.
  func haveParts(of name: String) -> Bool {
    Self.words(of: name).contains { words.contains($0) }
      || !enteredParts.isDisjoint(with: Self.parts(of: name, length: Self.shortestEntered))
      || !replacedParts.isDisjoint(with: Self.parts(of: name, length: Self.shortestReplaced))
  }

  /// The letters and digits of a text in lowercase.
  private static func letters(of text: String) -> [Character] {
    text.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The digits of a text as ASCII.
  private static func digits(of text: some StringProtocol) -> String {
    text.compactMap(\.wholeNumberValue).map(String.init).joined()
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

  private static func parts(of text: String, length: Int) -> Set<Int> {
    let letters = letters(of: text)
    guard letters.count >= length else { return [] }
    return Set((0...(letters.count - length)).map { letters[$0..<($0 + length)].hashValue })
  }
}
