public import IDXFlow

/// A page about a failure: what the visitor can do, and a reference that the log of the server has too.
public struct ProblemPage {
  private let problem: SignInProblem
  private let words: Words
  private let style: PageStyle
  private let action: NoticePage.Action

  /// Creates a page with a button, such as “Try again”.
  public init(
    _ problem: SignInProblem, words: Words, style: PageStyle = PageStyle(),
    action: NoticePage.Action
  ) {
    (self.problem, self.words, self.style) = (problem, words, style)
    var action = action
    // Where trying again may not help, the reference is more important.
    if problem.kind == .setup { action.isMain = false }
    self.action = action
  }

  /// The HTTP status: 502 if the service or its answer is at fault, 503 if a visitor can soon try again, and 400 if the
  /// sign-in is over.
  public var status: Int {
    switch problem.kind {
    case .unreachable, .busy, .internalError: 503
    case .setup: 502
    case .expired, .other: 400
    }
  }

  /// The page, whose title has the focus.
  public var page: RenderedPage {
    NoticePage(
      problem.title(in: words), text: problem.text(in: words), words: words, style: style,
      isProblem: true, reference: problem.reference, action: action
    ).page
  }
}
