import IDXBase

extension IDXAuthenticator {
  /// The rules for a new password (`settings.complexity` and `settings.age`); nil if the server sends
  /// none.
  public var passwordRules: PasswordRules? {
    raw.member("settings").flatMap(PasswordRules.init(settings:))
  }

  /// The rules for a new password; a number is 0 or nil if the server sends no such rule.
  ///
  /// The paths of the properties are inside `settings`.
  ///
  /// ## Topics
  ///
  /// ### What a password must contain
  ///
  /// - ``minimumLength``
  /// - ``minimumLowerCase``
  /// - ``minimumUpperCase``
  /// - ``minimumDigits``
  /// - ``minimumSymbols``
  ///
  /// ### What it must not contain
  ///
  /// - ``maximumRepeats``
  /// - ``excludesUsername``
  /// - ``excludedAttributes``
  /// - ``history``
  ///
  /// ### When it can and must be changed
  ///
  /// - ``minimumAgeMinutes``
  /// - ``daysToExpiry``
  ///
  /// ### Checking a password
  ///
  /// - ``checkable``
  /// - ``violations(of:username:attributes:)``
  public struct PasswordRules: Sendable, Hashable {
    /// The smallest number of characters (`complexity.minLength`).
    public let minimumLength: Int
    /// The smallest number of lowercase letters (`complexity.minLowerCase`).
    public let minimumLowerCase: Int
    /// The smallest number of uppercase letters (`complexity.minUpperCase`).
    public let minimumUpperCase: Int
    /// The smallest number of digits (`complexity.minNumber`).
    public let minimumDigits: Int
    /// The smallest number of symbols (`complexity.minSymbol`).
    public let minimumSymbols: Int
    /// How many times in a row a character may occur (`complexity.maxConsecutiveRepeatingCharacters`).
    public let maximumRepeats: Int?
    /// Whether it must not contain the username (`complexity.excludeUsername`).
    public let excludesUsername: Bool
    /// The attributes of the person that it must not contain (`complexity.excludeAttributes`): `firstName`,
    /// `lastName`.
    public let excludedAttributes: [String]
    /// The number of old passwords that it must differ from (`age.historyCount`).
    public let history: Int?
    /// How many minutes a password must be kept before it can be changed (`age.minAgeMinutes`).
    public let minimumAgeMinutes: Int?
    /// The number of days until the current password expires (`daysToExpiry`).
    public let daysToExpiry: Int?

    init?(settings: RawJSON) {
      guard let complexity = settings.member("complexity"), complexity.isObject else { return nil }
      func count(_ name: StaticString) -> Int { max(complexity.integer(name) ?? 0, 0) }
      minimumLength = count("minLength")
      minimumLowerCase = count("minLowerCase")
      minimumUpperCase = count("minUpperCase")
      minimumDigits = count("minNumber")
      minimumSymbols = count("minSymbol")
      maximumRepeats = complexity.integer("maxConsecutiveRepeatingCharacters")
      excludesUsername = complexity.flag("excludeUsername") ?? false
      if let attributes = complexity.member("excludeAttributes")?.json.array {
        excludedAttributes = attributes.compactMap(\.string)
      } else {
        // Older servers send a flag for each of the two attributes.
        excludedAttributes =
          (complexity.flag("excludeFirstName") == true ? ["firstName"] : [])
          + (complexity.flag("excludeLastName") == true ? ["lastName"] : [])
      }
      let age = settings.member("age")
      history = age?.integer("historyCount")
      minimumAgeMinutes = age?.integer("minAgeMinutes")
      daysToExpiry = settings.integer("daysToExpiry")
    }

    /// The rules that can be checked before the password is sent, in the order to show them.
    public var checkable: [PasswordRule] {
      let counts: [(Int, (Int) -> PasswordRule)] = [
        (minimumLength, PasswordRule.length), (minimumLowerCase, PasswordRule.lowerCase),
        (minimumUpperCase, PasswordRule.upperCase), (minimumDigits, PasswordRule.digits),
        (minimumSymbols, PasswordRule.symbols),
      ]
      var rules: [PasswordRule] = counts.filter { $0.0 > 0 }.map { $0.1($0.0) }
      if let maximumRepeats { rules.append(.repeats(max(maximumRepeats, 1))) }
      if excludesUsername { rules.append(.username) }
      return rules + excludedAttributes.map(PasswordRule.attribute)
    }

