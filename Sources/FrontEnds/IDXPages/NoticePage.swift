public import IDXFlow

/// A page without a screen: before a sign-in, after it, or when something is wrong.
public struct NoticePage {
  /// What a page leads to.
  public struct Action: Sendable {
    let label: String
    let address: String
    let token: String?
    var isMain: Bool

    /// Creates a button that posts to an address, with a token against forged posts.
    ///
    /// If it is not the main one, it is less visible, because most people do something else.
    public init(
      _ label: String, to address: String, token: String? = nil, isMain: Bool = true
    ) {
      self.isMain = isMain
      self.label = label
      self.address = address
      self.token = token
    }
  }

  private let title: String
  private let text: String?
  private let words: Words
  private let style: PageStyle
  private let username: String?
  private let reference: String?
  private let isProblem: Bool
  private let action: Action?

  /// Creates a page with a title, a text and one button.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - text: What the person can know or do.
  ///   - words: The words of the page.
  ///   - style: The look of the site.
  ///   - username: Who is signed in; nil for nobody.
  ///   - isProblem: Whether something is wrong: the title says so, and has the focus.
  ///   - reference: What the person tells those who help, and what the log of the server has too.
  ///   - action: The button; nil for none.
  public init(
    _ title: String, text: String? = nil, words: Words, style: PageStyle = PageStyle(),
    username: String? = nil, isProblem: Bool = false, reference: String? = nil, action: Action?
  ) {
    self.title = title
    self.text = text
    self.words = words
    self.style = style
    self.username = username
    self.isProblem = isProblem
    self.reference = reference
    self.action = action
  }

  /// The page.
  public var page: RenderedPage {
    let documentTitle =
      isProblem
      ? words.page(.titleOfProblem, ["title": title]) : title
    return PageFrame(title: documentTitle, words: words, style: style).page(
      .tag(
        "h1",
        ["tabindex": isProblem ? "-1" : nil, "autofocus": isProblem ? "" : nil], .text(title)),
      username.map { .person($0) },
      text.map { .tag("p", ["class": "lead"], .text($0)) },
      reference.map {
        .tag(
          "p", ["class": "lead"],
          .text(words.page(.reference, ["reference": $0])))
      },
      action.map { action in
        .tag(
          "form", ["method": "post", "action": action.address],
          action.token.map {
            .tag("input", ["type": "hidden", "name": FormFields.token, "value": $0])
          }, .tag("button", ["class": action.isMain ? "main" : "other"], .text(action.label)))
      })
  }
}

extension HTML {
  /// A username with its letter.
  static func person(_ username: String, _ button: HTML? = nil) -> HTML {
    .tag(
      "div", ["class": "person"],
      .tag(
        "span", ["class": "who", "data-letter": PageStyle.letter(of: username)], .text(username)),
      button)
  }
}
