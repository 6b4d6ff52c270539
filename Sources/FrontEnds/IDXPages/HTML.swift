/// A piece of HTML; texts become markup only through ``text(_:)``, which escapes them.
public struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The markup.
  public let markup: String

  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }

  private init(markup: String) { self.markup = markup }

  /// A text, escaped.
  public static func text(_ text: String) -> HTML {
    var markup = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": markup += "&amp;"
      case "<": markup += "&lt;"
      case ">": markup += "&gt;"
      case "\"": markup += "&quot;"
      case "'": markup += "&#39;"
      case "\0": break
      default: markup.unicodeScalars.append(scalar)
      }
    }
    return HTML(markup: markup)
  }

  /// Several pieces, one after the other.
  public static func all(_ pieces: [HTML]) -> HTML {
    HTML(markup: pieces.map(\.markup).joined())
  }

  /// An element; attributes that are nil are left out, and those with an empty value have only a name.
  public static func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: HTML?...
  ) -> HTML {
    let written = attributes.map { name, value in
      value.map { $0.isEmpty ? " \(name)" : " \(name)=\"\(HTML.text($0).markup)\"" } ?? ""
    }
    let start = "<\(name)\(written.joined())>"
    // A drawing is written as XML.
    if ["path", "rect"].contains(name) { return HTML(markup: "\(start.dropLast())/>") }
    let end = ["input", "img", "meta", "link", "br"].contains(name) ? "" : "</\(name)>"
    let isInLine = ["span", "small", "svg"].contains(name)
    return HTML(
      markup: start + content.compactMap(\.self).map(\.markup).joined() + end
        + (isInLine ? "" : "\n"))
  }

  /// A whole document.
  public static func document(_ content: HTML) -> HTML {
    HTML(markup: "<!doctype html>\n" + content.markup)
  }
}
