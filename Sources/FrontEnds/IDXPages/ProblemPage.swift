public import IDXFlow

// A failure as a page of a site.
extension SignInProblem {
  /// The HTTP status of the page: 502 if the service or its answer is at fault, 503 if a visitor can soon try again, and
  /// 400 if the sign-in is over.
  public var status: Int {
    switch kind {
    case .unreachable, .busy, .internalError: 503
    case .setup: 502
    case .expired, .other: 400
    }
  }

  /// The page, whose title has the focus.
  public func page(
    words: Words, style: PageStyle = PageStyle(), action: NoticePage.Action
  ) -> RenderedPage {
    // Where trying again may not help, the reference comes first.
    var action = action
    if kind == .setup { action.isMain = false }
    return NoticePage(
      title(in: words), text: text(in: words), words: words, style: style, isProblem: true,
      reference: reference, action: action
    ).page
  }
}
