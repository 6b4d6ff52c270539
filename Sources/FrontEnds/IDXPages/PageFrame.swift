public import IDXFlow

/// The frame of every page: the head, and one column.
public struct PageFrame {
  private let title: String
  private let words: Words
  private let style: PageStyle
  private let usesScript: Bool
  /// The seconds after which a browser without JavaScript loads the page again; nil for never.
  private let reloads: Int?

  /// Creates a frame.
  public init(
    title: String, words: Words, style: PageStyle = PageStyle(), usesScript: Bool = false,
    reloads: Int? = nil
  ) {
    self.title = title
    self.words = words
    self.style = style
    self.usesScript = usesScript
    self.reloads = reloads
  }

  /// The whole document.
  public func html(_ content: HTML?...) -> HTML {
    let refresh = reloads.map { seconds in
      HTML.tag(
        "noscript", [:],
        .tag("meta", ["http-equiv": "refresh", "content": "\(seconds); url=/check"]))
    }
    return .document(
      .tag(
        "html", ["lang": words.language],
        .tag(
          "head", [:], .tag("meta", ["charset": "utf-8"]),
          .tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
          .tag("title", [:], .text(style.title(title))),
          .tag("link", ["rel": "stylesheet", "href": "/sign-in.css"]),
          style.css.map { _ in .tag("link", ["rel": "stylesheet", "href": "/site.css"]) },
          .tag("link", ["rel": "icon", "href": "data:,"]),
          usesScript ? .tag("script", ["src": "/sign-in.js", "defer": ""]) : nil, refresh),
        .tag("body", [:], .tag("main", [:], logo, .all(content.compactMap(\.self))))))
  }

  private var logo: HTML? {
    style.logo.map { .tag("img", ["class": "logo", "src": $0, "alt": style.name ?? ""]) }
  }
}

/// A page without a screen: before a sign-in, after it, or when something is wrong.
public struct NoticePage {
  private let title: String
  private let text: String?
  private let words: Words
  private let style: PageStyle
  private let action: (label: String, address: String)
  private let token: String?

  /// Creates a page with one button, which posts to an address.
  public init(
    _ title: String, text: String? = nil, words: Words, style: PageStyle = PageStyle(),
    button label: String, to address: String, token: String? = nil
  ) {
    self.title = title
    self.style = style
    self.text = text
    self.words = words
    action = (label, address)
    self.token = token
  }

  /// The page.
  public var html: HTML {
    PageFrame(title: title, words: words, style: style).html(
      .tag("h1", [:], .text(title)), text.map { .tag("p", ["role": "status"], .text($0)) },
      .tag(
        "form", ["method": "post", "action": action.address],
        token.map {
          .tag("input", ["type": "hidden", "name": FormFields.token, "value": $0])
        }, .tag("button", ["class": "main"], .text(action.label))))
  }
}
