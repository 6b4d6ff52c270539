import Foundation

/// What a browser without JavaScript sees of a page: texts, controls and buttons.
///
/// The tests of `Examples/WebSignIn` use it too.
struct PageReader {
  struct Element {
    let name: String
    var attributes: [String: String]
    /// The text up to the next end of an element.
    var text = ""

    subscript(attribute: String) -> String? { attributes[attribute] }
  }

  let elements: [Element]
  /// All texts, separated by spaces.
  let text: String

  init(_ markup: String) {
    var elements: [Element] = []
    var texts: [String] = []
    for part in markup.split(separator: "<") {
      let pieces = part.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      let text = Self.unescaped(pieces.count > 1 ? pieces[1] : "")
        .trimmingCharacters(in: .whitespacesAndNewlines)
      if !text.isEmpty { texts.append(text) }
      guard let tag = pieces.first, tag.first?.isLetter == true else { continue }
      let name = String(tag.prefix { $0.isLetter || $0.isNumber })
      var attributes: [String: String] = [:]
      for match in tag.matches(of: /\s([a-z-]+)(?:="([^"]*)")?/) {
        attributes[String(match.output.1)] = match.output.2.map(Self.unescaped) ?? ""
      }
      elements.append(Element(name: name, attributes: attributes, text: text))
    }
    self.elements = elements
    text = texts.joined(separator: " ")
  }

  private static func unescaped(_ text: Substring) -> String {
    String(text).replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing(
      "&lt;", with: "<"
    )
    .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
  }

  var title: String { elements.first { $0.name == "h1" }?.text ?? "" }
  var documentTitle: String { elements.first { $0.name == "title" }?.text ?? "" }
  /// The address of the form.
  var action: String { elements.first { $0.name == "form" }?["action"] ?? "" }
  /// The page that the main action opens; nil if it opens none.
  var link: String? { elements.first { $0.name == "a" && $0["class"] == "button main" }?["href"] }
  var mainButton: Element? { buttons.first { $0["name"] == nil } }
  var options: [Element] { buttons.filter { $0["name"] == "choose" } }
  var buttons: [Element] { elements.filter { $0.name == "button" } }
  var problems: [String] {
    elements.filter { $0["class"] == "problem" || $0["class"] == "message error" }.map(\.text)
  }

  /// The fields that the browser sends as they are: hidden ones, and what is chosen already.
  var fields: [String: String] {
    var fields: [String: String] = [:]
    for input in elements where input.name == "input" {
      guard let name = input["name"] else { continue }
      let isChosen = input["checked"] != nil || !["radio", "checkbox"].contains(input["type"])
      if isChosen { fields[name] = input["value"] ?? "" }
    }
    return fields
  }

  /// The inputs to type into, and for each other name its possible values.
  var inputs: [Element] {
    elements.filter {
      $0.name == "input" && !["hidden", "radio", "checkbox"].contains($0["type"])
        && $0["hidden"] == nil
    }
  }
  /// The rows of a choice: what each one answers, by the name of the input, and the value of its button.
  var rows: [(value: String, fields: [String: String])] {
    buttons.filter { $0["name"] == "pick" }.map { button in
      let value = button["value"] ?? ""
      let pairs = value.split(separator: "&").map { pair in
        pair.split(separator: "=").map { $0.removingPercentEncoding ?? "" }
      }
      return (value, Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first })
    }
  }
  var choices: [(name: String, values: [String])] {
    var choices: [(name: String, values: [String])] = []
    for element in elements {
      switch (element.name, element["type"]) {
      case ("input", "radio"?):
        let name = element["name"] ?? ""
        if choices.last?.name != name, !choices.contains(where: { $0.name == name }) {
          choices.append((name, []))
        }
        if let index = choices.firstIndex(where: { $0.name == name }) {
          choices[index].values.append(element["value"] ?? "")
        }
      case ("select", _): choices.append((element["name"] ?? "", []))
      case ("option", _):
        guard let value = element["value"], !value.isEmpty, !choices.isEmpty else { continue }
        choices[choices.count - 1].values.append(value)
      default: continue
      }
    }
    return choices
  }
}
