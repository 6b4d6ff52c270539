import Expectations
import Foundation
import Testing

@testable import IDXOAuth

/// ID tokens and clocks.
struct IDTokenClockTests {
  @Test(
    "The leeway can be set",
    arguments: [
      (0, 0, nil), (0, 1, .issuedAt), (0, -1, .issuedAt), (10, 10, nil), (10, -10, nil),
      (10, 11, .issuedAt), (10, -11, .issuedAt),
    ] as [(Int, TimeInterval, IDTokenError.Code?)])
  func leeway(_ leeway: Int, _ seconds: TimeInterval, _ code: IDTokenError.Code?) throws {
    var expectation = SampleToken.expectation
    expectation.leeway = leeway
    let now = SampleToken.now.addingTimeInterval(seconds)
    try expectEqual(SampleToken().refusal(by: expectation, at: now)?.code, code)
  }

  @Test(
    "Within the leeway, a sign-in must not be older than requested or in the future",
    arguments: [
      (4_102_443_900, true), (4_102_443_899, false), (4_102_445_100, true), (4_102_445_101, false),
    ])
  func signIn(_ seconds: Int, _ isAccepted: Bool) throws {
    var expectation = SampleToken.expectation
    expectation.authenticatedAt = nil
    var sample = SampleToken()
    sample.claims["auth_time"] = String(seconds)
    let code = IDTokenError.Code.authenticationTime
    try expectEqual(sample.refusal(by: expectation)?.code, isAccepted ? nil : code)
    expectation.maximumAge = nil
    let isInFuture = seconds > 4_102_445_100
    try expectEqual(sample.refusal(by: expectation)?.code, isInFuture ? code : nil)
    // A time that was accepted before a refresh is accepted again.
    expectation.authenticatedAt = Date(timeIntervalSince1970: TimeInterval(seconds))
    _ = try sample.validated(by: expectation)
  }

  @Test("The error says by how much the clock may be wrong")
  func wording() throws {
    let late = try SampleToken().refusal(at: SampleToken.now.addingTimeInterval(7200))
    expectEqual(
      late?.message,
      "The ID token expired 3600 s ago. If you have just signed in, this"
        + " machine's clock is wrong by about 7200 s. Set the clock, then sign in again.")
    let early = try SampleToken().refusal(at: SampleToken.now.addingTimeInterval(-7200))
    expectEqual(
      early?.message,
      "The ID token was issued 7200 s in the future. If you have just signed in, this"
        + " machine's clock is wrong by about 7200 s. Set the clock, then sign in again.")
  }

  @Test(
    "Extreme times and a very large leeway do not crash",
    arguments: [0, -1e11, 1e11, 1e308, .infinity, -.infinity, .nan] as [TimeInterval])
  func extremes(_ seconds: TimeInterval) throws {
    let now = Date(timeIntervalSince1970: seconds)
    try expect(SampleToken().refusal(at: now) != nil)
    var expectation = SampleToken.expectation
    (expectation.leeway, expectation.maximumAge) = (Int.max, Int.max)
    _ = try SampleToken().refusal(by: expectation, at: now)
  }

  @Test("A token whose times are not the expected ones is refused")
  func otherTimes() throws {
    let changes: [(IDTokenError.Code, (inout IDTokenExpectation) -> Void)] = [
      (.authenticationTime, { ($0.maximumAge, $0.leeway) = (98, 1) }),
      (.authenticationTime, { $0.maximumAge = Int.min }),
      (.authenticationTime, { $0.authenticatedAt = SampleToken.now }),
      (.authenticationTime, { $0.authenticatedAt = Date(timeIntervalSince1970: .infinity) }),
      (.expired, { $0.leeway = Int.min }),
    ]
    for (number, (code, change)) in changes.enumerated() {
      var expectation = SampleToken.expectation
      change(&expectation)
      try expectEqual(SampleToken().refusal(by: expectation)?.code, code, "\(number)")
    }
  }
}
