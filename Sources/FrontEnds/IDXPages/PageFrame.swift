public import IDXFlow

/// The frame of every page: the head, and one column with the brand of the site.
public struct PageFrame {
  private let title: String
  private let words: Words
  private let style: PageStyle
  private let host: String?
  private let usesScript: Bool
  private let scripts: [String]
  private let isWide: Bool
  /// After how many seconds a browser loads the page again, and from where; nil for never.
  private let reload: (seconds: Int, address: String)?
  private let formAction: String?

  /// Creates a frame.
  ///
  /// - Parameters:
  ///   - title: The title in the browser, before the name of the site.
  ///   - words: The words of the page; their language is that of the document.
  ///   - style: The look of the site.
  ///   - host: The host that gets the answers, for the line below the page; nil for none.
  ///   - usesScript: Whether the page has the script.
  ///   - scripts: The paths of other scripts, which use functions of the script.
  ///   - isWide: Whether the column is wide, with a style for lists.
  ///   - reload: After how many seconds the page is loaded again, and from which address; with the script only in a
  ///     browser without JavaScript, because the script looks for news.
  ///   - formAction: Where forms may lead (`form-action` of the policy); nil for anywhere.
  public init(
    title: String, words: Words, style: PageStyle = PageStyle(), host: String? = nil,
    usesScript: Bool = true, scripts: [String] = [], isWide: Bool = false,
    reload: (seconds: Int, address: String)? = nil,
    formAction: String? = "'self'"
  ) {
    self.title = title
    self.words = words
    self.style = style
    self.host = host
    self.usesScript = usesScript
    self.scripts = scripts
    self.isWide = isWide
    self.reload = reload
    self.formAction = formAction
  }

  /// The page with its content; its script may request these origins.
  public func page(requesting origins: [String] = [], _ content: HTML?...) -> RenderedPage {
    let refresh = reload.map { reload in
      HTML.tag(
        "meta", ["http-equiv": "refresh", "content": "\(reload.seconds); url=\(reload.address)"])
    }
    let document = HTML.document(
      .tag(
        "html", ["lang": words.language, "dir": words.isRightToLeft ? "rtl" : nil],
        .tag(
          "head", [:], .tag("meta", ["charset": "utf-8"]),
          .tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
          .tag("title", [:], .text(style.title(title))),
          .tag("link", ["rel": "stylesheet", "href": StaticFile.address(of: "/sign-in.css")]),
          isWide
            ? .tag("link", ["rel": "stylesheet", "href": StaticFile.address(of: "/lists.css")])
            : nil,
          style.css.map { _ in .tag("link", ["rel": "stylesheet", "href": "/site.css"]) },
          .tag("link", ["rel": "icon", "href": style.icon]),
          usesScript
            ? .tag("script", ["src": StaticFile.address(of: "/sign-in.js"), "defer": ""]) : nil,
          .all(scripts.map { .tag("script", ["src": StaticFile.address(of: $0), "defer": ""]) }),
          usesScript ? refresh.map { .tag("noscript", [:], $0) } : refresh),
        .tag(
          "body",
          [
            "data-busy": usesScript ? words.page(.busy) : nil,
            "data-reload": usesScript ? reload.map { String($0.seconds) } : nil,
          ],
          .tag(
            "main", ["class": isWide ? "wide" : nil], style.brand,
            .all(content.compactMap(\.self))),
          host.flatMap { style.showsHost ? hostLine($0) : nil })))
    return RenderedPage(document, style: style, requesting: origins, formAction: formAction)
  }

  private func hostLine(_ host: String) -> HTML {
    .tag(
      "footer", ["class": "host"],
      .text(words.page(.host, ["host": host])))
  }
}

extension Words {
  /// Whether the language is written from right to left.
  var isRightToLeft: Bool {
    let name = language.prefix { $0.isLetter }.lowercased()
    return ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"].contains(name)
  }
}
