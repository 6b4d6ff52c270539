import Foundation
import IDXBase
import IDXFlow

/// The language of what a person sees: that of `--lang`, or that of the locale.
enum LanguageChoice {
  static let option = OptionSpec(
    "--lang", value: "CODE", of: .language,
    "the language for people: \(codes.alternatives) (default: that of the locale)")

  /// The languages, as `--lang` names them.
  static let codes = ["en", "de"]

  /// The words of a language; nil if there are none.
  ///
  /// Only one table is created, because most sign-ins need no other. The name is a tag such as `de-AT`, or the name of
  /// a locale such as `de_AT.UTF-8`.
  private static func words(named name: some StringProtocol) -> Words? {
    switch name.prefix(while: \.isLetter).lowercased() {
    case "en": .english
    case "de": .commandGerman
    default: nil
    }
  }

  /// The words of `--lang`; throws if the language is unknown.
  static func words(forOption code: String) throws -> Words {
    if let words = words(named: code) { return words }
    throw CommandFailure(.usage, "--lang must be \(codes.alternatives), not \(code.sanitized).")
  }

  /// The words of the locale (POSIX, XBD, section 8.2): nil if it has no language, such as `C`, or one that there are no
  /// words for.
  ///
  /// `LANGUAGE` is the list of languages of GNU gettext, which comes first unless the locale has no language.
  static func words(ofLocale variable: (String) -> String?) -> Words? {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    guard let locale, !["C", "POSIX"].contains(locale.prefix { $0 != "." }) else { return nil }
    let list = variable("LANGUAGE")?.split(separator: ":") ?? []
    let names = list.isEmpty ? [locale[...]] : list
    return names.lazy.compactMap { words(named: $0) }.first
  }

  /// The words of the locale of this process.
  static func wordsOfLocale() -> Words? {
    words(ofLocale: { name in getenv(name).map { String(cString: $0) } })
  }
}
