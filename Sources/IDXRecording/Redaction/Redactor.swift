import IDXBase
import IDXOAuth
import IDXQRCode

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Replaces everything in a conversation that is not known to be harmless.
///
/// It replaces runs of letters and digits, so that addresses, links and texts keep their shape. A run is kept
/// only where ``Members`` allows it, and only if it is one of ``HarmlessWords``. The conversation is read
/// twice: the first time finds what was entered, so that a message that repeats it loses it too.
struct Redactor {
  /// Where a value is, which decides what its members mean.
  private enum Scope {
    case request, response, person
  }

  private var standIns: StandIns
  /// The runs of values about the person or the org and of what was entered, in small letters.
  private var personal: Set<String> = []
  /// Whether the words of the current value go into `personal`: it is about the person or the org, or was
  /// entered.
  ///
  /// The words of other values, such as a list of keys that nobody knows, may occur in a message.
  private var remembersWords = true
  /// The hosts of all addresses, which also occur alone, as the site of a passkey.
  private var hosts: Set<String> = []
  /// Whole values that were entered, which may have signs and no words.
  private var answers: Set<String> = []
  private var places: [String] = []
  /// Whether a run consists of harmless words; the same names occur in all responses.
  private var harmless: [String: Bool] = [:]
  /// When the conversation began, in seconds since 1970.
  private let start: Int

  static func redacted(
    _ recording: Recording, startedAt start: Date, random: RandomBytes
  ) -> Recording {
    var redactor = Redactor(
      standIns: StandIns(random: random), start: Int(start.timeIntervalSince1970.rounded()))
    for exchange in recording.exchanges { _ = redactor.redacted(exchange) }
    return Recording(
      recording.exchanges.map { redactor.redacted($0) },
      notes: recording.notes.mapValues { redactor.runs(in: $0, .text, at: "notes") })
  }

  private init(standIns: StandIns, start: Int) {
    self.standIns = standIns
    self.start = start
  }

  private mutating func redacted(_ exchange: Recording.Exchange) -> Recording.Exchange {
    places = []
    var new = exchange
    let request = exchange.request
    let address = uri(request.url.absoluteString, at: "request.url")
    new.request = TransportRequest(
      method: request.method, url: URL(string: address) ?? Self.noAddress,
      headers: headers(request.headers, at: "request.headers"),
      body: body(RecordedBody(of: request), .request, at: "request").bytes)
    if case .response(let response) = exchange.result {
      let isPerson = request.url.path.hasSuffix("/userinfo")
      new.result = .response(
        TransportResponse(
          status: response.status, headers: headers(response.headers, at: "response.headers"),
          body: body(
            RecordedBody(of: response), isPerson ? .person : .response, at: "response"
          ).bytes))
    }
    new.replaced = places
    return new
  }

  private static let noAddress = URL(filePath: "/")

  // MARK: Messages

