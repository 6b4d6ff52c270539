import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A sign-in of ``SignInSessions`` as it is stored.
struct SavedSession {
  var progress: FlowProgress
  /// The number of the current page.
  var revision = 0
  /// From when on the server may be asked for news; nil if the page does not wait.
  var nextPoll: Date?
  /// Until when a request has the sign-in for itself; nil if none is under way.
  var claimEnd: Date?
  /// How the sign-in has ended; nil until then.
  var end: End?

  /// How a sign-in has ended.
  indirect enum End: Codable {
    case signedIn(Credential)
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

    /// The result, for each request that comes after the end; throws if the sign-in failed.
    func result(of progress: FlowProgress, words: Words) throws -> SessionResult {
      switch self {
      case .signedIn(let credential): .signedIn(progress.signIn(with: credential))
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
  }

  /// One line for what is kept besides the progress, and one for the progress.
  func data() throws -> Data { try head(claimEnd) + progress.snapshot() }

  /// What is stored while a request has the sign-in for itself: the progress stays as it is in `stored`.
  func claimed(until end: Date, _ stored: Data) throws -> Data {
    try head(end) + stored[Self.rest(of: stored)]
  }

  private func head(_ claimEnd: Date?) throws -> Data {
    let head = Head(revision: revision, nextPoll: nextPoll, claimEnd: claimEnd, end: end)
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
  }
}
