import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A sign-in of ``OpenSignIns`` as it is stored.
struct SavedOpenSignIn {
  var progress: FlowProgress
  /// The number of the current page.
  var revision = 0
  /// From when on the server may be asked for news; nil if the page does not wait.
  var nextPoll: Date?
  /// Until when a request has the sign-in for itself; nil if none is under way.
  var claimEnd: Date?
  /// How the sign-in has ended; nil until then.
  var end: End?
  /// What the current page says besides its step; nil if that is nothing.
  var remark: Remark?

  /// What a page says besides its step, so that it is still there when the page is loaded again.
  struct Remark: Codable, Hashable {
    /// What the server has just accepted.
    var confirmation: String?
    /// Why the last reply was not sent, as a whole and by the inputs.
    var message: String?
    var problems: [Screen.Input.ID: String] = [:]
    /// What it contained, except secrets and codes.
    var values: [Screen.Input.ID: String] = [:]

    init?(confirmation: String?) {
      guard let confirmation else { return nil }
      self.confirmation = confirmation
    }

    init(_ refusal: InvalidReply, of reply: Reply, to screen: Screen) {
      (message, problems) = (refusal.message, refusal.problems)
      guard case .submit(let typed) = reply else { return }
      for input in screen.visibleInputs(with: typed)
      where input.kind != .secret && input.contentType != .oneTimeCode {
        values[input.id] = typed[input.id]?.revealed
      }
    }

    /// The screen with what the remark says about the last reply.
    func applied(to screen: Screen) -> Screen {
      if problems.isEmpty, values.isEmpty {
        // The messages of the server say why the page is shown.
        var screen = screen
        guard let message else { return screen }
        screen.startsByItself = false
        screen.refusedInputID = nil
        screen.messages.insert(Screen.Message(.error, message), at: 0)
        return screen
      }
      return screen.refused(
        .submit(values.mapValues { Secret($0) }),
        because: InvalidReply(problems: problems, message: message))
    }
  }

  /// How a sign-in has ended.
  indirect enum End: Codable {
    case signedIn(Credential, keptAs: String? = nil, earnedBy: ReplyMark? = nil)
    case ended
    case cancelled
    case failed(code: String, message: String)

    init(_ outcome: Outcome) {
      switch outcome {
      case .signedIn(let signIn): self = .signedIn(signIn.credential)
      case .ended: self = .ended
      case .cancelled: self = .cancelled
      }
    }

    var isSignedIn: Bool { if case .signedIn = self { true } else { false } }

    /// Whether a reply is the one that completed the sign-in.
    func isEarned(by reply: Reply) -> Bool {
      if case .signedIn(_, _, let mark?) = self { mark.fits(reply) } else { false }
    }

    /// Whether its page has messages that the person may want to read again.
    var isEnded: Bool { if case .ended = self { true } else { false } }

    /// The result, for each request that comes after the end; throws if the sign-in failed.
    func result(of progress: FlowProgress, words: Words) throws -> OpenSignInResult {
      switch self {
      case .signedIn(let credential, let name, _):
        .signedIn(progress.signIn(with: credential, keptAs: name))
      case .ended: .ended(Screen(end: progress.state, words: words))
      case .cancelled: .cancelled
      case .failed(let code, let message):
        throw FlowError(FlowError.Code(rawValue: code), message)
      }
    }
  }

  init(_ progress: FlowProgress) { self.progress = progress }

  func isClaimed(at now: Date) -> Bool { claimEnd.map { now < $0 } ?? false }

  /// Whether the time for the next poll has come; a screen that does not wait has none.
  func mayPoll(at now: Date) -> Bool { nextPoll.map { now >= $0 } ?? true }

  // MARK: Saving

  private struct Head: Codable {
    let revision: Int
    let nextPoll: Date?
    let claimEnd: Date?
    let end: End?
    let remark: Remark?
  }

  /// One line for what is kept besides the progress, and one for the progress.
  func data() throws -> Data { try head(claimEnd) + progress.snapshot() }

  /// What is stored if the progress stays as it is in `stored`, such as while a request has the sign-in for itself.
  func data(keeping stored: Data, claimEnd: Date? = nil) throws -> Data {
    try head(claimEnd) + stored[Self.rest(of: stored)]
  }

  private func head(_ claimEnd: Date?) throws -> Data {
    let head = Head(
      revision: revision, nextPoll: nextPoll, claimEnd: claimEnd, end: end, remark: remark)
    return try JSONEncoder().encode(head) + [UInt8(ascii: "\n")]
  }

  /// Where the line for the progress is.
  private static func rest(of data: Data) -> Range<Data.Index> {
    (data.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? data.endIndex)..<data.endIndex
  }

  init(_ data: Data, for configuration: FlowConfiguration, _ limits: FlowLimits) throws {
    let rest = Self.rest(of: data)
    guard let head = try? JSONDecoder().decode(Head.self, from: data[..<rest.lowerBound]),
      (0...1_000_000).contains(head.revision)
    else { throw FlowError.damagedSignIn() }
    progress = try FlowProgress(snapshot: Data(data[rest]), for: configuration, limits: limits)
    (revision, nextPoll, claimEnd, end) = (head.revision, head.nextPoll, head.claimEnd, head.end)
    remark = head.remark
  }
}
