/// A text of a program for a person: English, with its values apart, so that a table can have it in another
/// language.
///
/// It is written as a string literal:
///
///     let sentence: Sentence = "Signed in as \(user)."
///
/// Its name in a table is the English text with numbers for the values: `Signed in as {1}.` A sentence can have another
/// name, for a text that English does not need.
package struct Sentence: Sendable, Hashable {
  package enum Value: Sendable, Hashable {
    case text(String)
    /// A part that is looked up by itself.
    case sentence(Sentence)
  }

  /// The English text, with the names of the values in braces.
  package let template: String
  /// The name in a table.
  package let name: String
  /// The values by name.
  package let values: [String: Value]

  /// Creates a sentence; its name is by default the English text.
  package init(template: String, named name: String? = nil, values: [String: Value] = [:]) {
    self.template = template
    self.name = name ?? template
    self.values = values
  }

  /// A text that is the same in every language, such as one of a server.
  package init(text: String) { self.init(template: "{1}", values: ["1": .text(text)]) }

  /// The same sentence with other texts as values.
  package func mapValues(_ change: (String) -> String) -> Sentence {
    Sentence(
      template: template, named: name,
      values: values.mapValues { value in
        switch value {
        case .text(let text): .text(change(text))
        case .sentence(let sentence): .sentence(sentence.mapValues(change))
        }
      })
  }

  /// The text in a language; `template` returns what a table has for a name, or nil.
  package func text(_ template: (String) -> String?) -> String {
    let values = values.mapValues { value in
      switch value {
      case .text(let text): text
      case .sentence(let sentence): sentence.text(template)
      }
    }
    return (template(name) ?? self.template).filling(values)
  }
}

extension Sentence: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var template = ""
    fileprivate var values: [String: Value] = [:]

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { template += literal }

    package mutating func appendInterpolation(_ value: some Any) { append(.text("\(value)")) }

    package mutating func appendInterpolation(_ sentence: Sentence) { append(.sentence(sentence)) }

    private mutating func append(_ value: Value) {
      let name = "\(values.count + 1)"
      template += "{\(name)}"
      values[name] = value
    }
  }

  package init(stringLiteral text: String) { self.init(template: text) }

  package init(stringInterpolation parts: StringInterpolation) {
    self.init(template: parts.template, values: parts.values)
  }

  /// Two parts of one sentence, for a literal that is too long for a line.
  package static func + (left: Sentence, right: Sentence) -> Sentence {
    var template = right.template
    var values = left.values
    // From the last one, because a new number may be an old one of another value.
    for number in stride(from: right.values.count, to: 0, by: -1) {
      let new = "\(number + left.values.count)"
      template = template.replacing("{\(number)}", with: "{\(new)}")
      values[new] = right.values["\(number)"]
    }
    return Sentence(template: left.template + template, values: values)
  }
}

extension Sentence: CustomStringConvertible {
  /// The English text.
  package var description: String { text { _ in nil } }
}

extension String {
  /// The text with values in place of their names in braces; a name without a value stays.
  ///
  /// All in one pass, because a value can contain braces itself.
  package func filling(_ values: [String: String]) -> String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      let name = rest[rest.index(after: start)..<end]
      result += rest[..<start]
      result += values[String(name)] ?? String(rest[start...end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
