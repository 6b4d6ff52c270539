import Foundation

/// The name, the logo and the colour of a site, on each of its pages.
///
/// All other colours of the pages are custom properties of `sign-in.css`.
public struct PageStyle: Sendable, Hashable {
  /// The name of the site: on each page, and at the end of its title in the browser; nil for none.
  public var name: String?
  /// The address of the logo: a path of this site, such as `/logo.svg`, or an address that begins with `https:`.
  ///
  /// Without one, the page shows the first letter of the name.
  public var logo: String?
  /// The colour of buttons and links.
  public var accent: Accent?
  /// Whether each page of a sign-in says which host gets the answers.
  ///
  /// A person can notice there that a page is a copy of yours. Leave it on, unless all people know your org's host.
  public var showsHost: Bool

  /// Creates a style.
  public init(
    name: String? = nil, logo: String? = nil, accent: Accent? = nil, showsHost: Bool = true
  ) {
    self.name = name
    self.logo = logo
    self.accent = accent
    self.showsHost = showsHost
  }

  /// A colour on light pages, and one on dark pages.
  public struct Accent: Sendable, Hashable {
    /// The colour cannot be used.
    public struct Refused: Error, CustomStringConvertible {
      /// Why, as a sentence.
      public let description: String
    }

    fileprivate let light: String
    fileprivate let dark: String

    /// Creates an accent from two colours such as `#1f4fc4`.
    ///
    /// Throws ``Refused`` if a text in the colour could not be read on the page: the Web Content Accessibility Guidelines
    /// (WCAG 2.2, 1.4.3) want a contrast of 4.5.
    public init(light: String, dark: String) throws(Refused) {
      // The grounds of a page and of a part of it.
      for (colour, grounds) in [(light, ["#ffffff", "#eef1f7"]), (dark, ["#1c2028", "#272c37"])] {
        for page in grounds {
          guard let own = Self.luminance(of: colour), let ground = Self.luminance(of: page) else {
            throw Refused(description: "A colour looks like #1f4fc4, not like \(colour).")
          }
          let contrast = (max(own, ground) + 0.05) / (min(own, ground) + 0.05)
          guard contrast >= 4.5 else {
            throw Refused(
              description: "The colour \(colour) cannot be read on a page with the colour \(page).")
          }
        }
      }
      (self.light, self.dark) = (light, dark)
    }

    /// The relative luminance of a colour (WCAG 2.2); nil if the text is no colour.
    private static func luminance(of colour: String) -> Double? {
      guard colour.wholeMatch(of: /#[0-9a-fA-F]{6}/) != nil,
        let rgb = Int(colour.dropFirst(), radix: 16)
      else { return nil }
      let parts = [rgb >> 16, rgb >> 8 & 255, rgb & 255].map { part -> Double in
        let value = Double(part) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
  }

  /// The style sheet with the accent; nil without one.
  var css: String? {
    accent.map { accent in
      """
      :root { --accent: \(accent.light); }
      @media (prefers-color-scheme: dark) { :root { --accent: \(accent.dark); } }

      """
    }
  }

  /// Where a browser may load images from, besides those in the page.
  var imageSource: String? {
    guard let logo else { return nil }
    guard let end = logo.firstMatch(of: /^https?:\/\/[^\/?#;,\s]+/) else { return "'self'" }
    return String(end.output)
  }

  /// The title of a page with the name of the site.
  func title(_ title: String) -> String {
    [title, name].compactMap(\.self).joined(separator: " – ")
  }

  // MARK: The brand

  /// The logo, or a letter, with the name; nil without both.
  var brand: HTML? {
    guard logo != nil || name != nil else { return nil }
    let image = logo.map { HTML.tag("img", ["src": $0, "alt": name ?? ""]) }
    return .tag(
      "p", ["class": "brand"],
      image ?? .tag("span", ["class": "letter", "aria-hidden": "true"], .text(letter)),
      image == nil ? name.map { .tag("span", [:], .text($0)) } : nil)
  }

  private var letter: String { Self.letter(of: name ?? "") }

  /// The first letter of a name, as a capital letter.
  static func letter(of name: String) -> String {
    name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "•"
  }

  /// A drawing of the letter, for the tab of the browser.
  var icon: String {
    let drawing = HTML.tag(
      "svg", ["xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 32 32"],
      .tag("rect", ["width": "32", "height": "32", "rx": "9", "fill": accent?.light ?? "#1f4fc4"]),
      .tag(
        "text",
        [
          "x": "16", "y": "23", "fill": "#fff", "text-anchor": "middle",
          "font-family": "system-ui,sans-serif", "font-size": "20",
          "font-weight": "700",
        ], .text(letter)))
    let allowed = CharacterSet.alphanumerics.union(.init(charactersIn: "-._ =/:,"))
    let text = drawing.markup.replacing("\n", with: "")
    return "data:image/svg+xml,"
      + (text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
  }
}
