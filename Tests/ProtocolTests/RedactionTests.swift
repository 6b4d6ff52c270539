import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXQRCode
import Testing

@testable import IDXRecording
@testable import IDXTesting

@Suite("A recording keeps only words of the protocol at their places")
struct RedactionTests {
  @Test(
    "Personal values are not found again, wherever and however a server writes them",
    arguments: 0..<24)
  func randomPlaces(seed: UInt64) throws {
    var random = OrgRandom(seed: seed)
    let person = RandomPerson(using: &random)
    var server = HostileServer(person, seed: seed)
    let exchanges = (0..<2).map { _ in server.exchange() }
    let names = Redactor.newNames(
      of: Recording(exchanges), startedAt: .init(timeIntervalSince1970: 1.9e9),
      random: server.bytes)
    // Who answers Yes to everything must not keep what was entered.
    let choices: [(kept: Set<String>, values: [PersonalValue])] = [
      ([], person.all), (Set(names.map(\.name)), person.entered),
    ]
    for (kept, values) in choices {
      let recording = Redactor.redacted(
        Recording(exchanges), startedAt: .init(timeIntervalSince1970: 1.9e9),
        random: server.bytes, keeping: kept)
      let texts = Set(Self.texts(in: recording.json)).map(WrittenText.init)
      for value in values {
        let found = texts.filter { value.isIn($0) }
        #expect(found.isEmpty, "\(value)")
      }
      let file = recording.json.bytes
      try expectEqual(Recording(parsing: file).json.bytes, file)
    }
  }

  @Test(
    "A number, a place or a name that looks like the protocol's own is replaced",
    arguments: [
      // What was entered: the identifier “grace”, the code 483920 and the password “correct long password”.
      ##"{"_embedded": {"factor": {"timeStep": 483920}}}"##, ##"{"expires_in": 483920}"##,
      ##"{"interval": "483920"}"##, ##"{"version": "48-39-20"}"##, ##"{"status": "48 39 20"}"##,
      ##"{"intent": "CORRECT-LONG-PASSWORD"}"##, ##"{"intent": "CorrectLongPassword"}"##,
      ##"{"intent": "correct_long_password"}"##, ##"{"errorSummary": "48, then 39, then 20"}"##,
      ##"{"phones": {"+33 6 12 34 56 78": true}}"##, ##"{"born": {"1906-12-09": 1}}"##,
      ##"{"_links": {"self": {"href": "/users/grace-page/phones/06-12-34-56-78"}}}"##,
      ##"{"remediation": {"type": "array", "value": [{"name": "grace-page", "href": "/grace"}]}}"##,
      ##"{"expires_in": 4839}"##, ##"{"expires_in": 8392011}"##, ##"{"error": "E0483920"}"##,
      ##"{"errorCode": "E0004839"}"##,
    ])
  func lookalikes(body: String) throws {
    let json = try Self.recorded(body, keepingAll: true).json["exchanges"]?[2]?["response"]
    let text = try #require(json?["json"]?.text).lowercased()
    let letters = text.filter { $0.isLetter || $0.isNumber }
    for value in ["483920", "4839", "8392", "correctlongpassword", "grace", "19061209", "061234"] {
      #expect(!letters.contains(value), "\(value) in \(text)")
    }
  }

  @Test("Every secret of a request is replaced, and so is a cookie")
  func secrets() throws {
    let secrets = [
      "passcode", "password", "newPassword", "oldPassword", "answer", "nextPasscode", "otp",
      "totp", "client_secret", "verificationCode", "recoveryToken", "token", "binding_code",
    ]
    for name in secrets {
      let body = ["credentials": [name: "Zqxjk7wv"], name: "Zqxjk7wv"] as JSONValue
      let form = FormURLEncoding.encode([(name, "Zqxjk7wv")])
      let bodies = [("application/json", body.text), (FormURLEncoding.contentType, form)]
      for (type, body) in bodies {
        let url = try #require(URL(string: "https://id.example/idp/idx/identify?\(name)=Zqxjk7wv"))
        let cookies = ["Cookie": "idx=Zqxjk7wv; own=Zqxjk7wv; Zqxjk7wv"]
        let request = TransportRequest(
          method: "POST", url: url, headers: cookies.merging(["Content-Type": type]) { $1 },
          body: Array(body.utf8))
        let response = TransportResponse(
          status: 200,
          headers: ["Set-Cookie": "idx=Zqxjk7wv; Path=/Zqxjk7wv; Secure, own=Zqxjk7wv; Zqxjk7wv=1"],
          body: [])
        let exchange = Recording.Exchange(
          start: .zero, duration: .zero, request: request, result: .response(response))
        let text = Redactor.redacted(
          Recording([exchange]), startedAt: .init(timeIntervalSince1970: 1.9e9), random: .system
        ).json.text
        #expect(!text.lowercased().contains("zqxjk7wv"), "\(name) in \(text)")
        #expect(text.contains("idx=") && text.contains("Secure"))
        let sent = Redactor.redacted(
          Recording([exchange]), startedAt: .init(timeIntervalSince1970: 1.9e9), random: .system
        ).exchanges[0].request.headers["Cookie"]
        expectEqual(sent?.hasPrefix("idx="), true)
        #expect(text.contains("\"\(name)\"") || text.contains("\(name)="))
      }
    }
  }

