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
    let day = String(parts[1]).leadingZeros(to: 2)
    self.init(timestamp: "\(parts[3])-\((month + 1).digits(2))-\(day)T\(parts[4])Z")
  }

  /// The time as the server writes it: `2030-03-17T17:51:40.000Z`; the nearest one in the years 0 to 9999.
  package var timestamp: String {
    let time = CalendarTime(milliseconds: timeIntervalSince1970 * 1000)
    return "\(time.year.digits(4))-\(time.month.digits(2))-\(time.day.digits(2))T\(time.clock)."
      + "\(time.millisecond.digits(3))Z"
  }

  /// The time in the preferred format of HTTP: `Fri, 15 Jan 2027 08:00:00 GMT`; the nearest one in the
  /// years 0 to 9999.
  package var httpDate: String {
    let time = CalendarTime(milliseconds: timeIntervalSince1970.rounded(.down) * 1000)
    let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    return "\(weekdays[time.weekday]), \(time.day.digits(2)) \(Self.months[time.month - 1]) "
      + "\(time.year.digits(4)) \(time.clock) GMT"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  fileprivate static func days(in month: Int, of year: Int) -> Int {
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
  fileprivate static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let marchYear = (month > 2 ? year : year - 1) + 400
    let marchMonth = (month + 9) % 12
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + (marchMonth * 153 + 2) / 5 + day - 865_566
  }
}

/// A time in the proleptic Gregorian calendar, in UTC.
private struct CalendarTime {
  let year: Int
  /// From 1.
  let month: Int
  /// From 1.
  let day: Int
  /// From 0, which is Sunday.
  let weekday: Int
  let second: Int
  let millisecond: Int

  /// Reads the milliseconds since 1970; before the year 0 and after 9999, the nearest time counts.
  init(milliseconds: Double) {
    let (first, last) = (-62_167_219_200_000.0, 253_402_300_799_999.0)
    let total = Int(min(max(first, milliseconds), last).rounded())
    let (days, rest) = total.dividedDown(by: 86_400_000)
    (second, millisecond) = (rest / 1000, rest % 1000)
    // January 1, 1970 was a Thursday.
    weekday = (days + 4).dividedDown(by: 7).rest
    // The first guess is at most one year wrong.
    var year = 1970 + (days * 400).dividedDown(by: 146_097).quotient
    if Date.daysSinceEpoch(year: year, month: 1, day: 1) > days { year -= 1 }
    if Date.daysSinceEpoch(year: year + 1, month: 1, day: 1) <= days { year += 1 }
    var day = days - Date.daysSinceEpoch(year: year, month: 1, day: 1) + 1
    var month = 1
    while day > Date.days(in: month, of: year) {
      day -= Date.days(in: month, of: year)
      month += 1
    }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Hours, minutes and seconds: `08:00:00`.
  var clock: String {
    "\((second / 3600).digits(2)):\((second / 60 % 60).digits(2)):\((second % 60).digits(2))"
  }
}

extension Int {
  /// The quotient, rounded down, and the rest, which is never negative.
  fileprivate func dividedDown(by divisor: Int) -> (quotient: Int, rest: Int) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  /// The number with zeros in front, with at least this many digits.
  fileprivate func digits(_ count: Int) -> String {
    String(self).leadingZeros(to: count)
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

extension Duration {
  /// A span of time as people write it, in at most two units: `45 s`, `2 min 5 s`, `2 h`, `90 days`.
  package var spoken: String {
    let seconds = max(components.seconds, 0)
    let units: [(size: Int64, name: String)] = [
      (86_400, "days"), (3600, "h"), (60, "min"), (1, "s"),
    ]
    let first = units.firstIndex { seconds >= $0.size } ?? units.count - 1
    // Hours do not matter after days.
    let shown = first == 0 ? units[0...0] : units[first...min(first + 1, units.count - 1)]
    var rest = seconds
    let parts = shown.compactMap { unit -> String? in
      let count = rest / unit.size
      rest %= unit.size
      if count == 0, unit.size != units[first].size { return nil }
      return "\(count) \(count == 1 && unit.name == "days" ? "day" : unit.name)"
    }
    return parts.joined(separator: " ")
  }
}