    /// The checkable rules that a password breaks.
    ///
    /// Servers differ in how they count characters, symbols and letters outside ASCII: a rule is broken
    /// only if it is broken by every way to count. A username is searched as a whole and by its parts
    /// between `@`, `.`, `,`, `-`, `_` and `#`; names and parts under four characters are ignored.
    /// `attributes` has the values of the excluded attributes by name; unknown ones are not checked.
    public func violations(
      of password: String, username: String?, attributes: [String: String] = [:]
    ) -> [PasswordRule] {
      checkable.filter { rule in
        switch rule {
        case .length(let count): password.utf16.count < count
        case .lowerCase(let count):
          password.largerCount(\.isLowercase, \.properties.isLowercase) < count
        case .upperCase(let count):
          password.largerCount(\.isUppercase, \.properties.isUppercase) < count
        case .digits(let count): password.count(where: \.isNumber) < count
        case .symbols(let count):
          password.utf16.count { UInt8(exactly: $0)?.isASCIIAlphanumeric != true } < count
        case .repeats(let count): password.longestRun > count
        case .username: username.map { password.contains(partOf: $0) } ?? false
        case .attribute(let name):
          attributes[name].map { password.containsIgnoringCase($0) } ?? false
        }
      }
    }
  }
}

/// One rule for a password that can be checked before it is sent.
///
/// The server checks more, such as passwords that are common or were used before.
public enum PasswordRule: Sendable, Hashable {
  /// At least this many characters.
  case length(Int)
  /// At least this many lowercase letters.
  case lowerCase(Int)
  /// At least this many uppercase letters.
  case upperCase(Int)
  /// At least this many digits.
  case digits(Int)
  /// At least this many characters that are neither letters nor digits.
  case symbols(Int)
  /// No character more than this many times in a row.
  case repeats(Int)
  /// Not the username, and no part of it with four or more characters.
  case username
  /// Not this attribute of the person, such as `firstName`.
  case attribute(String)
}

extension PasswordRule: CustomStringConvertible {
  /// The rule as part of a sentence: `2 digits`.
  public var description: String {
    switch self {
    case .length(let number): "at least \(Self.words(number, "1 character", "characters"))"
    case .lowerCase(let number): Self.words(number, "a lowercase letter", "lowercase letters")
    case .upperCase(let number): Self.words(number, "an uppercase letter", "uppercase letters")
    case .digits(let number): Self.words(number, "a digit", "digits")
    case .symbols(let number): Self.words(number, "a symbol", "symbols")
    case .repeats(1): "no character twice in a row"
    case .repeats(let number): "no character more than \(number) times in a row"
    case .username: "no part of the username"
    case .attribute("firstName"): "not the first name"
    case .attribute("lastName"): "not the last name"
    case .attribute(let name): "not the \(name)"
    }
  }

  private static func words(_ number: Int, _ one: String, _ many: String) -> String {
    number == 1 ? one : "\(number) \(many)"
  }
}

extension String {
  /// The larger of two counts: of whole characters and of Unicode scalars.
  fileprivate func largerCount(
    _ character: (Character) -> Bool, _ scalar: (Unicode.Scalar) -> Bool
  ) -> Int {
    max(count(where: character), unicodeScalars.count(where: scalar))
  }

  /// The length of the longest run of equal UTF-16 code units, which no other way to count exceeds.
  fileprivate var longestRun: Int {
    var longest = 0
    var run = 0
    var last: UInt16?
    for unit in utf16 {
      run = unit == last ? run + 1 : 1
      last = unit
      longest = max(longest, run)
    }
    return longest
  }

  fileprivate func containsIgnoringCase(_ text: String) -> Bool {
    !text.isEmpty && lowercased().contains(text.lowercased())
  }

  fileprivate func contains(partOf name: String) -> Bool {
    let parts = name.split { "@.-_,#".contains($0) }.map(String.init)
    return ([name] + parts).contains { $0.count >= 4 && containsIgnoringCase($0) }
  }
}
