import IDXBase
import IDXOAuth
import IDXQRCode

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Replaces everything in a conversation that no place of the protocol allows.
///
/// ``Shape`` says which places there are, and ``Content`` what a value there may keep. A word is kept only if it is one
/// of the ``Vocabulary``, and a number only if the ``Originals`` allow it. All other values, and the names of members
/// at other places, are replaced. What a request sends was typed, unless the ``OfferedValues`` have it. The
/// conversation is read twice: the first time finds what was typed and replaced.
struct Redactor {
  private let random: RandomBytes
  private var standIns: StandIns
  private var originals = Originals()
  /// What the responses until now offer to send.
  private var offered = OfferedValues()
  /// The hosts of all addresses, and their ends, which also occur alone, as the site of a passkey.
  private var hosts: Set<String> = []
  /// Names that no place of the protocol has, in order of appearance.
  private var unknownNames: [Recording.NewName] = []
  /// New names that are kept.
  private var keptNames: Set<String> = []
  private var places: [String] = []
  private var notedPlaces: Set<String> = []
  private var isRequest = false
  /// How many addresses, tokens and pictures are around the current value.
  private var depth = 0
  /// How many arrays and objects are around the current value.
  private var level = 0
  /// When the conversation began, in seconds since 1970.
  private let start: Int

  private let facts: [String: String]
  private let conversation: [ReadExchange]

  /// A request and its response, with what was read in their bodies.
  private struct ReadExchange {
    let exchange: Recording.Exchange
    let sent: RecordedBody
    let received: RecordedBody

    init(_ exchange: Recording.Exchange) {
      self.exchange = exchange
      sent = RecordedBody(of: exchange.request)
      received = (try? exchange.result.get()).map(RecordedBody.init) ?? .none
    }
  }

  /// Reads a conversation, and finds what was entered and replaced, and new names.
  init(reading recording: Recording, startedAt start: Date, random: RandomBytes) {
    self.random = random
    standIns = StandIns(random: random)
    self.start = Int(start.timeIntervalSince1970.rounded())
    facts = recording.facts
    conversation = recording.exchanges.map(ReadExchange.init)
    _ = redactedExchanges()
  }

  /// The names that may be kept.
  var newNames: [Recording.NewName] {
    unknownNames.filter { originals.allow(newName: $0.name) }
  }

  /// The recording without what it must not keep.
  ///
  /// Of the names, those in ``newNames`` stay.
  func redacted(keeping names: Set<String> = []) -> Recording {
    var redactor = self
    redactor.keptNames = names.intersection(newNames.map(\.name))
    return Recording(redactor.redactedExchanges(), facts: facts)
  }

  private mutating func redactedExchanges() -> [Recording.Exchange] {
    standIns = StandIns(random: random)
    offered = OfferedValues()
    return conversation.map { redacted($0) }
  }

  private mutating func redacted(_ read: ReadExchange) -> Recording.Exchange {
    places = []
    notedPlaces = []
    isRequest = true
    var new = read.exchange
    let request = new.request
    let address =
      AddressParts(request.url.absoluteString).map { uri($0, at: "request.url") } ?? ""
    new.request = TransportRequest(
      method: text(request.method, .word, at: "request.method"),
      url: URL(string: address) ?? Self.noAddress,
      headers: headers(request.headers, at: "request.headers"),
      body: body(read.sent, .object(.sent), at: "request").bytes)
    isRequest = false
    if case .success(let response) = new.result {
      if case .json(let json) = read.received { offered.add(json) }
      new.result = .success(
        TransportResponse(
          status: response.status, headers: headers(response.headers, at: "response.headers"),
          body: body(read.received, .object(Self.shape(ofResponseTo: request.url)), at: "response")
            .bytes))
    }
    new.replaced = places
    return new
  }

  private static let noAddress = URL(string: "https://unknown.invalid/") ?? URL(filePath: "/")

  private static func shape(ofResponseTo url: URL) -> Shape {
    let path = url.path
    if path.hasSuffix("/userinfo") { return .claims }
    if path.hasSuffix("/questions") { return .context }
    return path.contains("/.well-known/") ? .metadata : .response
  }