  private mutating func headers(
    _ headers: [String: String], at place: String
  ) -> [String: String] {
    var kept: [String: String] = [:]
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      guard let content = Members.headers[name.lowercased()] else { continue }
      if content == .time, let date = Date(httpDate: value) {
        kept[name] = moved(date).httpDate
      } else {
        kept[name] = text(value, content, at: "\(place).\(name)")
      }
    }
    return kept
  }

  private mutating func body(
    _ body: RecordedBody, _ scope: Scope, at place: String
  ) -> RecordedBody {
    switch body {
    case .none: .none
    case .json(let json): .json(value(json, .unknown, in: scope, at: place))
    case .form(let pairs): .form(form(pairs, at: place))
    case .text(let text): .text(runs(in: text, .text, at: place))
    }
  }

  private mutating func form(
    _ pairs: [(name: String, value: String)], at place: String
  ) -> [(name: String, value: String)] {
    var new: [(name: String, value: String)] = []
    for (name, value) in pairs {
      let newName = runs(in: name, .constant, at: place)
      let place = "\(place).\(newName)"
      let value =
        Members.secrets.contains(name)
        ? answer(value, at: place) : text(value, Members.content(ofField: name), at: place)
      new.append((newName, value))
    }
    return new
  }

  // MARK: JSON

  /// A value without what it must not keep; `content` is what its member may keep, and `options` what the
  /// value of the form's field may keep.
  private mutating func value(
    _ value: JSONValue, _ content: Members.Content, options: Members.Content = .unknown,
    in scope: Scope, at place: String
  ) -> JSONValue {
    switch value {
    case .null, .bool: return value
    case .string(let string): return .string(text(string, content, at: place))
    case .number(let number): return self.number(number, content, at: place)
    case .array(let elements):
      var new: [JSONValue] = []
      for element in elements {
        new.append(self.value(element, content, options: options, in: scope, at: place))
      }
      return .array(new)
    case .object(let object): return .object(self.object(object, options, in: scope, at: place))
    }
  }

  private mutating func object(
    _ object: JSONValue.Object, _ inherited: Members.Content, in scope: Scope, at place: String
  ) -> JSONValue.Object {
    // A field of a form: its name says what its value and its options may be.
    let field = scope == .response ? object["name"]?.string.map(Self.content(ofPath:)) : nil
    let isForm = object["href"] != nil && object["rel"] != nil
    var members: [JSONValue.Object.Member] = []
    let remembered = remembersWords
    defer { remembersWords = remembered }
    for member in object.members {
      let name = runs(in: member.name, .constant, at: place)
      let place = "\(place).\(name)"
      let isPerson = Members.personal.contains(member.name) && member.value.object != nil
      remembersWords = scope != .response || isPerson || field != nil && member.name == "value"
      var content = Self.content(of: member.name, in: scope)
      var options = Members.Content.unknown
      if scope == .response {
        switch member.name {
        case "value" where member.value.object == nil && inherited != .name:
          content = field ?? inherited
        case "options": options = field ?? inherited
        case "name" where isForm: content = .name
        case "i18n": options = .name
        case "key" where inherited == .name: content = .name
        default: break
        }
      }
      let value =
        if let same = Members.replacements[member.name], member.value.string != nil {
          JSONValue.string(same)
        } else if Members.secrets.contains(member.name), scope == .request,
          let string = member.value.string
        { JSONValue.string(answer(string, at: place)) } else {
          self.value(
            member.value, content, options: options, in: isPerson ? .person : scope, at: place)
        }
      members.append(.init(name, value))
    }
    return JSONValue.Object(members)
  }

  private static func content(of member: String, in scope: Scope) -> Members.Content {
    switch scope {
    case .request: Members.content(ofField: member)
    case .response: Members.content(ofResponse: member)
    case .person: Members.content(ofPerson: member)
    }
  }

  private static func content(ofPath path: String) -> Members.Content {
    Members.content(ofField: path.split(separator: ".").last.map(String.init) ?? path)
  }

  private mutating func number(
    _ number: JSONValue.Number, _ content: Members.Content, at place: String
  ) -> JSONValue {
    if content == .time, let time = number.integer, let moved = moved(time) {
      return .number(.init(moved))
    }
    let limit = content == .number ? 6 : content == .constant ? 3 : 0
    guard number.literal.utf8.count > limit else { return .number(number) }
    let new = runs(in: number.literal, .unknown, at: place)
    return (try? JSONValue(parsing: new.utf8)) ?? 0
  }

  // MARK: Times

  private mutating func moved(_ date: Date) -> Date {
    // A time of a server can be in any year, but `Int` has no room for a number without end.
    let seconds = max(-1e11, min(1e11, date.timeIntervalSince1970))
    return Date(timeIntervalSince1970: TimeInterval(moved(seconds: Int(seconds))))
  }

  /// A time in seconds or milliseconds, moved; nil if the number is not a time of this century.
  private mutating func moved(_ number: Int) -> Int? {
    switch number {
    case 1_000_000_000..<10_000_000_000: moved(seconds: number)
    case 1_000_000_000_000..<10_000_000_000_000: moved(seconds: number / 1000) * 1000
    default: nil
    }
  }

  /// Moves a time of the conversation with its beginning.
  ///
  /// A time more than two days away, such as that of the last change of a password, becomes a random one before
  /// or after: moved by the same distance, it would tell the date to anyone who knows it.
  private mutating func moved(seconds: Int) -> Int {
    let beginning = Int(Recording.beginning.timeIntervalSince1970)
    let distance = seconds - start
    let day = 24 * 60 * 60
    if abs(distance) <= 2 * day { return beginning + distance }
    let days = 3 + standIns.number(below: 1000, for: "\(seconds)")
    return beginning + (distance < 0 ? -days : days) * day
  }

  // MARK: Texts

  private mutating func text(
    _ text: String, _ content: Members.Content, at place: String
  ) -> String {
    if let date = Date(timestamp: text) {
      if content == .time { return moved(date).timestamp }
      note(place)
      return Recording.beginning.timestamp
    }
    if content == .time, let time = Int(text), let moved = moved(time) { return String(moved) }
    if let image = image(text, at: place) ?? token(text, at: place) { return image }
    if text.contains("."), hosts.contains(where: { $0 == text || $0.hasSuffix(".\(text)") }) {
      return host(text, at: place)
    }
    return Self.isURI(text) ? uri(text, at: place) : runs(in: text, content, at: place)
  }

  /// Replaces every character of a password or another answer, because the kind and the place of a sign would
  /// say something about it.
  private mutating func answer(_ text: String, at place: String) -> String {
    guard !text.isEmpty else { return text }
    note(place)
    for run in Self.runs(of: text) { remember(run) }
    if text.count > 2 { answers.insert(text) }
    return standIns.standIn(forAnswer: text)
  }

  /// Replaces the runs of letters and digits that the content does not allow, answers that were entered, and
  /// unusual signs.
  ///
  /// In a text with the address of a person, or with an escape that can hide one, nothing is allowed.
  private mutating func runs(
    in original: String, _ content: Members.Content, at place: String
  ) -> String {
    var text = original
    // Most texts are shorter than the answer, and a search takes long.
    for answer in answers where text.utf8.count >= answer.count && text.contains(answer) {
      text = text.replacing(answer, with: standIns.standIn(forAnswer: answer))
      note(place)
    }
    let content =
      text.contains("@") || Self.hasEscapes(text) || content == .constant && isName(text)
      ? .unknown : content
    var new = ""
    var rest = text[...]
    var wasNumber = false
    var isInValue = false
    while let first = rest.first {
      // Looked for once in each value, so that many signs do not take long.
      let value = isInValue ? nil : Self.base64(at: rest)
      guard value != nil || Self.isInRun(first) else {
        new.append(Self.isUsual(first, in: content) ? first : "-")
        rest.removeFirst()
        isInValue = first == "-" || first == "_"
        continue
      }
      isInValue = true
      let run = value ?? rest.prefix(while: Self.isInRun)
      rest = rest.dropFirst(run.count)
      let isNumber = run.contains(where: \.isNumber)
      // Numbers beside each other are a date, a phone number or a code.
      let next = rest.drop { !Self.isInRun($0) }.prefix(while: Self.isInRun)
      let isGroup = isNumber && (wasNumber || next.contains(where: \.isNumber))
      if allows(run, content), content != .text || !isGroup {
        new += run
      } else {
        new += standIns.standIn(for: run)
        if content == .unknown { remember(run) }
        note(place)
      }
      wasNumber = isNumber
    }
    return new
  }

  /// Whether a text in place of a word of the protocol is a name, such as `max.long`.
  private func isName(_ text: String) -> Bool {
    let words = text.split { $0 == "." || $0 == " " }
    return words.count > 1 && words.allSatisfy(isPersonal)
  }

  /// Whether a text has an escape that can hide a letter: `%41`, `\\x41`, `\\u0041` or `&#65;`.
  private static func hasEscapes(_ text: String) -> Bool {
    var first: UInt8 = 0
    for second in text.utf8 {
      let isEscape =
        switch first {
        case UInt8(ascii: "%"):
          (0x30...0x39).contains(second) || (0x41...0x46).contains(second & 0xDF)
        case UInt8(ascii: "\\"): second == UInt8(ascii: "x") || second == UInt8(ascii: "u")
        case UInt8(ascii: "&"): second == UInt8(ascii: "#")
        default: false
        }
      if isEscape { return true }
      first = second
    }
    return false
  }

  private mutating func allows(_ run: Substring, _ content: Members.Content) -> Bool {
    switch content {
    case .unknown: false
    case .constant, .time: isHarmless(run)
    case .text: isHarmless(run) && !isPersonal(run)
    case .name:
      isHarmless(run)
        || run.utf8.count <= 24 && !isPersonal(run)
          && run.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    case .number: run.utf8.count <= 6 && run.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
  }

  private mutating func isHarmless(_ run: Substring) -> Bool {
    // Texts can be equal although only one is ASCII, such as K and the sign for Kelvin.
    guard run.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    let word = String(run)
    if let known = harmless[word] { return known }
    let isHarmless = HarmlessWords.contains(run)
    harmless[word] = isHarmless
    return isHarmless
  }

  /// Whether a run or one of its words was found in a value about the person.
  private func isPersonal(_ run: Substring) -> Bool {
    personal.contains(run.lowercased())
      || HarmlessWords.parts(of: run).contains { personal.contains($0.lowercased()) }
  }

  private mutating func remember(_ run: Substring) {
    // A single letter is in every text. A number may be the one to choose on a phone.
    guard run.count > 1, remembersWords || run.allSatisfy(\.isNumber) else { return }
    personal.insert(run.lowercased())
  }

  private mutating func note(_ place: String) {
    if places.last != place, !places.contains(place) { places.append(place) }
  }

  /// Whether a sign is kept: in an unknown value only those of addresses, and otherwise those of ASCII and of
  /// printed texts.
  private static func isUsual(_ sign: Character, in content: Members.Content) -> Bool {
    content == .unknown
      ? ".-_@+:/= *~?&%#,;$\"".contains(sign) : sign.isASCII || "“”‘’–—…".contains(sign)
  }

  /// A value in Base64url at the beginning of a text; nil if there is none, or if it has no `-` or `_`.
  ///
  /// It is replaced as a whole: the places of those signs in the public key of an org would say which org it is.
  private static func base64(at text: Substring) -> Substring? {
    let value = text.prefix {
      $0.isASCII && (isInRun($0) || $0 == "-" || $0 == "_")
    }
    guard value.count >= 16, value.contains(where: { !isInRun($0) }),
      value.contains(where: \.isUppercase), value.contains(where: \.isLowercase),
      value.contains(where: \.isNumber)
    else { return nil }
    return value
  }

  private static func isInRun(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }

  private static func runs(of text: String) -> [Substring] {
    text.split { !isInRun($0) }
  }

  // MARK: Values with a structure

  /// An address with its parts replaced; the path keeps words of the protocol, and the query its names.
  private mutating func uri(_ text: String, at place: String) -> String {
    guard var parts = URLComponents(string: text), let scheme = parts.scheme else {
      return runs(in: text, .unknown, at: place)
    }
    parts.scheme = runs(in: scheme, .constant, at: place)
    if parts.user != nil { parts.user = runs(in: parts.user ?? "", .unknown, at: place) }
    if parts.password != nil {
      parts.password = runs(in: parts.password ?? "", .unknown, at: place)
    }
    if let host = parts.host { parts.host = self.host(host, at: place) }
    // The path of such an address is an account.
    let isKey = scheme == "otpauth"
    parts.percentEncodedPath = parts.percentEncodedPath
      .split(separator: "/", omittingEmptySubsequences: false).map { part in
        let plain = Self.decoded(part)
        return FormURLEncoding.percentEncode(
          runs(in: plain, isKey ? .unknown : .constant, at: place))
      }.joined(separator: "/")
    if let query = parts.percentEncodedQuery {
      parts.percentEncodedQuery = FormURLEncoding.encode(
        form(FormURLEncoding.decode(query) ?? [(query, "")], at: place).map { ($0.name, $0.value) })
    }
    if let fragment = parts.fragment {
      parts.fragment = runs(in: fragment, .unknown, at: place)
    }
    return parts.string ?? runs(in: text, .unknown, at: place)
  }

  /// A part of a path without escapes, also if it was escaped several times.
  private static func decoded(_ part: Substring) -> String {
    var text = String(part)
    for _ in 0..<4 where text.contains("%") {
      text = FormURLEncoding.percentDecode(text.utf8) ?? text
    }
    return text
  }

  /// Whether a text begins like an address: `https://` or `com.example.app:/`.
  private static func isURI(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), !text.contains(" ") else { return false }
    return text[colon...].hasPrefix(":/")
      && text[..<colon].allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || ".-+".contains($0))
      }
  }

  private mutating func host(_ host: String, at place: String) -> String {
    guard !Self.loopback.contains(host) else { return host }
    hosts.insert(host)
    return host.split(separator: ".", omittingEmptySubsequences: false).map { label in
      Self.hostLabels.contains(String(label))
        ? String(label) : runs(in: String(label), .unknown, at: place)
    }.joined(separator: ".")
  }

  private static let loopback: Set<String> = ["127.0.0.1", "localhost", "[::1]", "::1"]
  private static let hostLabels: Set<String> = [
    "okta", "oktapreview", "okta-emea", "auth0", "com", "totp",
  ]

  /// A picture with a QR code, drawn with stand-ins; any other picture becomes that of a word; nil if the text
  /// is not a picture.
  private mutating func image(_ text: String, at place: String) -> String? {
    guard text.hasPrefix("data:") else { return nil }
    note(place)
    let prefix = "data:image/png;base64,"
    let data =
      text.hasPrefix(prefix) ? Data(base64Encoded: String(text.dropFirst(prefix.count))) : nil
    let content = data.flatMap { try? QRCode.read(png: [UInt8]($0)) } ?? ""
    let code = try? QRCode(content.isEmpty ? "replaced" : self.text(content, .unknown, at: place))
    return prefix + Data(code?.png() ?? []).base64EncodedString()
  }

  /// A signed token with its claims replaced; nil if the text is not such a token.
  private mutating func token(_ text: String, at place: String) -> String? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3,
      let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
      let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONValue(parsing: $0) }),
      header.object != nil, claims.object != nil
    else { return nil }
    let new = [
      Base64URL.encode(value(header, .unknown, in: .response, at: "\(place).header").bytes),
      Base64URL.encode(value(claims, .unknown, in: .person, at: "\(place).claims").bytes),
      runs(in: parts[2], .unknown, at: place),
    ]
    return new.joined(separator: ".")
  }
}
