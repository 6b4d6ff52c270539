import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// TOTP.
struct TOTPGeneratorTests {
  @Test(
    "The examples of RFC 6238, appendix B, have the right codes",
    arguments: [
      (59, "94287082", "46119246", "90693936"),
      (1_111_111_109, "07081804", "68084774", "25091201"),
      (1_111_111_111, "14050471", "67062674", "99943326"),
      (1_234_567_890, "89005924", "91819424", "93441116"),
      (2_000_000_000, "69279037", "90698825", "38618901"),
      (20_000_000_000, "65353130", "77737706", "47863826"),
    ])
  func timeVectors(_ time: Int, _ sha1: String, _ sha256: String, _ sha512: String) {
    let date = Date(timeIntervalSince1970: TimeInterval(time))
    func code(_ algorithm: TOTPGenerator.Algorithm, keyLength: Int) -> String {
      let key = (1...keyLength).map { UInt8(ascii: "0") + UInt8($0 % 10) }
      return TOTPGenerator(key: key, digits: 8, algorithm: algorithm).code(at: date)
    }
    expectEqual(code(.sha1, keyLength: 20), sha1)
    expectEqual(code(.sha256, keyLength: 32), sha256)
    expectEqual(code(.sha512, keyLength: 64), sha512)
  }

  @Test(
    "The examples of RFC 4226, appendix D, have the right codes",
    arguments: zip(
      0...9 as ClosedRange<UInt64>,
      [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
        "520489",
      ]))
  func counterVectors(_ counter: UInt64, _ code: String) {
    expectEqual(TOTPGenerator(key: Array("12345678901234567890".utf8)).code(counter: counter), code)
  }

  @Test("A key in Base32 can contain spaces, and one that is empty or not Base32 is refused")
  func base32() throws {
    let totp = try require(TOTPGenerator(base32: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq"))
    expectEqual(totp, TOTPGenerator(key: Array("12345678901234567890".utf8)))
    expectEqual(totp.code(at: Date(timeIntervalSince1970: 59)), "287082")
    for text in ["", "====", "- -", "01"] {
      expectEqual(TOTPGenerator(base32: Secret(text)), nil, "\(text)")
    }
  }

  @Test(
    "A code is valid for its period, which can be set",
    arguments: [
      (30, 0.0, 0, 30), (30, 0.5, 0, 30), (30, 1, 0, 29), (30, 29, 0, 1), (30, 29.999, 0, 1),
      (30, 30, 1, 30), (30, 59, 1, 1), (60, 119, 1, 1),
    ] as [(Int, Double, UInt64, Int)])
  func periods(_ period: Int, _ time: Double, _ counter: UInt64, _ remaining: Int) {
    let totp =
      period == 30 ? TOTPGenerator(key: [1]) : TOTPGenerator(key: [1], period: period)
    let date = Date(timeIntervalSince1970: time)
    expectEqual(totp.counter(at: date), counter)
    expectEqual(totp.secondsRemaining(at: date), remaining)
    expectEqual(totp.code(at: date), totp.code(counter: counter))
  }

  @Test(
    "Times before 1970 and invalid times count as 1970, and there are codes for the far future",
    arguments: [
      (-1, false), (-30, false), (-1e300, false), (-.infinity, false), (.nan, false), (1e18, true),
      (1e19, true), (1e300, true), (.infinity, true),
    ] as [(Double, Bool)])
  func extremes(_ time: Double, _ isFuture: Bool) {
    let totp = TOTPGenerator(key: [1])
    let date = Date(timeIntervalSince1970: time)
    if isFuture {
      expect(totp.counter(at: date) > 1_000_000)
      expectContains(1...30, totp.secondsRemaining(at: date))
    } else {
      expectEqual(totp.counter(at: date), 0)
      expectEqual(totp.secondsRemaining(at: date), 30)
    }
    expectEqual(totp.code(at: date).count, 6)
  }

  @Test(
    "Digits and period are limited to what the algorithm allows",
    arguments: [(-1, 6), (0, 6), (5, 6), (6, 6), (8, 8), (10, 10), (11, 10), (.max, 10)])
  func limits(_ digits: Int, _ expected: Int) {
    let totp = TOTPGenerator(key: [], digits: digits, period: digits == 6 ? 0 : .min)
    expectEqual(totp.digits, expected)
    expectEqual(totp.period, 1)
    expectEqual(TOTPGenerator(key: [], period: .max).period, 86_400)
    expectEqual(totp.code(counter: .max).count, expected)
  }
}