  @Test("New names are listed, and only those that the person keeps stay")
  func newNames() throws {
    let body = """
      {"remediation": {"type": "array", "value": [
        {"name": "beam-up", "href": "https://id.example/idp/idx/beam-up", "method": "POST",
         "warpFactor": {"type": "object", "speed": 9},
         "value": [{"name": "coordinates", "type": "vector", "value": "Zqxjk7wv"},
                   {"name": "step-2", "label": "Grace"}]}]}}
      """
    let exchanges = try Self.exchanges(answeredBy: body)
    let start = Date(timeIntervalSince1970: 1.9e9)
    let names = Redactor.newNames(of: Recording(exchanges), startedAt: start, random: .system)
    expectEqual(
      names.map(\.name),
      ["born", "beam-up", "warpFactor", "type", "speed", "coordinates", "vector"])
    expectEqual(names[1].place, "response.remediation.value.name")

    let replaced = Redactor.redacted(Recording(exchanges), startedAt: start, random: .system)
    let kept = Redactor.redacted(
      Recording(exchanges), startedAt: start, random: .system,
      keeping: ["beam-up", "speed", "coordinates", "step-2"])
    for name in ["beam-up", "coordinates", "speed", "warpFactor", "vector", "step-2"] {
      #expect(!replaced.json.text.contains(name), "\(name)")
      expectEqual(
        kept.json.text.contains(name), ["beam-up", "speed", "coordinates"].contains(name))
    }
    #expect(kept.json.text.contains("/idp/idx/beam-up"))
    #expect(!kept.json.text.contains("Zqxjk7wv") && !kept.json.text.contains("Grace"))
  }

  @Test("A recording says truly which program made it, on which system")
  func facts() throws {
    let recorder = RecordingTransport(ScriptedTransport())
    let facts = ["program": "idx-flow 6.2.6", "protocol": "idx"]
    let recording = recorder.recording(facts: facts)
    #if os(Linux)
      expectEqual(recording.facts["system"], "Linux")
    #endif
    expectEqual(recording.facts["program"], "idx-flow 6.2.6")
    let file = try Recording(parsing: recording.json.bytes)
    expectEqual(file.facts, recording.facts)
    expectEqual(recording.json["facts"]?["program"], "idx-flow 6.2.6")
  }

  @Test("A name with another letter that is equal to one of the protocol is replaced")
  func equalLetters() throws {
    let body = "{\"\u{212A}eys\": [], \"errorSummary\": \"\u{212A}eep me signed in\"}"
    let text = try Self.recorded(body, keepingAll: false).json.text
    #expect(!text.unicodeScalars.contains("\u{212A}"))
  }

  // MARK: Recordings

  private static func recorded(_ body: String, keepingAll: Bool) throws -> Recording {
    let exchanges = try exchanges(answeredBy: body)
    let start = Date(timeIntervalSince1970: 1.9e9)
    let names = Redactor.newNames(of: Recording(exchanges), startedAt: start, random: .system)
    return Redactor.redacted(
      Recording(exchanges), startedAt: start, random: .system,
      keeping: keepingAll ? Set(names.map(\.name)) : [])
  }

