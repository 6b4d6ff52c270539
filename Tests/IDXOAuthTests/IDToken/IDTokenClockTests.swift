import Expectations
import Foundation
import Testing

@testable import IDXOAuth

/// ID tokens and clocks.
struct IDTokenClockTests {
  @Test(
    "A token is valid for an hour plus the leeway, which can be set, if it was issued just now",
    arguments: [
      (nil, 0.0, nil), (nil, 300, nil), (nil, -300, nil), (nil, 301, .issuedAt),
      (nil, -301, .issuedAt), (nil, 3899, .issuedAt), (nil, 3900, .expired), (nil, 1e9, .expired),
      (nil, -1e9, .issuedAt), (0, 0, nil), (0, 1, .issuedAt), (0, -1, .issuedAt), (10, 10, nil),
      (10, -10, nil), (10, 11, .issuedAt), (10, -11, .issuedAt),
    ] as [(Int?, TimeInterval, IDTokenError.Code?)])
  func leeway(_ leeway: Int?, _ seconds: TimeInterval, _ code: IDTokenError.Code?) throws {
    var expectation = SampleToken.expectation
    expectEqual(expectation.leeway, 300)
    if let leeway {
      expectation.leeway = leeway
    } else {
      expectation.maximumAge = nil
    }
    let now = SampleToken.now.addingTimeInterval(seconds)
    expectEqual(refusal(by: expectation, at: now)?.code, code)
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
    if isAccepted {
      _ = try sample.validated(by: expectation)
    } else {
      let error = try #require(throws: IDTokenError.self) {
        _ = try sample.validated(by: expectation)
      }
      expectEqual(error.code, .authenticationTime)
    }
    expectation.maximumAge = nil
    let isInFuture = seconds > 4_102_445_100
    expectEqual(((try? sample.validated(by: expectation)) == nil), isInFuture)
    // A time that was accepted before a refresh is accepted again.
    expectation.authenticatedAt = Date(timeIntervalSince1970: TimeInterval(seconds))
    _ = try sample.validated(by: expectation)
  }

  @Test("The error says by how much the clock may be wrong")
  func wording() throws {
    let late = try require(
      refusal(by: SampleToken.expectation, at: SampleToken.now.addingTimeInterval(7200)))
    expectEqual(
      late.message,
      "The ID token expired 3600 s ago. If you have just signed in, this"
        + " machine's clock is wrong by about 7200 s. Set the clock, then sign in again.")
    let early = try require(
      refusal(by: SampleToken.expectation, at: SampleToken.now.addingTimeInterval(-7200)))
    expectEqual(
      early.message,
      "The ID token was issued 7200 s in the future. If you have just signed in, this"
        + " machine's clock is wrong by about 7200 s. Set the clock, then sign in again.")
  }

  @Test(
    "Extreme times and a very large leeway do not crash",
    arguments: [0, -1e11, 1e11, 1e308, .infinity, -.infinity, .nan] as [TimeInterval])
  func extremes(_ seconds: TimeInterval) throws {
    let now = Date(timeIntervalSince1970: seconds)
    expect(refusal(by: SampleToken.expectation, at: now) != nil)
    var expectation = SampleToken.expectation
    (expectation.leeway, expectation.maximumAge) = (Int.max, Int.max)
    _ = refusal(by: expectation, at: now)
  }

  private func refusal(by expectation: IDTokenExpectation, at now: Date) -> IDTokenError? {
    #expect(throws: Never.self) { _ = try SampleToken().validated() }
    do {
      _ = try SampleToken().validated(by: expectation, at: now)
      return nil
    } catch {
      return error as? IDTokenError
    }
  }
}