  // MARK: Messages

  private mutating func headers(
    _ headers: [String: String], at place: String
  ) -> [String: String] {
    var kept: [String: String] = [:]
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      guard let content = Shape.headers[name.lowercased()] else { continue }
      // The case of letters can be a sign.
      let name = name.split(separator: "-").map(\.capitalized).joined(separator: "-")
      let place = "\(place).\(name)"
      kept[name] =
        switch content {
        case .credentials: credentials(value, at: place)
        case .cookies:
          value.split(separator: ";").map { cookie($0, at: place) }.joined(separator: "; ")
        case .newCookies:
          SetCookie.texts(in: value).map { newCookie($0, at: place) }.joined(separator: ", ")
        default: Date(httpDate: value).map { moved($0).httpDate } ?? text(value, content, at: place)
        }
    }
    return kept
  }

  private mutating func credentials(_ text: String, at place: String) -> String {
    let parts = text.split(separator: " ", maxSplits: 1)
    let scheme = self.text(String(parts.first ?? ""), .knownWords, at: place)
    guard parts.count > 1 else { return scheme }
    let parameters = parts[1].split(separator: ",").map { pair -> String in
      let halves = pair.split(separator: "=", maxSplits: 1).map {
        $0.drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" }
      }
      // A token can end with “=” too.
      guard halves.count > 1, let content = Shape.content(ofParameter: String(halves[0])) else {
        return self.text(String(pair.drop { $0 == " " }), .unknown, at: place)
      }
      return "\(halves[0])=\"\(self.text(String(halves[1]), content, at: place))\""
    }
    return "\(scheme) \(parameters.joined(separator: ", "))"
  }

  private mutating func cookie(_ pair: Substring, at place: String) -> String {
    let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(halves[0].drop { $0 == " " })
    let newName = self.text(name, .word, at: place)
    guard halves.count > 1 else { return newName }
    let value = self.text(String(halves[1]), .unknown, at: Self.place(newName, below: place))
    return "\(newName)=\(value)"
  }

  private mutating func newCookie(_ text: Substring, at place: String) -> String {
    let parts = text.split(separator: ";")
    let attributes = parts.dropFirst().map { part -> String in
      let halves = part.split(separator: "=", maxSplits: 1).map { String($0.drop { $0 == " " }) }
      let name = halves.first ?? ""
      guard halves.count > 1, let content = Shape.cookieAttributes[name.lowercased()] else {
        return self.text(name, .word, at: place)
      }
      let date = Date(cookieDate: halves[1]).map { moved($0).httpDate }
      return "\(name.capitalized)=\(date ?? self.text(halves[1], content, at: place))"
    }
    return ([cookie(parts.first ?? "", at: place)] + attributes).joined(separator: "; ")
  }

  private mutating func body(
    _ body: RecordedBody, _ content: Content, at place: String
  ) -> RecordedBody {
    switch body {
    case .none: .none
    case .json(let json): .json(value(json, content, at: place))
    case .form(let pairs): .form(form(pairs, other: isRequest ? .entered : .unknown, at: place))
    case .text(let text): .text(self.text(text, .text, at: place))
    case .page(let tokens):
      .page(
        stateTokens: tokens.map {
          self.text($0, .unknown, at: Self.place("stateTokens", below: place))
        })
    }
  }

  private mutating func form(
    _ pairs: [(name: String, value: String)], other: Content, at place: String
  ) -> [(name: String, value: String)] {
    pairs.map { name, value in
      let content = Shape.content(ofParameter: name)
      let name = content == nil ? newName(name, at: place) : name
      return (name, text(value, content ?? other, at: Self.place(name, below: place)))
    }
  }

  // MARK: JSON

  /// A value without what it must not keep; `field` is what the value of the surrounding form's field may keep.
  private mutating func value(
    _ value: JSONValue, _ content: Content, field: Content = .unknown, at place: String
  ) -> JSONValue {
    switch value {
    case .null, .bool: return value
    case .string(let string): return .string(text(string, content.scalar(field), at: place))
    case .number(let number): return self.number(number, content.scalar(field), at: place)
    case .array, .object: break
    }
    guard level < Self.maximumLevel else {
      note(place)
      return .null
    }
    level += 1
    defer { level -= 1 }
    switch value {
    case .array(let elements):
      return .array(elements.map { self.value($0, content, field: field, at: place) })
    case .object(let object):
      return .object(self.object(object, content, field: field, at: place))
    default: return value
    }
  }

  /// How many levels of arrays and objects a message keeps, so that the file of the recording can be read.
  private static let maximumLevel = 100

  private mutating func object(
    _ object: JSONValue.Object, _ content: Content, field: Content, at place: String
  ) -> JSONValue.Object {
    var field = field
    if content == .object(.field), let name = object["name"]?.string {
      field = Shape.content(ofField: name)
    }
    let members = object.members.map { member -> JSONValue.Object.Member in
      let known = content.content(of: member.name, in: object)
      let name = known == nil ? newName(member.name, at: place) : member.name
      let content = isRequest ? sent(member, known) : known ?? .unknown
      return .init(
        name,
        value(member.value, content, field: field, at: Self.place(name, below: place)))
    }
    return JSONValue.Object(members)
  }

  /// What a member of a request may keep: nothing if the person typed it, whatever the name of the field.
  ///
  /// What the responses offer for the field was not typed. Without a field in a form, the client itself sent it.
  private func sent(_ member: JSONValue.Object.Member, _ content: Content?) -> Content {
    let texts = member.value.sentTexts
    if texts.isEmpty { return content ?? (member.value.object == nil ? .entered : .object(.sent)) }
    if texts.allSatisfy({ offered.contains($0, for: member.name) }) {
      return content.flatMap { $0 == .entered ? nil : $0 } ?? .unknown
    }
    switch content {
    case _ where offered.hasField(member.name): return .entered
    case .unknown: return .unknown
    case .word, .words, .knownWords: return texts.allSatisfy(Vocabulary.contains) ? .word : .entered
    default: return .entered
    }
  }

  private mutating func number(
    _ number: JSONValue.Number, _ content: Content, at place: String
  ) -> JSONValue {
    if content == .time, let time = number.integer, let moved = moved(time) {
      return .number(.init(moved))
    }
    switch content {
    case .number where originals.allow(number: number.literal): return .number(number)
    case .word where Vocabulary.contains(number.literal): return .number(number)
    case .entered where isRequest: originals.add(typed: number.literal)
    default: break
    }
    let new = replaced(number.literal, at: place)
    return (try? JSONValue(parsing: new.utf8)) ?? 0
  }

  // MARK: Times

  private mutating func moved(_ date: Date) -> Date {
    // A time of a server can be in any year, but `Int` has no room for a number without end.
    let seconds = Int(max(-1e11, min(1e11, date.timeIntervalSince1970)))
    return Date(timeIntervalSince1970: TimeInterval(moved(seconds: seconds)))
  }

  /// A time in seconds or milliseconds, moved; nil if the number is not a time of this century.
  private mutating func moved(_ number: Int) -> Int? {
    switch String(number).utf8.count {
    case 10 where number > 0: moved(seconds: number)
    case 13 where number > 0: moved(seconds: number / 1000) * 1000
    default: nil
    }
  }

  /// Moves a time of the conversation with its beginning.
  ///
  /// A time more than three hours away, such as that of the last change of a password or a deadline at midnight,
  /// becomes a random one before or after: moved by the same distance, it would tell the date to anyone who knows it.
  private mutating func moved(seconds: Int) -> Int {
    let beginning = Int(Recording.beginning.timeIntervalSince1970)
    let distance = seconds - start
    if abs(distance) <= 3 * 60 * 60 { return beginning + distance }
    // The same for the same time, and with so many digits for every time.
    let number = Int(standIns.standIn(for: .value("\(1_000_000_000_000 + seconds)"))) ?? 0
    let days = 3 + number % 1000
    return beginning + (distance < 0 ? -days : days) * 24 * 60 * 60
  }

  // MARK: Names and words

  /// A name that no place of the protocol has: kept if the person wants it, and otherwise numbered.
  private mutating func newName(_ name: String, at place: String) -> String {
    if keptNames.contains(name) { return name }
    if !Originals.canBeNew(name) {
      originals.add(replaced: name)
    } else if unknownNames.count < Self.maximumNames,
      !unknownNames.contains(where: { $0.name == name })
    {
      unknownNames.append(Recording.NewName(name: name, place: place))
    }
    note(place)
    return standIns.standIn(for: .name(name))
  }

  /// How many new names a person is asked about; more are numbered.
  private static let maximumNames = 100

  private mutating func note(_ place: String) {
    if notedPlaces.insert(place).inserted { places.append(place) }
  }

  /// The place of a member; names can be long.
  private static func place(_ name: String, below place: String) -> String {
    place.utf8.count > 200 ? place : "\(place).\(name.prefix(40))"
  }

  // MARK: Texts

  /// Whether a word is kept: one of the list always, an error code and several words unless they were typed.
  private func isKept(_ word: String) -> Bool {
    Vocabulary.isListed(word) || Vocabulary.contains(word) && !originals.wereTyped(word)
  }

  private mutating func text(_ text: String, _ content: Content, at place: String) -> String {
    switch content {
    case .fixed(let same): return same
    case .text where Vocabulary.isText(text): return text
    case .word where isKept(text): return text
    case .words, .knownWords:
      let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      return words.map { word in
        if isKept(word) { return word }
        return content == .words ? self.text(word, .word, at: place) : replaced(word, at: place)
      }.joined(separator: " ")
    case .number where originals.allow(number: text): return text
    case .reference where Shape.isReference(text):
      let index = text.filter(\.isNumber)
      if index.isEmpty || originals.allow(number: index) { return text }
    case .time:
      if let time = Int(text), let moved = moved(time) { return String(moved) }
    default: break
    }
    if content == .entered, isRequest { addTyped(text) }
    if originals.wasTyped(text), content != .text { return replaced(text, at: place) }
    if let date = Date(timestamp: text) {
      if content == .time { return moved(date).timestamp }
      originals.add(replaced: text)
      note(place)
      return Recording.beginning.timestamp
    }
    if hosts.contains(text) { return host(text, at: place) }
    if depth < Self.maximumDepth {
      depth += 1
      defer { depth -= 1 }
      if let special = image(text, at: place) ?? token(text, at: place) { return special }
      if let parts = AddressParts(text), parts.isWhole || content == .address {
        return uri(parts, at: place)
      }
    }
    switch content {
    case .text:
      originals.addNumbers(ofReplaced: text)
      if !text.isEmpty { note(place) }
      return standIns.standIn(for: .text(text))
    case .sharedSecret: return replaced(text, as: .sharedSecret(text), at: place)
    case .word where !text.isEmpty: return newName(text, at: place)
    case .host: return host(text, at: place)
    case .address where text.hasPrefix("/"): return path(text, at: place)
    default: return replaced(text, at: place)
    }
  }

  /// How many addresses, tokens and pictures inside of each other are read; what is inside of more is replaced as a
  /// whole.
  private static let maximumDepth = 3

  /// Remembers what the person typed, and what is inside of it.
  private mutating func addTyped(_ text: String) {
    originals.add(typed: text)
    if let decoded = FormURLEncoding.percentDecode(text.utf8) { originals.add(typed: decoded) }
    guard let token = SignedToken(text) else { return }
    for member in [token.header, token.claims].flatMap({ $0.object?.members ?? [] }) {
      for text in member.value.sentTexts { originals.add(typed: text) }
    }
  }

  /// A stand-in for a value, which is remembered; `original` says what it is, if it is not just any value.
  private mutating func replaced(
    _ text: String, as original: StandIns.Original? = nil, at place: String
  ) -> String {
    if text.isEmpty { return text }
    note(place)
    if original == nil, originals.wasTyped(text) { return standIns.standIn(for: .typed(text)) }
    originals.add(replaced: text)
    return standIns.standIn(for: original ?? .value(text))
  }

  // MARK: Values with a structure

  /// An address with its parts replaced; the path keeps those of known paths, and the query its names.
  private mutating func uri(_ address: AddressParts, at place: String) -> String {
    var parts = address
    parts.scheme = parts.scheme.lowercased()
    if !Self.schemes.contains(parts.scheme) {
      // It begins with a letter, so the stand-in has letters only.
      parts.scheme = replaced(address.scheme, as: .text(address.scheme), at: place)
    }
    // The host and path of the address of an authenticator app are its kind and an account.
    let isKey = parts.scheme == "otpauth"
    if let (user, host, port) = address.authority {
      let keepsHost = host.isEmpty || isKey && host == "totp"
      parts.authority = (
        user.map { escaped($0, at: place) }, keepsHost ? host : self.host(host, at: place),
        port.flatMap {
          !host.isEmpty && UInt16($0) != nil && originals.allow(number: $0) ? $0 : nil
        }
      )
    }
    parts.path = path(parts.path, isKnown: !isKey, at: place)
    if let query = parts.query {
      parts.query = FormURLEncoding.encode(
        form(FormURLEncoding.decode(query) ?? [(query, "")], other: .unknown, at: place)
          .map { ($0.name, $0.value) })
    }
    parts.fragment = parts.fragment.map { escaped($0, at: place) }
    return parts.text
  }

  /// A part of an address, replaced as a whole.
  private mutating func escaped(_ part: String, at place: String) -> String {
    FormURLEncoding.percentEncode(replaced(AddressParts.withoutEscapes(part), at: place))
  }

  private static let schemes: Set<String> = [
    "http", "https", "otpauth", "com-okta-authenticator", "data",
  ]

  private mutating func path(
    _ path: String, isKnown: Bool = true, at place: String
  ) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      .map(AddressParts.withoutEscapes)
    // Below this path, the parts are names of steps, or IDs.
    let isStep = parts.starts(with: ["", "idp", "idx"])
    return parts.enumerated().map { index, part in
      if isKnown, part.isEmpty || Vocabulary.isListed(part) { return part }
      let isName = isKnown && isStep && index > 2 && Originals.canBeNew(part)
      let new = isName ? newName(part, at: place) : replaced(part, at: place)
      return FormURLEncoding.percentEncode(new)
    }.joined(separator: "/")
  }

  /// A host: this computer, and the domain of Okta, are kept.
  private mutating func host(_ host: String, at place: String) -> String {
    if Self.loopback.contains(host) { return host }
    let domain = Self.domains.first(where: host.hasSuffix) ?? ""
    originals.add(replaced: String(host.dropLast(domain.count)))
    note(place)
    let labels = host.dropLast(domain.count).split(
      separator: ".", omittingEmptySubsequences: false)
    // An address of IP version 6 has other signs, and no name is that long.
    guard host.utf8.count <= 253,
      host.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-.".utf8.contains($0) })
    else {
      return standIns.standIn(for: .text(host))
    }
    // The host can also stand alone, and its end too.
    var end = host[...]
    while end.contains(".") {
      hosts.insert(String(end))
      end = end.drop { $0 != "." }.dropFirst()
    }
    return labels.map { replaced(String($0), at: place) }.joined(separator: ".") + domain
  }

  private static let loopback: Set<String> = ["127.0.0.1", "localhost", "[::1]", "::1"]
  private static let domains = [
    ".okta.com", ".oktapreview.com", ".okta-emea.com", ".okta-gov.com", ".okta.mil",
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
    guard let token = SignedToken(text) else { return nil }
    let header = value(token.header, .object(.key), at: Self.place("header", below: place))
    let claims = value(token.claims, .object(.claims), at: Self.place("claims", below: place))
    let parts = [header, claims].map { Base64URL.encode($0.bytes) }
    return (parts + [replaced(token.signature, at: place)]).joined(separator: ".")
  }
}

/// A text that is a signed token (RFC 7519, section 3): two objects of JSON and a signature.
struct SignedToken {
  let header: JSONValue
  let claims: JSONValue
  /// In Base64url, not checked.
  let signature: String

  /// Reads a token; nil if the text is none.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3,
      let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
      let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONValue(parsing: $0) }),
      header.object != nil, claims.object != nil
    else { return nil }
    (self.header, self.claims, signature) = (header, claims, parts[2])
  }
}
