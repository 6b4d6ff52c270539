public import IDXBase
public import IDXOAuth

/// The words of screens in one language: titles, labels, rules and problems, in one table.
///
/// An app replaces some or all of them:
///
///     var words = Words.english
///     words[.title(of: .identify)] = "Welcome to Analytical Engines"
///
/// Texts contain names in braces, such as `{authenticator}`, for what differs from step to step. A text that
/// a table does not have is taken from ``english``.
public struct Words: Sendable, Hashable {
  /// The name of a text.
  public struct Key: OpenSet {
    /// The name, such as `identify.title`.
    public let rawValue: String
    /// Creates the name of a text, also of one that the tables do not have.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The language, as the server is asked for it (`Accept-Language`, RFC 9110, section 12.5.4): a tag
  /// such as `de` or `pt-BR` (RFC 5646).
  public let language: String
  /// The texts by name.
  public private(set) var texts: [Key: String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - language: The language tag.
  ///   - texts: The texts; for names that are missing, the English ones are used.
  public init(language: String, _ texts: [Key: String]) {
    self.language = language
    self.texts = texts
  }

  /// The text with a name, from this table; setting nil returns to the English one.
  public subscript(key: Key) -> String? {
    get { texts[key] }
    set { texts[key] = newValue }
  }

  /// The languages that this package has.
  public static let all: [Words] = [.english, .german]

  /// The table for a person who reads these languages, the first one best; English if there is none.
  ///
  /// The languages are tags such as `de-AT` or names of POSIX locales such as `de_AT.UTF-8`.
  public static func preferred(_ languages: [String], among tables: [Words] = all) -> Words {
    let primary = languages.map { language in
      language.prefix { $0.isLetter }.lowercased()
    }
    let found = primary.lazy.compactMap { name in
      tables.first { $0.language.prefix { $0.isLetter }.lowercased() == name }
    }
    return found.first ?? .english
  }

  /// The text with a name and its values in place of the names in braces, from this table or the English
  /// one; nil if both lack it.
  public func text(_ key: Key, _ values: [String: String] = [:]) -> String? {
    guard let text = texts[key] ?? Words.english.texts[key] else { return nil }
    return values.isEmpty ? text : text.filling(values)
  }

  /// The text for a number of things: the one with `.one` at its end for 1.
  func text(_ key: Key, count: Int) -> String? {
    let single = count == 1 ? text(Key(rawValue: key.rawValue + ".one")) : nil
    return single ?? text(key, ["count": String(count)])
  }

  /// The text of a sentence of a program: from this table, or in English.
  package func text(of sentence: Sentence) -> String {
    sentence.text { texts[Key(rawValue: $0)] }
  }

  /// What went wrong, for a person: in English the message of the error, and in another language a sentence of this
  /// table with the message, which is in English.
  public func text(of error: FlowError) -> String { text(of: error.sentence(error.message)) }

  /// Why a sign-in failed, for a person; see ``text(of:)-(FlowError)``.
  public func text(of failure: FlowPhase.Failure) -> String { text(of: failure.sentence) }

  /// These texts and others.
  package func adding(_ texts: [Key: String]) -> Words {
    Words(language: language, self.texts.merging(texts) { _, new in new })
  }
}

extension Words: CustomStringConvertible {
  /// The language, without the texts.
  public var description: String { "words in \(language)" }
}
