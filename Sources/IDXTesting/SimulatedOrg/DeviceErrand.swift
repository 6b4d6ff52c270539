import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a device of the person's has to do for a ceremony: answer a push, scan a code, touch a tag.
struct DeviceErrand: Sendable {
  /// What becomes of it.
  enum Event: Sendable {
    case approved, rejected, timedOut
  }

  /// An event, and from when on the org knows of it.
  struct Due: Sendable {
    let event: Event
    let date: Date
  }

  enum Stage: Sendable {
    /// There is nothing to do.
    case idle
    /// The device was told; what happens next is known or not.
    case waiting(next: Due?)
    /// It came to nothing, and can be sent again.
    case failed
    /// The device has done its part, and the person has to do theirs.
    case done
  }

  /// How long a push waits for an answer, in seconds: less than a sign-in does.
  static let patience: TimeInterval = 60

  var stage = Stage.idle
  /// How the app is to be set up: `qrcode`, `email` or `sms`.
  var channel: String?
  /// Where the link goes.
  var destination: String?
  /// Whether the user wants pushes without being asked; nil where that was not said.
  var autoChallenge: Bool?
  /// How many pushes the user had before this one; nil for what is none, such as a mail.
  var push: Int?
  /// The number to pick on the phone; nil where none is wanted.
  var number: String?

  init() {}

  /// What a choice says about it.
  init(_ choice: JSONValue) {
    channel = choice["channel"]?.string
    autoChallenge = choice["autoChallenge"]?.bool
  }

  /// Whether the device may still act.
  func isWaiting(at date: Date) -> Bool {
    guard case .waiting(let next) = stage else { return false }
    return next.map { date < $0.date } ?? true
  }

  /// What has happened by then; nil where nothing has.
  func event(by date: Date) -> Event? {
    guard case .waiting(let next?) = stage, next.date <= date else { return nil }
    return next.event
  }

  mutating func happen(_ event: Event, at date: Date) {
    stage = .waiting(next: Due(event: event, date: date))
  }
}

/// What an account keeps about the person's devices.
struct DeviceMemory: Sendable {
  /// How many pushes were sent.
  var pushes = 0
  /// For which authenticators a push goes out without being asked for.
  var autoChallenges: Set<IDXAuthenticator.Key> = []
  /// How often a key was touched.
  var presses: [IDXAuthenticator.Key: UInt64] = [:]
  /// Which code a token has to show next, after one that was right.
  var awaited: [IDXAuthenticator.Key: UInt64] = [:]
  /// Tokens that have shown two codes in a row.
  var agreed: Set<IDXAuthenticator.Key> = []
}
