public import IDXOAuth

/// What a person is told about a failure: what to do, and nothing about requests, hosts or settings.
///
/// The details belong to a log, with the same ``reference``:
///
///     let problem = SignInProblem(error)
///     log("\(problem.reference): \(error)")
///     show(problem.title(in: words), problem.text(in: words))
///
/// ``SignInModel/problem`` is that of a sign-in.
public struct SignInProblem: Sendable, Equatable {
  /// What a failure means for a person.
  public enum Kind: String, Sendable, CaseIterable {
    /// The sign-in service does not answer.
    case unreachable
    /// The sign-in service has too much to do, or has failed.
    case busy
    /// Only those who run the app or the site can help.
    case setup
    /// The sign-in took too long, or was used already.
    case expired
    /// Something else than the sign-in service has failed, such as a store of the app or the site.
    case internalError = "internal-error"
    /// Anything else, such as an end of the sign-in without tokens.
    case other
  }

  /// What it means.
  public let kind: Kind
  /// What the person sees and the log have in common, such as `7F3C-21AB`.
  public let reference: String
  /// Why the server has ended the sign-in, in its words; nil if it does not say.
  private let serverText: String?

  /// Creates a problem from what was thrown; another error than a ``/IDXOAuth/FlowError`` is an internal one.
  public init(_ error: any Error, random: RandomBytes = .system) {
    self.init(Self.kind(of: error), random)
  }

  /// Creates a problem from the end of a sign-in.
  public init(_ failure: FlowPhase.Failure, random: RandomBytes = .system) {
    switch failure {
    case .error(let error): self.init(error, random: random)
    case .ended: self.init(.other, random, serverText: failure.serverText)
    }
  }

  private init(_ kind: Kind, _ random: RandomBytes, serverText: String? = nil) {
    let text = random.token().uppercased().filter { $0.isLetter || $0.isNumber }
    reference = "\(text.prefix(4))-\(text.dropFirst(4).prefix(4))"
    (self.kind, self.serverText) = (kind, serverText)
  }

  private static func kind(of error: any Error) -> Kind {
    guard let error = error as? FlowError else { return .internalError }
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

  /// What has happened, without a full stop, such as “The sign-in service cannot be reached”.
  public func title(in words: Words) -> String { words.text(.problemTitle(kind)) ?? "" }

  /// What the person can do; words for the pages of a site (IDXPages) speak of the site, others of the app.
  public func text(in words: Words) -> String { serverText ?? words.text(.problemText(kind)) ?? "" }

  /// What has happened and what to do, for a screen on which the sign-in goes on, with the reference.
  public func notice(in words: Words) -> String {
    "\(title(in: words)). \(text(in: words)) \(referenceText(in: words))"
  }

  /// The reference with its name, such as “Reference: 7F3C-21AB”.
  public func referenceText(in words: Words) -> String {
    words.text("sign-in-problem.reference", ["reference": reference]) ?? ""
  }
}

extension Words.Key {
  /// What went wrong.
  fileprivate static func problemTitle(_ kind: SignInProblem.Kind) -> Self {
    Self(rawValue: "sign-in-problem.\(kind.rawValue)")
  }

  /// What a person can do about it.
  fileprivate static func problemText(_ kind: SignInProblem.Kind) -> Self {
    Self(rawValue: "sign-in-problem.\(kind.rawValue).text")
  }
}
