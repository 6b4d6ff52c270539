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
  /// Whether the current value is about the person or the org, or was entered.
  ///
  /// What other values are made of, such as a list of keys that nobody knows, may occur in a message.
  private var isPersonal = true
  /// The hosts of all addresses, which also occur alone, as the site of a passkey.
  private var hosts: Set<String> = []
  private var places: [String] = []
  /// How many seconds times are moved.
  private let shift: TimeInterval

  static func redacted(
    _ recording: Recording, startedAt start: Date, random: RandomBytes
  ) -> Recording {
    var redactor = Redactor(
      standIns: StandIns(random: random),
      shift: Recording.beginning.timeIntervalSince1970 - start.timeIntervalSince1970.rounded())
    for exchange in recording.exchanges { _ = redactor.redacted(exchange) }
    return Recording(
      recording.exchanges.map { redactor.redacted($0) },
      notes: recording.notes.mapValues { redactor.text($0, .note, at: "notes") })
  }

  private init(standIns: StandIns, shift: TimeInterval) {
    self.standIns = standIns
    self.shift = shift
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
        kept[name] = date.addingTimeInterval(shift).httpDate
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
        ? whole(value, at: place) : text(value, Members.content(ofField: name), at: place)
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
    let isForm = object["href"] != nil
    var members: [JSONValue.Object.Member] = []
    let wasPersonal = isPersonal
    defer { isPersonal = wasPersonal }
    for member in object.members {
      let name = runs(in: member.name, .constant, at: place)
      let place = "\(place).\(name)"
      let isPerson = Members.personal.contains(member.name) && member.value.object != nil
      isPersonal = scope != .response || isPerson || field != nil && member.name == "value"
      var content = Self.content(of: member.name, in: scope)
      var options = Members.Content.unknown
      if scope == .response {
        switch member.name {
        case "value" where member.value.object == nil: content = field ?? inherited
        case "options": options = field ?? inherited
        case "name" where isForm: content = .name
        case "i18n": options = .name
        case "key" where inherited == .name: content = .name
        default: break
        }
      }
      let value =
        if Members.secrets.contains(member.name), scope == .request,
          let string = member.value.string
        { JSONValue.string(whole(string, at: place)) } else {
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
    if content == .time, let seconds = number.integer, seconds > 1_000_000_000 {
      // Milliseconds, if the number is that large.
      let factor = seconds > 100_000_000_000 ? 1000 : 1
      return .number(.init(seconds + Int(shift) * factor))
    }
    guard content != .number, content != .constant, content != .time else { return .number(number) }
    let new = runs(in: number.literal, .unknown, at: place)
    return (try? JSONValue(parsing: new.utf8)) ?? 0
  }

  // MARK: Texts

  private mutating func text(
    _ text: String, _ content: Members.Content, at place: String
  ) -> String {
    if let date = Date(timestamp: text) {
      if content == .time { return date.addingTimeInterval(shift).timestamp }
      note(place)
      return Recording.beginning.timestamp
    }
    if let image = image(text, at: place) ?? token(text, at: place) { return image }
    if text.contains("."), hosts.contains(where: { $0 == text || $0.hasSuffix(".\(text)") }) {
      return host(text, at: place)
    }
    return Self.isURI(text) ? uri(text, at: place) : runs(in: text, content, at: place)
  }

  /// Replaces every character, because the kind and the place of a sign would say something about a
  /// password.
  private mutating func whole(_ text: String, at place: String) -> String {
    guard !text.isEmpty else { return text }
    note(place)
    for run in Self.runs(of: text) { remember(run) }
    return standIns.standIn(for: text[...])
  }

  /// Replaces the runs of letters and digits that the content does not allow, and the unusual signs of
  /// unknown values.
  private mutating func runs(
    in text: String, _ content: Members.Content, at place: String
  ) -> String {
    var new = ""
    var rest = text[...]
    while let first = rest.first {
      guard Self.isInRun(first) else {
        let isUnusual = content == .unknown && !Self.usualSigns.contains(first)
        new.append(isUnusual ? "-" : first)
        rest.removeFirst()
        continue
      }
      let run = rest.prefix(while: Self.isInRun)
      rest = rest.dropFirst(run.count)
      if allows(run, content) {
        new += run
      } else {
        new += standIns.standIn(for: run)
        if content == .unknown { remember(run) }
        note(place)
      }
    }
    return new
  }

  private func allows(_ run: Substring, _ content: Members.Content) -> Bool {
    switch content {
    case .unknown: false
    case .constant, .time: HarmlessWords.contains(run)
    case .text: HarmlessWords.contains(run) && !personal.contains(run.lowercased())
    // The program itself wrote it, and quotes at most the conversation.
    case .note: allows(run, .text) || !standIns.hasStandIn(for: run)
    case .name:
      HarmlessWords.contains(run)
        || run.utf8.count <= 24 && !personal.contains(run.lowercased())
          && run.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    case .number: run.utf8.count <= 9 && run.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
  }

  private mutating func remember(_ run: Substring) {
    // A single letter is in every text. A number may be the one to choose on a phone.
    guard run.count > 1, isPersonal || run.allSatisfy(\.isNumber) else { return }
    personal.insert(run.lowercased())
  }

  private mutating func note(_ place: String) {
    if places.last != place, !places.contains(place) { places.append(place) }
  }

  private static let usualSigns: Set<Character> = [
    ".", "-", "_", "@", "+", ":", "/", "=", " ", "*", "~", "?", "&", "%", "#", ",", ";", "$",
    "\"",
  ]

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
        let plain = FormURLEncoding.percentDecode(part.utf8) ?? String(part)
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

  /// A picture with a QR code, drawn with stand-ins; nil if the text is no picture.
  private mutating func image(_ text: String, at place: String) -> String? {
    let prefix = "data:image/png;base64,"
    guard text.hasPrefix(prefix) else { return nil }
    note(place)
    let bytes = Data(base64Encoded: String(text.dropFirst(prefix.count))).map([UInt8].init)
    guard let bytes, let content = try? QRCode.read(png: bytes),
      let code = try? QRCode(self.text(content, .unknown, at: place))
    else {
      return prefix + runs(in: String(text.dropFirst(prefix.count)), .unknown, at: place)
    }
    return prefix + Data(code.png()).base64EncodedString()
  }

  /// A signed token with its claims replaced; nil if the text is no such token.
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
