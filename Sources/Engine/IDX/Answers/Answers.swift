public import IDXBase

/// Answers to a form, by dotted path.
///
///     let answers: Answers = [
///       "identifier": "ada@example.com",
///       "credentials.passcode": "correct horse",
///     ]
///
/// Fixed values and defaults come from the form and need no answer. An empty text and `null` count as
/// no answer. Write a name as the server does: a letter with an accent that is written as one character
/// is not the same as a letter and an accent.
public struct Answers: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// The answers by path.
  public private(set) var entries: [String: Answer]

  /// Creates answers from a dictionary.
  public init(_ entries: [String: Answer] = [:]) { self.entries = entries }

  /// Creates answers; if a path occurs twice, the last answer counts.
  public init(dictionaryLiteral elements: (String, Answer)...) {
    entries = Dictionary(elements) { $1 }
  }

  /// The answer at a path; setting nil removes it.
  public subscript(path: String) -> Answer? {
    get { entries[path] }
    set { entries[path] = newValue }
  }
}

// Answers are passwords and codes.
extension Answers: Redacted {
  /// The paths.
  public var description: String {
    "answers to " + entries.keys.sorted().joined(separator: ", ")
  }
}

/// One answer: a text, another value, or the choice of an option.
public enum Answer: Sendable, Hashable {
  /// A text to send, such as a name, a password or a code, or the value of an option.
  case text(Secret)
  /// Another value to send, or the value of an option.
  case value(JSONValue)
  /// The option at this position, from 0.
  case option(Int)
  /// The option whose authenticator has this key or type, or that has this label or value.
  case optionNamed(String)

  /// Creates an answer from a string.
  public static func text(_ text: String) -> Answer { .text(Secret(text)) }

  /// Creates an answer from a value, which may be a text.
  public init(_ value: JSONValue) {
    self = if case .string(let text) = value { .text(text) } else { .value(value) }
  }

  /// The value to send; nil for the choice of an option by its position or name.
  package var json: JSONValue? {
    switch self {
    case .text(let text): .string(text.revealed)
    case .value(let value): value
    case .option, .optionNamed: nil
    }
  }

  /// Chooses the option of an authenticator.
  public static func authenticator(_ key: IDXAuthenticator.Key) -> Answer {
    .optionNamed(key.rawValue)
  }
}

extension Answer {
  /// Whether both choose the same, or send the same value.
  public static func == (one: Answer, other: Answer) -> Bool {
    switch (one, other) {
    case (.option(let one), .option(let other)): one == other
    case (.optionNamed(let one), .optionNamed(let other)): one == other
    default: one.json != nil && one.json == other.json
    }
  }

  /// Hashes what is chosen or sent.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .option(let position): hasher.combine(position)
    case .optionNamed(let name): hasher.combine(name)
    case .text, .value: hasher.combine(json)
    }
  }
}

extension Answer: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByBooleanLiteral
{
  /// Creates an answer from a string.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates an answer from a boolean.
  public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
}

extension Answer: Redacted {
  /// The kind of answer.
  public var description: String {
    switch self {
    case .text: "a text"
    case .value: "a value"
    case .option: "an option by position"
    case .optionNamed: "an option by name"
    }
  }
}
