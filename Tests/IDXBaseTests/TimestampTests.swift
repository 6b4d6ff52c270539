import Expectations
import Foundation
import IDXBase
import Testing

/// Timestamps.
struct TimestampTests {
  @Test("Timestamps in RFC 3339 format are read, and other texts are refused")
  func reading() throws {
    for (text, seconds) in [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000Z", 0),
      ("2031-03-04T10:15:00.000Z", 1_930_385_700), ("2031-03-04t10:15:00z", 1_930_385_700),
      ("2031-03-04T11:15:00+01:00", 1_930_385_700), ("2031-03-04T04:45:00-05:30", 1_930_385_700),
      ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59.5Z", -0.5),
      ("2031-03-04T10:15:00.25Z", 1_930_385_700.25), ("2016-12-31T23:59:60Z", 1_483_228_800),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("0000-01-01T00:00:00Z", -62_167_219_200),
    ] as [(String, Double)] {
      let date = try require(Date(timestamp: text))
      expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001, "\(text)")
    }
    for text in [
      "", "soon", "2031-03-04", "2031-03-04T10:15:00", "2031-03-04 10:15:00Z",
      "2031-13-04T10:15:00Z", "2031-00-04T10:15:00Z", "2031-02-29T10:15:00Z",
      "2100-02-29T10:15:00Z", "2031-04-31T10:15:00Z", "2031-03-00T10:15:00Z",
      "2031-03-04T24:00:00Z", "2031-03-04T10:60:00Z", "2031-03-04T10:15:61Z",
      "2031-03-04T10:15:00.Z", "2031-03-04T10:15:00.000Zx", "2031-03-04T10:15:00+1:00",
      "2031-03-04T10:15:00+24:00", "31-03-04T10:15:00Z", "+031-03-04T10:15:00Z",
      "２０３１-03-04T10:15:00Z", "1930385700",
    ] {
      expectEqual(Date(timestamp: text), nil, "\(text)")
    }
  }

  @Test("Times are written as Foundation writes them; those of HTTP without fractions")
  func writing() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // From 1600 to 2399, by steps that meet every day of a year and most times of day.
    for seconds in stride(from: -11_676_096_000.0, to: 13_569_465_600, by: 10_957_021.25) {
      let date = Date(timeIntervalSince1970: seconds)
      expectEqual(date.timestamp, style.format(date))
      expectEqual(date.httpDate, formatter.string(from: date))
      expectEqual(Date(timestamp: date.timestamp), date)
    }
    // The example of RFC 9110, section 5.6.7, with a fraction of a second.
    expectEqual(
      Date(timeIntervalSince1970: 784_111_777.999).httpDate, "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test(
    "The first and last moments of years and of the calendar are written",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
      (951_782_399.9996, "2000-02-29T00:00:00.000Z"), (978_307_199, "2000-12-31T23:59:59.000Z"),
      (978_307_200, "2001-01-01T00:00:00.000Z"), (4_107_542_399, "2100-02-28T23:59:59.000Z"),
      (4_107_542_400, "2100-03-01T00:00:00.000Z"), (-62_167_219_200, "0000-01-01T00:00:00.000Z"),
      (-1e300, "0000-01-01T00:00:00.000Z"), (1e300, "9999-12-31T23:59:59.999Z"),
      (253_402_300_799, "9999-12-31T23:59:59.000Z"), (.infinity, "9999-12-31T23:59:59.999Z"),
      (.nan, "0000-01-01T00:00:00.000Z"),
    ])
  func edges(_ seconds: Double, _ text: String) {
    expectEqual(Date(timeIntervalSince1970: seconds).timestamp, text)
  }
}
