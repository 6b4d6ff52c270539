public import IDXBase

/// What a person or a program answers to a form, by dotted path.
///
///     let answers: Answers = [
///       "identifier": "ada@example.com",
///       "credentials.passcode": "correct horse",
///     ]
///
/// Only what is to be chosen needs an answer: fixed values and defaults come from the form. An empty
/// text and `null` are no answers.
public struct Answers: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// The answers by path.
  public private(set) var entries: [String: Answer]

  /// Answers by path.
  public init(_ entries: [String: Answer] = [:]) { self.entries = entries }

  /// Answers by path; where a path stands twice, the last one counts.
  public init(dictionaryLiteral elements: (String, Answer)...) {
    entries = Dictionary(elements) { $1 }
  }

  /// The answer at a path; nil where there is none.
  ///
  /// Setting nil takes it back.
  public subscript(path: String) -> Answer? {
    get { entries[path] }
    set { entries[path] = newValue }
  }

  /// Whether anything is answered below a path, such as `credentials.passcode` below `credentials`.
  func hasAny(below path: String) -> Bool {
    entries.keys.contains { $0.hasPrefix(path + ".") }
  }
}

/// One answer: a value, or the choice of an option.
public enum Answer: Sendable, Hashable {
  /// A value to be sent, or the value of an option.
  case value(JSONValue)
  /// The option at a position, from 0.
  case option(Int)
  /// The option whose authenticator has this key or type, or that has this label.
  case optionNamed(String)
}

extension Answer {
  /// A text that is known only at run time.
  public static func text(_ text: String) -> Answer { .value(.string(text)) }

  /// The option of an authenticator.
  public static func authenticator(_ key: IDXAuthenticator.Key) -> Answer {
    .optionNamed(key.rawValue)
  }
}

extension Answer: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByBooleanLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .value(.string(value)) }
  /// A yes or no.
  public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
}

// Answers are passwords and codes.
extension Answers: Redacted {
  /// The paths, without what was answered.
  public var description: String {
    "answers to " + entries.keys.sorted().joined(separator: ", ")
  }
}

extension Answer: Redacted {
  /// What kind of answer it is, without the answer.
  public var description: String {
    switch self {
    case .value: "a value"
    case .option: "an option by position"
    case .optionNamed: "an option by name"
    }
  }
}