  /// Requests with an identifier, a password and a code; the last one is answered.
  private static func exchanges(answeredBy body: String) throws -> [Recording.Exchange] {
    let entered = [
      ##"{"identifier": "grace", "phone": "+33 6 12 34 56 78", "born": "1906-12-09"}"##,
      ##"{"credentials": {"passcode": "correct long password"}}"##,
      ##"{"credentials": {"totp": "483920"}}"##,
    ]
    let url = try #require(URL(string: "https://id.example/idp/idx/identify"))
    return entered.map { text in
      Recording.Exchange(
        start: .zero, duration: .zero,
        request: TransportRequest(
          method: "POST", url: url, headers: ["Content-Type": "application/json"],
          body: Array(text.utf8)),
        result: .response(
          TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: Array(body.utf8))))
    }
  }

  /// All names, texts and numbers of a recording, also those inside of Base64, tokens, escapes and QR codes.
  private static func texts(in value: JSONValue) -> [String] {
    switch value {
    case .string(let text): [text] + decoded(text)
    case .array(let elements): elements.flatMap(texts)
    case .object(let object):
      object.members.flatMap { [$0.name] + decoded($0.name) + texts(in: $0.value) }
    default: [value.plainText ?? ""]
    }
  }

  private static func decoded(_ text: String) -> [String] {
    if text.hasPrefix("data:image/png;base64,") {
      let data = Data(base64Encoded: String(text.dropFirst(22))) ?? Data()
      return [(try? QRCode.read(png: [UInt8](data))) ?? ""]
    }
    var found = [text.removingPercentEncoding ?? "", text.split(separator: ".").joined()]
    for part in text.split(whereSeparator: { ".;=&?/ ,".contains($0) }) {
      let padded = String(part) + String(repeating: "=", count: (4 - part.count % 4) % 4)
      let bytes = Base64URL.decode(String(part)) ?? Data(base64Encoded: padded).map { [UInt8]($0) }
      if let bytes { found.append(String(decoding: bytes, as: UTF8.self)) }
    }
    return found
  }
}

private struct ScriptedTransport: Transport {
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    throw CancellationError()
  }
}

/// A value that must not be in a recording.
private struct PersonalValue: CustomStringConvertible {
  let description: String

  init(_ text: String) { description = text }

  /// Whether a text has this value, in any case and with any signs between its letters.
  func isIn(_ text: WrittenText) -> Bool {
    let value = WrittenText.letters(description)
    // Digits may have words between them.
    return text.letters.contains(value)
      || value.allSatisfy(\.isNumber) && text.letters.filter(\.isNumber) == value
  }
}

/// A text of a recording with only its letters and digits.
private struct WrittenText {
  let letters: String

  init(_ text: String) { letters = Self.letters(text) }

  static func letters(_ text: String) -> String {
    String(
      decoding: text.lowercased().utf8.filter {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 >= 0x80
      }, as: UTF8.self)
  }
}

/// Names, numbers and answers of somebody.
private struct RandomPerson {
  let name: String
  let phone: String
  let birthday: String
  let login: String
  let password: String
  let code: String

  init(using random: inout OrgRandom) {
    func word(_ random: inout OrgRandom) -> String {
      String(
        (0..<Int.random(in: 6...9, using: &random)).map { _ in
          "bcdfghjklmnpqrstvwxzaeiou".randomElement(using: &random) ?? "a"
        })
    }
    func digits(_ count: Int, _ random: inout OrgRandom) -> String {
      String((0..<count).map { _ in "123456789".randomElement(using: &random) ?? "1" })
    }
    name = "\(word(&random).capitalized) \(word(&random).capitalized)"
    phone = "+33 6 " + (0..<4).map { _ in digits(2, &random) }.joined(separator: " ")
    birthday =
      "19\(digits(2, &random))-1\(Int.random(in: 0...2, using: &random))-1\(digits(1, &random))"
    login = "\(word(&random)).\(word(&random))@\(word(&random)).example"
    password = "\(word(&random)) \(word(&random)) \(word(&random))"
    code = digits(6, &random)
  }

  var entered: [PersonalValue] { [login, password, code].map(PersonalValue.init) }
  var all: [PersonalValue] {
    entered
      + (name.split(separator: " ").map(String.init) + [phone, birthday]).map(PersonalValue.init)
  }
}

/// Writes what it knows about a person at random places of its messages.
private struct HostileServer {
  private let person: RandomPerson
  private var random: OrgRandom
  /// Stand-ins that are the same in each run.
  let bytes: RandomBytes

  init(_ person: RandomPerson, seed: UInt64) {
    self.person = person
    random = OrgRandom(seed: seed &* 7919 &+ 1)
    let generator = Locked(OrgRandom(seed: seed &+ 99))
    bytes = RandomBytes { count in
      generator.withLock { generator in
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      }
    }
  }

