import Foundation

/// The name, the logo and the colour of a site; by default, a page has none of its own.
///
/// All colours of the pages are custom properties of `sign-in.css`.
public struct PageStyle: Sendable, Hashable {
  /// The name of the site, which is at the end of each page's title in the browser.
  public var name: String?
  /// The address of the logo: a path of this site, such as `/logo.svg`, or an address that begins with `https:`.
  public var logo: String?
  /// The colour of buttons and links.
  public var accent: Accent?

  /// Creates a style.
  public init(name: String? = nil, logo: String? = nil, accent: Accent? = nil) {
    self.name = name
    self.logo = logo
    self.accent = accent
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
      for (colour, page) in [(light, "#ffffff"), (dark, "#1f232b")] {
        guard let own = Self.luminance(of: colour), let ground = Self.luminance(of: page) else {
          throw Refused(description: "A colour looks like #1f4fc4, not like \(colour).")
        }
        let contrast = (max(own, ground) + 0.05) / (min(own, ground) + 0.05)
        guard contrast >= 4.5 else {
          throw Refused(
            description: "The colour \(colour) cannot be read on a page with the colour \(page).")
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
    accent.map { ":root { --accent: light-dark(\($0.light), \($0.dark)); }\n" }
  }

  /// Where a browser may load images from, besides those in the page.
  public var imageSource: String? {
    guard let logo else { return nil }
    guard let end = logo.firstMatch(of: /^https?:\/\/[^\/?#;,\s]+/) else { return "'self'" }
    return String(end.output)
  }

  /// The title of a page with the name of the site.
  func title(_ title: String) -> String {
    [title, name].compactMap(\.self).joined(separator: " – ")
  }
}
