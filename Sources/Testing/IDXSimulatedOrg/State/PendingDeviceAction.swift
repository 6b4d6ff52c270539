import Foundation

/// What the user's device must do in a challenge: answer a push, scan a code or touch a tag.
struct PendingDeviceAction: Sendable {
  enum Event: Sendable { case approved, rejected, timedOut }

  enum Stage: Sendable {
    case idle
    /// Waiting for the device. The event happens at the date; nil if it is not known yet.
    case waiting(next: (event: Event, date: Date)?)
    /// A push was rejected or timed out, and can be sent again.
    case failed
    /// The device is finished, but the step is not, such as the choice of a PIN.
    case done
  }

  /// How many seconds a push waits for an answer.
  static let pushTimeout: TimeInterval = 60

  var stage = Stage.idle
  var channel: String?
  /// Where the link to set up the app is sent.
  var destination: String?
  /// Whether the user wants pushes without being asked; nil if the user did not say.
  var autoChallenge: Bool?
  /// How many pushes the user had before this one; nil if this is not a push.
  var push: Int?
  var number: String?

  func isWaiting(at date: Date) -> Bool {
    guard case .waiting(let next) = stage else { return false }
    return next.map { date < $0.date } ?? true
  }

  /// The event that has happened by a date; nil if none has.
  func event(by date: Date) -> Event? {
    guard case .waiting(let next?) = stage, next.date <= date else { return nil }
    return next.event
  }

  mutating func wait(for event: Event, at date: Date) { stage = .waiting(next: (event, date)) }
}
