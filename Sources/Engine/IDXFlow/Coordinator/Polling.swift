/// How long the steps of a sign-in have been polled, and how long polls have failed.
///
/// What a snapshot contains of it can be continued by another process.
struct Polling: Codable, Sendable {
  /// How long the current step has been polled.
  private var waited = Duration.zero
  /// How long all steps have been polled.
  private var totalWaited = Duration.zero
  /// The shortest time until the next poll.
  private(set) var pause = Duration.zero
  /// How many polls in a row brought no news.
  private(set) var count = 0
  /// How long polls have failed in a row; nil if the last one did not fail.
  private var missedTime: Duration?
  /// How much of the interval before the next poll is over, because the wait for it was interrupted.
  var interrupted = Duration.zero
  /// Whether the server was asked at once after Okta Verify had answered it.
  var hasPolledAtOnce = false

  private enum CodingKeys: String, CodingKey {
    case waited, totalWaited, pause, count = "polls", missedTime
  }

  init() {}

  /// Whether the numbers are such that no sum can be too great, also in a snapshot that somebody has changed.
  var isPossible: Bool {
    (0...1_000_000).contains(count)
      && [waited, totalWaited, pause, missedTime ?? .zero].allSatisfy {
        $0 >= .zero && $0 <= .seconds(86_400)
      }
  }

  /// How long the current step may still be polled.
  func timeLeft(_ limits: FlowLimits) -> Duration {
    min(limits.polling - waited, limits.totalPolling - totalWaited)
  }

  /// The limit that is reached first.
  func limit(of limits: FlowLimits) -> Duration {
    limits.polling - waited < limits.totalPolling - totalWaited
      ? limits.polling : limits.totalPolling
  }

  /// Begins with a new step, which has not been polled.
  mutating func leaveStep() {
    waited = .zero
    count = 0
  }

  /// Ends a row of failures.
  mutating func takeResponse() {
    missedTime = nil
    pause = .zero
    interrupted = .zero
  }

  /// Records a poll; after news, the current step is another one.
  mutating func add(_ time: Duration, isNews: Bool) {
    waited = isNews ? .zero : waited + time
    totalWaited += time
    count = isNews ? 0 : count + 1
  }

  /// Records that a poll failed, after an interval and the time of its request; returns false if polls
  /// have failed for too long.
  mutating func miss(after interval: Duration, _ time: Duration, pause: Duration) -> Bool {
    // The interval before the first failure was no trouble.
    let trouble = (missedTime.map { $0 + interval } ?? .zero) + time
    guard trouble < .seconds(30) else { return false }
    missedTime = trouble
    self.pause = pause
    add(interval + time, isNews: false)
    return true
  }
}
