/// One thing that a password must be like, which can be checked before it is sent.
///
/// What a server checks beside it, such as passwords that are common or were used before, is not known
/// here.
public enum PasswordRule: Sendable, Hashable {
  /// At least this many characters.
  case length(Int)
  /// At least this many lower-case letters.
  case lowerCase(Int)
  /// At least this many upper-case letters.
  case upperCase(Int)
  /// At least this many digits.
  case digits(Int)
  /// At least this many characters that are neither letters nor digits.
  case symbols(Int)
  /// No character more often than this in a row.
  case repeats(Int)
  /// Not the user name, nor a part of it that is long enough to be told.
  case username
  /// Not this attribute of the person, such as `firstName`.
  case attribute(String)
}

extension IDXAuthenticator.PasswordRules {
  /// The rules that can be checked here, in the order in which a person reads them.
  public var checkable: [PasswordRule] {
    let counts: [(Int, (Int) -> PasswordRule)] = [
      (minimumLength, PasswordRule.length), (minimumLowerCase, PasswordRule.lowerCase),
      (minimumUpperCase, PasswordRule.upperCase), (minimumDigits, PasswordRule.digits),
      (minimumSymbols, PasswordRule.symbols),
    ]
    return counts.filter { $0.0 > 0 }.map { $0.1($0.0) }
      + (maximumRepeats.map { [.repeats(max($0, 1))] } ?? [])
      + (excludesUsername ? [.username] : []) + excludedAttributes.map(PasswordRule.attribute)
  }

  /// The rules that a password breaks, of those that can be checked.
  ///
  /// Servers differ in what they count as a character, a symbol or a capital letter outside ASCII:
  /// where one way of counting keeps a rule, it is kept. A user name counts as a whole and by its parts
  /// between `@`, `.`, `,`, `-`, `_` and `#`, each of four characters or more; `attributes` are values
  /// by name, and those that are not known are not checked.
  public func violations(
    of password: String, username: String?, attributes: [String: String] = [:]
  ) -> [PasswordRule] {
    checkable.filter { rule in
      switch rule {
      case .length(let count): password.utf16.count < count
      case .lowerCase(let count): password.most(\.isLowercase, \.properties.isLowercase) < count
      case .upperCase(let count): password.most(\.isUppercase, \.properties.isUppercase) < count
      case .digits(let count): password.count(where: \.isNumber) < count
      case .symbols(let count):
        password.utf16.count { !$0.isLetterOrDigitOfASCII } < count
      case .repeats(let count): password.longestRun > count
      case .username: username.map { password.holds(partOf: $0) } ?? false
      case .attribute(let name): attributes[name].map { password.holds($0) } ?? false
      }
    }
  }
}

extension UInt16 {
  fileprivate var isLetterOrDigitOfASCII: Bool {
    (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self)
  }
}

extension String {
  /// The greater count, of whole characters or of what they are composed of.
  fileprivate func most(
    _ character: (Character) -> Bool, _ scalar: (Unicode.Scalar) -> Bool
  ) -> Int {
    max(count(where: character), unicodeScalars.count(where: scalar))
  }

  /// How often a unit of UTF-16 stands in a row at most: by any other count it is no more often.
  fileprivate var longestRun: Int {
    var longest = 0
    var run = 0
    var last: UInt16?
    for character in utf16 {
      run = character == last ? run + 1 : 1
      last = character
      longest = max(longest, run)
    }
    return longest
  }

  fileprivate func holds(_ text: String) -> Bool {
    !text.isEmpty && lowercased().contains(text.lowercased())
  }

  fileprivate func holds(partOf name: String) -> Bool {
    let parts = name.split { "@.-_,#".contains($0) }.map(String.init)
    return ([name] + parts).contains { $0.count >= 4 && holds($0) }
  }
}

extension PasswordRule: CustomStringConvertible {
  /// What is wanted, as part of a sentence.
  public var description: String {
    switch self {
    case .length(let number): "\(number) characters or more"
    case .lowerCase(let number): Self.words(number, "small letter", "small letters")
    case .upperCase(let number): Self.words(number, "capital letter", "capital letters")
    case .digits(let number): Self.words(number, "digit", "digits")
    case .symbols(let number): Self.words(number, "symbol", "symbols")
    case .repeats(1): "no character twice in a row"
    case .repeats(let number): "no character more than \(number) times in a row"
    case .username: "no part of the user name"
    case .attribute("firstName"): "not the first name"
    case .attribute("lastName"): "not the last name"
    case .attribute(let name): "not the \(name)"
    }
  }

  private static func words(_ number: Int, _ one: String, _ many: String) -> String {
    number == 1 ? "a \(one)" : "\(number) \(many)"
  }
}