  mutating func exchange() -> Recording.Exchange {
    let sent = #"""
      {"identifier": "\#(person.login)", "stateHandle": "02.abc",
       "credentials": {"passcode": "\#(person.password)", "totp": "\#(person.code)"}}
      """#
    var body = object(.response)
    for _ in 0..<8 { body = changed(body) }
    let path =
      ["idp/idx/identify", "api/v1/authn", "oauth2/default/v1/token"].randomElement(using: &random)
      ?? ""
    let address =
      "https://id.example/\(path)/\(escaped())?\(escaped())=\(escaped())&state=\(escaped())"
    var headers = ["Content-Type": "application/json; charset=\(written())"]
    for name in [
      "Retry-After", "Location", "WWW-Authenticate", "Set-Cookie", "Date", "X-Okta-Request-Id",
    ] {
      headers[name] = Bool.random(using: &random) ? written() : "https://a.example/\(escaped())"
    }
    return Recording.Exchange(
      start: .zero, duration: .zero,
      request: TransportRequest(
        method: "POST", url: URL(string: address) ?? URL(filePath: "/"),
        headers: ["Content-Type": "application/json", "Authorization": "Bearer \(written())"],
        body: Array(sent.utf8)),
      result: .response(
        TransportResponse(
          status: 200, headers: headers,
          body: Int.random(in: 0..<6, using: &random) == 0
            ? Array("<p>\(written())</p>".utf8) : body.bytes)))
  }

  private mutating func value() -> String {
    [
      person.name, person.phone, person.birthday, person.login, person.password, person.code,
    ].randomElement(using: &random) ?? ""
  }

  private mutating func escaped() -> String {
    let text = written()
    if Bool.random(using: &random) { return FormURLEncoding.percentEncode(text) }
    let once = text.utf8.map { "%" + String($0, radix: 16).leadingZeros(to: 2) }.joined()
    return Bool.random(using: &random) ? once : FormURLEncoding.percentEncode(once)
  }

  /// A personal value in one of many spellings.
  private mutating func written() -> String {
    let value = value()
    let words = value.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return words.joined(separator: "-").uppercased()
    case 1: return words.map(\.capitalized).joined()
    case 2: return words.joined(separator: "_")
    case 3: return words.joined()
    case 4: return Data(value.utf8).base64EncodedString()
    case 5: return Base64URL.encode(Array(value.utf8))
    case 6: return "Hello \(value), your code was sent."
    case 7:
      let claims: JSONValue = [
        "sub": .string(value), value: true, "iss": .string("https://\(words[0]).example"),
      ]
      return [
        Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)), Base64URL.encode(claims.bytes), "c2ln",
      ]
      .joined(separator: ".")
    case 8:
      let code = try? QRCode(
        "otpauth://totp/\(words.joined()):\(words[0])?issuer=\(words.joined())")
      return "data:image/png;base64," + Data(code?.png() ?? []).base64EncodedString()
    case 9:
      return words.flatMap(\.unicodeScalars).map { "\\u00" + String($0.value, radix: 16) }.joined()
    case 10: return value.map(String.init).joined(separator: ", then ")
    default: return value
    }
  }

  /// A value with a personal value at one of its places: as a name, a text or a number.
  private mutating func changed(_ value: JSONValue) -> JSONValue {
    if let object = value.object, !object.members.isEmpty, Int.random(in: 0..<5, using: &random) > 0
    {
      var members = object.members
      let index = Int.random(in: members.indices, using: &random)
      members[index] = .init(members[index].name, changed(members[index].value))
      return .object(.init(members))
    }
    if var elements = value.array, !elements.isEmpty, Int.random(in: 0..<5, using: &random) > 0 {
      let index = Int.random(in: elements.indices, using: &random)
      elements[index] = changed(elements[index])
      return .array(elements)
    }
    if let object = value.object {
      return .object(.init(object.members + [.init(written(), .string(written()))]))
    }
    let digits = self.value().filter { ("0"..."9").contains($0) }
    if !digits.isEmpty, Bool.random(using: &random),
      let number = try? JSONValue(parsing: digits.utf8)
    {
      return number
    }
    return .string(written())
  }

  /// An object with some of the members that the protocol has.
  private mutating func object(_ shape: Shape, depth: Int = 0) -> JSONValue {
    let names = Self.names[shape] ?? []
    return .object(
      .init(
        names.shuffled(using: &random).prefix(depth == 0 ? 12 : 4).map { name in
          let value: JSONValue =
            switch shape.content(of: name) {
            case .object(let inner) where depth < 4: object(inner, depth: depth + 1)
            case .ion(let inner) where depth < 4:
              ["type": "array", "value": [object(inner, depth: depth + 1)]]
            case .number: 30
            default: "x"
            }
          return .init(name, value)
        }))
  }

  private static let names = Dictionary(
    uniqueKeysWithValues: Shape.allCases.map { shape in
      (shape, Shape.allNames.sorted().filter { shape.content(of: $0) != nil })
    })
}
