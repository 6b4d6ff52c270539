#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SimulatedUser {
  /// What the user's telephone does by itself, for demos that nobody else plays.
  ///
  /// The org looks at its own time, at each poll. What ``SimulatedOrg/approvePush(for:choosing:)``
  /// and its like do comes before it.
  public struct Device: Sendable, Hashable {
    /// What the telephone does with a push.
    public enum PushReply: Sendable, Hashable {
      /// It approves, and picks the right number, after so many seconds.
      case approve(after: TimeInterval)
      /// It rejects after so many seconds.
      case reject(after: TimeInterval)
      /// It does nothing: the push times out after a minute.
      case ignore
    }

    /// What it does with the first push, the second and so on; with later ones it does nothing.
    public var pushReplies: [PushReply]
    /// After how many seconds it has scanned the code or followed the link with which an app is set
    /// up, or was touched; nil to wait for ``SimulatedOrg/completeEnrollment(for:)``.
    public var setsUpAfter: TimeInterval?

    /// After how many seconds the person follows the link in a mail that holds one; nil to wait for
    /// ``SimulatedOrg/followLink(in:)``.
    public var followsLinksAfter: TimeInterval?

    /// A telephone that does this; unless told otherwise, nothing.
    public init(
      pushReplies: [PushReply] = [], setsUpAfter: TimeInterval? = nil,
      followsLinksAfter: TimeInterval? = nil
    ) {
      self.followsLinksAfter = followsLinksAfter
      self.pushReplies = pushReplies
      self.setsUpAfter = setsUpAfter
    }
  }
}

extension SimulatedUser.Device.PushReply {
  func due(after date: Date) -> DeviceErrand.Due? {
    switch self {
    case .approve(let seconds):
      DeviceErrand.Due(event: .approved, date: date.addingTimeInterval(seconds))
    case .reject(let seconds):
      DeviceErrand.Due(event: .rejected, date: date.addingTimeInterval(seconds))
    case .ignore: nil
    }
  }
}
