#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Date {
  /// Reads a date as the server writes it: `2031-03-04T10:15:00.000Z` (RFC 3339).
  ///
  /// An offset (`+01:00`) and any number of fractional digits are accepted; nil for anything else. No
  /// formatter is used, because loading one takes longer than reading a whole response.
  package init?(timestamp text: String) {
    var scanner = TimestampScanner(text: Array(text.utf8))
    guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2),
      scanner.take("-"), let day = scanner.digits(2), scanner.take("T") || scanner.take("t"),
      let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2),
      scanner.take(":"), let second = scanner.digits(2), (1...12).contains(month),
      day >= 1, day <= Self.days(in: month, of: year), hour < 24, minute < 60, second <= 60,
      let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    let days = Self.daysSinceEpoch(year: year, month: month, day: day)
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
    self.init(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// Reads a date of HTTP in the preferred format: `Fri, 15 Jan 2027 08:00:00 GMT` (RFC 9110, section
  /// 5.6.7).
  package init?(httpDate text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, let month = Self.months.firstIndex(of: String(parts[2])) else {
      return nil
    }
    let pad = { (text: String) in text.count < 2 ? "0" + text : text }
    self.init(
      timestamp: "\(parts[3])-\(pad(String(month + 1)))-\(pad(String(parts[1])))T\(parts[4])Z")
  }

  /// The time as the server writes it: `2030-03-17T17:51:40.000Z`.
  package var timestamp: String {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(self)
  }

  /// The time in the preferred format of HTTP: `Fri, 15 Jan 2027 08:00:00 GMT`.
  package var httpDate: String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.weekday, .day, .month, .year, .hour, .minute, .second], from: self)
    let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let pad = { (number: Int?) in
      let text = String(number ?? 0)
      return text.count < 2 ? "0" + text : text
    }
    return """
      \(weekdays[(parts.weekday ?? 1) - 1]), \(pad(parts.day)) \
      \(Self.months[(parts.month ?? 1) - 1]) \(parts.year ?? 0) \
      \(pad(parts.hour)):\(pad(parts.minute)):\(pad(parts.second)) GMT
      """
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    default: 31
    }
  }

  /// Counts days in the proleptic Gregorian calendar.
  ///
  /// Years begin in March, so that leap days come last. Adding a cycle of 400 years keeps the year
  /// positive, because division rounds towards zero.
  private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let marchYear = (month > 2 ? year : year - 1) + 400
    let marchMonth = (month + 9) % 12
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + (marchMonth * 153 + 2) / 5 + day - 865_566
  }
}

private struct TimestampScanner {
  let text: [UInt8]
  var index = 0

  var isAtEnd: Bool { index == text.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func digit() -> Int? {
    guard index < text.count, (0x30...0x39).contains(text[index]) else { return nil }
    index += 1
    return Int(text[index - 1] - 0x30)
  }

  mutating func digits(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// The fraction of a second; 0 if there is none, nil if no digit follows the point.
  mutating func fraction() -> Double? {
    guard take(".") else { return 0 }
    var scale = 0.1
    guard let first = digit() else { return nil }
    var fraction = Double(first) * scale
    while let digit = digit() {
      scale /= 10
      fraction += Double(digit) * scale
    }
    return fraction
  }

  /// By how many seconds the written time is ahead of UTC.
  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let sign: Int
    if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
    guard let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes) * 60
  }
}
