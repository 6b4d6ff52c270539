import Foundation
import IDXBase
import IDXOAuth
import IDXQRCode
import SignInSupport

@testable import IDXRecording
@testable import IDXSimulatedOrg

/// A value that must not be in a recording.
struct PersonalValue: CustomStringConvertible {
  let description: String

  init(_ text: String) { description = text }

  /// Whether a text has this value, in any case and with any signs between its letters.
  func isIn(_ text: WrittenText) -> Bool {
    let value = WrittenText.letters(description)
    // Digits may have words between them.
    return text.letters.contains(value) || text.lettersBetweenWords?.contains(value) == true
      || text.digits == value
  }
}

/// A text of a recording with only its letters and digits.
struct WrittenText {
  let letters: String
  /// The same without the word “then”, if it has that.
  let lettersBetweenWords: String?
  let digits: String

  init(_ text: String) {
    letters = Self.letters(text)
    lettersBetweenWords =
      letters.contains("then") ? letters.replacing("then", with: "") : nil
    digits = String(decoding: letters.utf8.filter { $0 < 0x61 }, as: UTF8.self)
  }

  static func letters(_ text: String) -> String {
    String(
      decoding: text.lowercased().utf8.filter {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 >= 0x80
      }, as: UTF8.self)
  }
}

/// Names, numbers and answers of somebody.
struct RandomPerson {
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
    let words = (0..<3).map { _ in word(&random) }
    password =
      [
        words.joined(separator: " "),
        "http://\(words[0]):4839/\(words[1])?max_age=1985&\(words[2])",
        "\(words[0]).\(words[1]):/\(words[2])", "data:\(words.joined(separator: "+"))",
      ].randomElement(using: &random) ?? ""
    code = digits(6, &random)
  }

  var entered: [PersonalValue] { [login, password, code].map(PersonalValue.init) }
  var others: [String] { [name, phone, birthday] }
  var all: [PersonalValue] {
    entered
      + (name.split(separator: " ").map(String.init) + [phone, birthday]).map(PersonalValue.init)
  }
}

/// Writes what it knows about a person at random places of its messages.
struct HostileServer {
  private let person: RandomPerson
  private var random: OrgRandom
  /// Stand-ins that are the same in each run.
  let bytes: RandomBytes

  init(_ person: RandomPerson, seed: UInt64) {
    self.person = person
    random = OrgRandom(seed: seed &* 7919 &+ 1)
    bytes = .seeded(seed &+ 99)
  }

  mutating func exchange() -> Recording.Exchange {
    let sent = #"""
      {"identifier": "\#(person.login)", "stateHandle": "02.abc",
       "credentials": {"passcode": "\#(person.password)", "totp": "\#(person.code)"}}
      """#
    var body = object(.response)
    for _ in 0..<8 { body = changed(body) }
    // Each value stands somewhere.
    for value in [person.login, person.password, person.code] + person.others {
      let spelling = Int.random(in: 0..<Self.spellings, using: &random)
      body = body.adding(written(), .string(Self.written(value, spelling)))
    }
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
      result: .success(
        TransportResponse(
          status: 200, headers: headers,
          body: Int.random(in: 0..<6, using: &random) == 0
            ? Array("<p>\(written())</p>".utf8) : body.bytes)))
  }

  private mutating func value() -> String {
    (person.others + [person.login, person.password, person.code])
      .randomElement(using: &random) ?? ""
  }

  private mutating func escaped() -> String {
    let text = written()
    if Bool.random(using: &random) { return FormURLEncoding.percentEncode(text) }
    let once = text.utf8.map { "%" + String($0, radix: 16).leadingZeros(to: 2) }.joined()
    return Bool.random(using: &random) ? once : FormURLEncoding.percentEncode(once)
  }

  /// A personal value in one of many spellings.
  private mutating func written() -> String {
    Self.written(value(), Int.random(in: 0..<Self.spellings, using: &random))
  }

  static let spellings = 12

  static func written(_ value: String, _ spelling: Int) -> String {
    let words = value.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    switch spelling {
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
