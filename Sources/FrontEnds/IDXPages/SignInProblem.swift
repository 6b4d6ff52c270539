public import IDXFlow
public import IDXOAuth

/// What a visitor is told about a failure: what to do, and nothing about requests, hosts or settings.
///
/// The details belong to the log of the server, with the same ``reference``.
public struct SignInProblem: Sendable {
  /// What a failure means for a visitor.
  public enum Kind: String, Sendable, CaseIterable {
    /// The sign-in service does not answer.
    case unreachable
    /// The sign-in service has too much to do.
    case busy
    /// Only those who run the site can help.
    case setup
    /// The sign-in took too long, or was used already.
    case expired
    /// Anything else.
    case other
  }

  /// What it means.
  public let kind: Kind
  /// What the page and the log have in common, such as `7F3C-21AB`.
  public let reference: String

  /// Creates a problem from what was thrown; another error than a ``/IDXOAuth/FlowError`` is one of this site.
  public init(_ error: any Error, random: RandomBytes = .system) {
    kind = Self.kind(of: error)
    let text = random.token().uppercased().filter { $0.isLetter || $0.isNumber }
    reference = "\(text.prefix(4))-\(text.dropFirst(4).prefix(4))"
  }

  private static func kind(of error: any Error) -> Kind {
    guard let error = error as? FlowError else { return .busy }
    switch error.code {
    case .network: return .unreachable
    case .serverFailed, .rateLimited, .notKept, .answerUnconfirmed: return .busy
    case .invalidConfiguration, .hrefRefused, .unexpectedResponse, .refused, .wrongKey,
      .redirectMismatch, .noHandler, .notSendable:
      return .setup
    case .unreadableState, .limitReached, .signInNeeded, .invalidToken: return .expired
    default: return .other
    }
  }

  /// The HTTP status of the page: 502 if the service or its answer is at fault, 503 if a visitor can soon try again, and
  /// 400 if the sign-in is over.
  public var status: Int {
    switch kind {
    case .unreachable, .busy: 503
    case .setup: 502
    case .expired, .other: 400
    }
  }

  /// What the visitor reads as the title.
  public func title(in words: Words) -> String { words.page(.problemTitle(kind)) }

  /// What the visitor can do.
  public func text(in words: Words) -> String { words.page(.problemText(kind)) }

  /// The sentence for a page on which the sign-in goes on, with the reference.
  public func notice(in words: Words) -> String {
    let reference = words.page(.reference, ["reference": reference])
    return "\(title(in: words)). \(text(in: words)) \(reference)"
  }

  /// The page, whose title has the focus.
  public func page(
    words: Words, style: PageStyle = PageStyle(), action: NoticePage.Action
  ) -> RenderedPage {
    NoticePage(
      title(in: words), text: text(in: words), words: words, style: style, isProblem: true,
      reference: reference, action: action
    ).page
  }
}
