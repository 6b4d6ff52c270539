import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXQRCode
import SignInSupport
import Testing

@testable import IDXRecording
@testable import IDXSimulatedOrg

/// A recording keeps only words of the protocol at their places.
struct RedactionTests {
  @Test(
    "Personal values are not found again, wherever and however a server writes them",
    .promise("recording-places"),
    arguments: (0..<24).sample(every: 12))
  func randomPlaces(seed: UInt64) throws {
    var random = OrgRandom(seed: seed)
    let person = RandomPerson(using: &random)
    var server = HostileServer(person, seed: seed)
    let exchanges = (0..<2).map { _ in server.exchange() }
    let originals = Set(Self.texts(in: Recording(exchanges).json)).map(WrittenText.init)
    for value in person.all {
      expect(originals.contains { value.isIn($0) }, "\(value) is not found in the original.")
    }
    let redactor = Self.redactor(of: exchanges, random: server.bytes)
    // Who answers Yes to everything must not keep what was entered.
    let choices: [(kept: Set<String>, values: [PersonalValue])] = [
      ([], person.all), (Set(redactor.newNames.map(\.name)), person.entered),
    ]
    for (kept, values) in choices {
      let recording = redactor.redacted(keeping: kept)
      let texts = Set(Self.texts(in: recording.json)).map(WrittenText.init)
      for value in values {
        let found = texts.filter { value.isIn($0) }
        expect(found.isEmpty, "\(value)")
      }
      let file = recording.json.bytes
      try expectEqual(Recording(parsing: file).json.bytes, file)
    }
  }

  @Test(
    "The search for personal values finds them in each spelling",
    arguments: 0..<HostileServer.spellings)
  func search(spelling: Int) {
    var random = OrgRandom(seed: UInt64(spelling))
    let person = RandomPerson(using: &random)
    for value in person.all {
      let text = HostileServer.written(value.description, spelling)
      for json in [[text: 1], ["a": [.string(text)]]] as [JSONValue] {
        expect(Self.texts(in: json).contains { value.isIn(WrittenText($0)) }, "\(text)")
      }
    }
  }

  @Test(
    "A number, a place or a name that looks like the protocol's own, also with another letter, is replaced",
    .promise("recording-places"))
  func lookalikes() throws {
    for body in [
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
    ] {
      let json = try Self.recorded(body, keepingAll: true).json["exchanges"]?[2]?["response"]
      let text = try require(json?["json"]?.text).lowercased()
      let letters = text.filter { $0.isLetter || $0.isNumber }
      for value in ["483920", "4839", "8392", "correctlongpassword", "grace", "19061209", "061234"]
      {
        expect(!letters.contains(value), "\(value) in \(text)")
      }
    }
    let body = "{\"\u{212A}eys\": [], \"errorSummary\": \"\u{212A}eep me signed in\"}"
    let text = try Self.recorded(body, keepingAll: false).json.text
    expect(!text.unicodeScalars.contains("\u{212A}"))
  }

  @Test("Every secret of a request is replaced, and so is a cookie", .promise("recording-private"))
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
        let url = try require(URL(string: "https://id.example/idp/idx/identify?\(name)=Zqxjk7wv"))
        let cookies = ["Cookie": "idx=Zqxjk7wv; own=Zqxjk7wv; Zqxjk7wv"]
        let request = TransportRequest(
          method: "POST", url: url, headers: cookies.merging(["Content-Type": type]) { $1 },
          body: Array(body.utf8))
        let response = TransportResponse(
          status: 200,
          headers: ["Set-Cookie": "idx=Zqxjk7wv; Path=/Zqxjk7wv; Secure, own=Zqxjk7wv; Zqxjk7wv=1"],
          body: [])
        let exchange = Recording.Exchange(
          start: .zero, duration: .zero, request: request, result: .success(response))
        let recording = Self.redactor(of: [exchange]).redacted()
        let text = recording.json.text
        expect(!text.lowercased().contains("zqxjk7wv"), "\(name) in \(text)")
        expect(text.contains("idx=") && text.contains("Secure"))
        let sent = recording.exchanges[0].request.headers["Cookie"]
        expectEqual(sent?.hasPrefix("idx="), true)
        expect(text.contains("\"\(name)\"") || text.contains("\(name)="))
      }
    }
  }

  @Test(
    "New names are listed, a hundred at most, and only those that the person keeps stay",
    .promise("recording-names"))
  func newNames() throws {
    let body = """
      {"remediation": {"type": "array", "value": [
        {"name": "beam-up", "href": "https://id.example/idp/idx/beam-up", "method": "POST",
         "warpFactor": {"type": "object", "speed": 9},
         "value": [{"name": "coordinates", "type": "vector", "value": "Zqxjk7wv"},
                   {"name": "step-2", "label": "Grace"}]}]}}
      """
    let exchanges = try Self.exchanges(answeredBy: body)
    let redactor = Self.redactor(of: exchanges)
    let names = redactor.newNames
    expectEqual(names.map(\.name), ["beam-up", "warpFactor", "coordinates", "vector"])
    expectEqual(names[0].place, "response.remediation.value.name")

    let replaced = redactor.redacted()
    let kept = redactor.redacted(keeping: ["beam-up", "speed", "coordinates", "step-2"])
    for name in ["beam-up", "coordinates", "speed", "warpFactor", "vector", "step-2"] {
      expect(!replaced.json.text.contains(name), "\(name)")
      expectEqual(kept.json.text.contains(name), ["beam-up", "coordinates"].contains(name))
    }
    expectContains(kept.json.text, "/idp/idx/beam-up")
    // A step and its address have the same number.
    let form = try require(replaced.received(2)["remediation"]?["value"]?[0])
    let number = try require(form["name"]?.string)
    expect(number.hasPrefix("name-") && form["href"]?.string?.hasSuffix("/\(number)") == true)
    expect(!kept.json.text.contains("Zqxjk7wv") && !kept.json.text.contains("Grace"))
    let consonants = "bcdfghjklm".map(String.init)
    let many = consonants.flatMap { a in
      consonants.flatMap { b in consonants.map { "step-w\(a)\(b)\($0)" } }
    }
    let another = Self.redactor(
      of: Self.exchanges([([:], .object(.init(many.map { .init($0, 1) })))]))
    expectEqual(another.newNames.map(\.name), Array(many.prefix(100)))
    let stayed = try another.redacted(keeping: Set(many)).received(0).object?.members ?? []
    expectEqual(stayed.count { many.contains($0.name) }, 100)
  }

  // MARK: What was typed

  @Test(
    "Of what was typed only the length stays, whatever it looks like", .promise("recording-typed"))
  func typed() throws {
    for text in [
      "http://127.0.0.1:4839", "http://localhost/idp/idx?max_age=483920&prompt=login",
      "abc://h:48392", "otpauth://totp/x?digits=48392", "https://my.okta.com/login/default",
      "Summer2024:/x", "1985-04-12T10:00:00Z", "data:secret-483920", "Kx7+p-483920.q", "OKTA",
      "okta_password", "$.authenticators", "application/json", "gracehopperlovelace:/x",
      "4839201", "Password", "E0000194",
    ] {
      try Self.expectOnlyLength(of: text)
    }
    // A token.
    try Self.expectOnlyLength(
      of: "eyJhbGciOiJSUzI1NiJ9.eyJ2ZXIiOjQ4MzkyLCJhbXIiOlsicHdkIl19.c2lnbmVk")
  }

  @Test(
    "A typed word or name does not stay where the protocol could have it, also in an address",
    .promise("recording-typed"))
  func typedWord() throws {
    for (typed, echoed) in [
      ("E0000583@kestrel.example", "E0000583"), ("e0000583", "E0000583"),
      ("max.page@kestrel.example", "max.page"), ("password E0000583", "errors.E0000583"),
      ("tab.web@kestrel.example", "tab.web"),
    ] {
      let link: JSONValue = [
        "href": .string("https://shop.example/api/v1/users/\(echoed)?\(echoed)=")
      ]
      let response: JSONValue = [
        "_links": ["self": link], "status": .string(echoed), "errorCode": .string(echoed),
      ]
      let recording = Self.recorded(Self.typing(typed, answeredBy: response))
      let text = recording.json.text
      expect(!text.contains(echoed), text)
    }
    let link: JSONValue = ["self": ["href": "https://shop.example/api/v1/users/max.page/E0000817"]]
    let typed: JSONValue = ["userProfile": ["firstName": "Max", "lastName": "Page"]]
    let recording = Self.recorded([(typed, ["_links": link])])
    expect(!recording.json.text.contains("max.page") && !recording.json.text.contains("E0000817"))
  }

  private static func expectOnlyLength(of text: String) throws {
    let numbers: JSONValue = [
      "max_age": 48392, "expires_in": 1985, "interval": 4839, "publicKey": ["timeout": 2024],
    ]
    // The server can send the same text before the person types it, and after.
    let user: JSONValue = ["user": ["type": "object", "value": ["identifier": .string(text)]]]
    let recording = recorded([
      (["interactionHandle": "abc"], user.adding("remediation", form("passcode"))),
      (["credentials": ["passcode": .string(text)]], user.adding("intent", .string(text))),
      (["stateHandle": "abc"], numbers),
    ])
    let passcode = try require(recording.sent(1)["credentials"]?["passcode"]?.string)
    expectEqual(passcode.count, text.count, "\(text)")
    expect(passcode != text, "\(text)")
    let isNumber = text.allSatisfy(\.isNumber)
    expect(passcode.allSatisfy { isNumber ? $0.isNumber : $0.isLowercase }, "\(passcode)")
    for response in try [recording.received(0), recording.received(1)] {
      expectEqual(response["user"]?["value"]?["identifier"]?.string, passcode)
    }
    let digits = text.filter(\.isNumber)
    for (name, number) in numbers.object?.members.map({ ($0.name, $0.value) }) ?? [] {
      guard let own = number.plainText, digits.contains(own) else { continue }
      let kept = try recording.received(2)[name]
      expect(kept != number, "\(name)")
    }
  }

  @Test(
    "A word of a message is not replaced like the password that is equal to it",
    .promise("recording-typed"))
  func passwordInMessage() throws {
    let message: JSONValue = ["errorSummary": "Your Passphrase expires soon"]
    let recording = Self.recorded([
      ([:], message.adding("remediation", Self.form("passcode", label: "Passphrase"))),
      (["credentials": ["passcode": "Passphrase"]], message),
    ])
    let passcode = try require(recording.sent(1)["credentials"]?["passcode"]?.string)
    for index in 0..<2 {
      let text = try require(recording.received(index)["errorSummary"]?.string)
      expect(!text.contains(passcode) && !text.contains(" "), "\(text)")
      expectEqual(text, text.lowercased())
    }
    let label = try recording.received(0)["remediation"]?["value"]?[0]?["value"]?[0]?["form"]
    expect(label?["value"]?[0]?["label"]?.string != passcode)
  }

  @Test(
    "What was typed into a field is entered, also if the field has a name of the protocol",
    .promise("recording-typed"),
    arguments: [
      "id", "channel", "methodType", "state", "stateToken", "stateHandle", "client_secret",
      "userProfile", "provider", "questionKey", "options", "interactionHandle", "enrollmentId",
      "factorType", "grant_type", "credentials", "unknown",
    ])
  func typedIntoNamedField(name: String) throws {
    for secret in [true, false] {
      let conversation: [(JSONValue, JSONValue)] = [
        (["interactionHandle": "abc"], ["remediation": Self.form(name, secret: secret)]),
        (["credentials": [name: "correct-Horse-48392"]], ["max_age": 48392]),
        (["credentials": [name: "correcthorse"]], ["intent": "correcthorse", "newhorse": 1]),
        (["credentials": ["nested": [name: ["correcthorse"]]]], [:]),
      ]
      let names = Self.redactor(of: Self.exchanges(conversation)).newNames
      expectEqual(names.map(\.name).filter { !["unknown", "nested", name].contains($0) }, [])
      let recording = Self.recorded(conversation, keepingAll: true)
      let text = recording.json.text.lowercased()
      expect(!text.contains("horse") && !text.contains("48392"), "\(text)")
      let sent = try require(recording.sent(1)["credentials"]?.object?.members.first?.value.string)
      expect(sent.count == 19 && sent.allSatisfy { $0.isLowercase }, "\(sent)")
    }
  }

  @Test(
    "What the server offers for a field is not entered, unless it is a secret",
    .promise("recording-typed"))
  func offered() throws {
    let field: JSONValue = [
      "name": "authenticator", "type": "object",
      "form": [
        "value": [
          ["name": "id", "value": "aut123", "mutable": false],
          [
            "name": "methodType", "type": "string",
            "options": [
              ["label": "SMS", "value": "sms"], ["label": "New", "value": "quantum-beam"],
            ],
          ],
        ]
      ],
    ]
    let form: JSONValue = [
      "type": "array",
      "value": [
        [
          "name": "select-authenticator-authenticate",
          "href": "https://id.example/idp/idx/challenge",
          "value": [field, ["name": "stateHandle", "value": "02.abc", "mutable": false]],
        ]
      ],
    ]
    for method in ["sms", "quantum-beam"] {
      let recording = Self.recorded(
        [
          (["interactionHandle": "abc"], ["remediation": form]),
          (
            [
              "authenticator": ["id": "aut123", "methodType": .string(method)],
              "stateHandle": "02.abc",
            ], [:]
          ),
        ], keepingAll: true)
      let sent = try recording.sent(1)
      expectEqual(sent["authenticator"]?["methodType"]?.string, method)
      let fields = try require(recording.received(0)["remediation"]?["value"]?[0]?["value"])
      expectEqual(sent["stateHandle"], fields[1]?["value"])
      expectEqual(sent["authenticator"]?["id"], fields[0]?["form"]?["value"]?[0]?["value"])
    }
  }

  @Test(
    "A number with digits of what was typed, or with four digits of what was replaced, is replaced, and kinds of keys stay",
    .promise("recording-numbers"))
  func numbers() throws {
    for (typed, replaced, kept) in [
      ("483920", [483, 920, 48, 39, 20, 4839, 483_920, 1_483_920, 8_392_011], [1, 4, 47, 3600]),
      ("0042", [42, 1420], [4, 24]), ("0123", [123, 12, 23, 91_239], [1, 13]),
      ("+33 6 12 34 56 78", [33, 12, 34, 56, 78, 612], [6, 65]), ("a1b2c3d4", [1234], [1]),
      ("Pass123word", [123], [321]), ("٤٨٣٩٢٠", [483_920, 483], [1]), ("77", [77, 1771], [7]),
      ("8", [], [8, 80]),
    ] as [(String, [Int], [Int])] {
      let numbers = (replaced + kept).map { JSONValue.number(.init($0)) }
      let recording = Self.recorded(
        Self.typing(
          typed, answeredBy: ["authenticatorChallenge": ["value": ["ports": .array(numbers)]]]))
      let ports = try recording.received(1)["authenticatorChallenge"]?["value"]?["ports"]?.array
      for (port, old) in zip(ports ?? [], replaced + kept) {
        expectEqual(port.integer == old, kept.contains(old), "\(old) of “\(typed)” became \(port)")
      }
    }
    let response: JSONValue = [
      "user": ["value": ["profile": ["phoneNumber": "+33612345678", "born": "1906-12-09"]]],
      "max_age": 6_123_456, "expires_in": 345_678, "interval": 1906,
      "publicKey": [
        "timeout": 3600, "pubKeyCredParams": [["type": "public-key", "alg": -257]],
      ],
    ]
    let recording = Self.recorded([(["credentials": ["passcode": "125783"]], response)])
    let kept = try recording.received(0)
    for name in ["max_age", "expires_in", "interval"] {
      expect(kept[name] != response[name], "\(name)")
    }
    expectEqual(kept["publicKey"], response["publicKey"])
  }

  @Test(
    "No piece of what was typed, or of a word that was replaced beside digits, is listed as a new name",
    .promise("recording-names"))
  func piecesInNames() throws {
    let names = [
      "identifybob", "identify-bob", "bobSpace", "ecarglevol", "lovelacex", "l.o.v.e.l.a.c.e",
      "LoVeLaCe", "love-lace", "lov-ela-ce", "bo-b", "xlov", "bOb", "b-o-b", "zqxvw", "vwzqx",
      "metaada", "xqz", "ODQzOTMy", "xODQzOTMy", "fdieODQzOTM", "warpSpeed", "beam-up",
    ]
    let conversation: [(JSONValue, JSONValue)] = [
      ([:], ["remediation": Self.form("identifier", secret: false)]),
      (["identifier": "bob lovelace"], ["remediation": Self.form("passcode")]),
      (["credentials": ["totp": "843932"]], [:]),
      (["credentials": ["passcode": "Zqx7vw9 Ada"]], .object(.init(names.map { .init($0, 1) }))),
    ]
    let listed = Self.redactor(of: Self.exchanges(conversation)).newNames
    expectEqual(listed.map(\.name), ["warpSpeed", "beam-up"])
    let user: JSONValue = [
      "type": "object", "value": ["identifier": "okoye58@bluefinch7.example"],
    ]
    let others: JSONValue = ["bluefinchTerms": 1, "okoyeSettings": 2, "otherSettings": 3]
    let redactor = Self.redactor(
      of: Self.exchanges([(JSONValue.object(.init()), others.adding("user", user))]))
    expectEqual(redactor.newNames.map(\.name), ["otherSettings"])
  }

  @Test(
    "A new name may be kept only if its letters were neither typed nor replaced",
    .promise("recording-names"),
    arguments: [
      ("warpSpeed", true), ("beam-up.now:fast_er", true), ("VectorLock", true),
      // Digits, other letters and signs, and short names.
      ("warp2speed", false), ("warpspe\u{E9}d", false), ("warpspee\u{212A}", false),
      ("warp speed", false), ("warp%73peed", false), ("warp/speed", false), ("warps", false),
      ("W-a-r-p-s", false), ("----------", false),
      (String(repeating: "warpSpeed", count: 12), false),
      // What was typed: equal, longer, shorter, in another case, with signs, backwards.
      ("Marzipan", false), ("marzipan", false), ("MARZIPAN", false), ("marzipanStep", false),
      ("stepmarzipan", false), ("marzip", false), ("rzipxxxx", false), ("xxipanxx", false),
      ("m.a.r.z.i.p.a.n", false), ("mar-zip:an_", false), ("napizram", false), ("xxnapixx", false),
      // A typed word of three, and a value that is typed with digits between its letters.
      ("beambob", false), ("bobBeam", false), ("b-o-b-beam", false), ("beamnqzt", false),
      // Base64 of “Marzipan” and of “Bob Marzipan”, and a part of it.
      ("TWFyemlwYW", false), ("twfyemlwyw", false), ("xhcnppcGFu", false), ("beamFyemlx", false),
      // What was replaced: the identifier of the app.
      ("acmeville", false), ("stepAcmeville", false), ("acme-ville", false),
    ])
  func ruleOfNames(name: String, isListed: Bool) throws {
    let conversation: [(JSONValue, JSONValue)] = [
      ([:], ["remediation": Self.form("passcode"), "app": ["value": ["name": "Acmeville 7"]]]),
      (["credentials": ["passcode": "Bob Marzipan q4z8t"]], .object(.init([.init(name, 1)]))),
    ]
    let redactor = Self.redactor(of: Self.exchanges(conversation))
    expectEqual(redactor.newNames.map(\.name), isListed ? [name] : [])
    // Whatever is asked for, only listed names stay.
    let kept = try redactor.redacted(keeping: [name]).received(1)
    expectEqual(kept.object?.members.map(\.name), [isListed ? name : "name-1"])
  }

  @Test(
    "A server cannot put a typed password into the name of a step, a member, a field or a path",
    .promise("recording-names", "recording-typed"),
    arguments: [
      "Marzipan", "correct-Horse-48392", "\u{E9}clairTorte", "zqx", "x.y:w", "Summer2024!",
      "qwerty",
    ])
  func passwordInNames(password: String) throws {
    let letters = password.filter { $0.isASCII && $0.isLetter }
    let spellings = [
      password, password.uppercased(), password.lowercased(), letters, "step-\(letters)",
      "\(letters)Step", String(letters.reversed()), letters.map(String.init).joined(separator: "-"),
      Base64URL.encode(Array(password.utf8)), FormURLEncoding.percentEncode(password),
      password.utf8.map { "%" + String($0, radix: 16) }.joined(),
    ]
    let forms = spellings.map { name -> JSONValue in
      [
        "name": .string(name), "method": "POST", "type": .string(name),
        "href": .string("https://id.example/idp/idx/\(FormURLEncoding.percentEncode(name))"),
        "value": [["name": .string(name), "type": .string(name)]],
      ]
    }
    // Halves of the password in two parts of a path.
    let half = letters.index(letters.startIndex, offsetBy: letters.count / 2)
    let split = "https://id.example/idp/idx/\(letters[..<half])/\(letters[half...])"
    let response: JSONValue = [
      "remediation": [
        "type": "array", "value": .array(forms + [["name": "identify", "href": .string(split)]]),
      ],
      "user": ["value": .object(.init(spellings.map { .init($0, 1) }))],
      "intent": .array(spellings.map(JSONValue.string)),
    ]
    let redactor = Self.redactor(
      of: Self.exchanges(Self.typing(password, answeredBy: response)))
    expectEqual(redactor.newNames, [])
    let recording = redactor.redacted(keeping: Set(spellings))
    let texts = Set(Self.texts(in: recording.json)).map { WrittenText($0).letters }
    let forbidden = Set([letters.lowercased(), String(letters.lowercased().reversed())])
    for text in texts {
      expect(!forbidden.contains { text.contains($0) }, "\(text)")
    }
    let written = try require(recording.received(1)["remediation"]?["value"]?.array)
    for (form, spelling) in zip(written.dropLast(), spellings) {
      // What is equal to the password has the stand-in of the password.
      let isNumbered = form["name"]?.string?.hasPrefix("name-") == true
      expect(isNumbered || spelling == password, "\(spelling)")
      expectEqual(form["name"], form["type"])
      expectEqual(form["name"], form["value"]?[0]?["name"])
    }
    let parts = try require(written.last?["href"]?.string).split(separator: "/").suffix(2)
    expect(parts.allSatisfy { $0.hasPrefix("name-") }, "\(parts)")
  }

  @Test(
    "A repeated answer in another case, or with other signs, keeps neither kinds nor signs",
    .promise("recording-typed"))
  func repeated() throws {
    let password = "Som-mer+2024.X"
    let texts = [
      password.uppercased(), password.lowercased(), "Sommer2024X is old", "S.o.m.m.e.r.2.0.2.4",
      "x \(password)", FormURLEncoding.percentEncode(password),
    ]
    let recording = Self.recorded(
      Self.typing(password, answeredBy: ["errorSummary": .array(texts.map(JSONValue.string))]))
    let kept = try recording.received(1)["errorSummary"]?.array?.compactMap(\.string) ?? []
    expectEqual(kept.map(\.count), texts.map(\.count))
    for text in kept { expect(text.allSatisfy { $0.isLowercase }, "\(text)") }
  }

  // MARK: Unusual messages

  @Test(
    "Every address becomes one that can be read", .promise("recording-addresses"),
    arguments: [
      "gracehopperlovelace:/callback", "gracehopperlovelace12345+A:/x", "https://[2001:db8::6]/x",
      "https://[2001:db8:0612:3456:7800::1]:4839/x", "https://[fe80::1%25grace]/x",
      "https://[v1.grace:page]/x", "https://gr%61ce/x", "https://grâce.okta.com/",
      "https://u:p@grace.okta.com:99999/", "https:///grace", "https://grace.okta.com\\@x/",
      "https://a/?grace=1&grace&=grace#gra ce", "a:/", "https://:80/", "https://a.example:x/",
      "https://a/?%zz", "https://a/?a[]={}", "GRACE+hopper.lovelace.page1:/x", "mailto:/grace?a",
    ])
  func addresses(text: String) throws {
    for seed in 0..<40 {
      let recording = Self.recorded(
        [([:], ["app": ["value": ["logoUri": .string(text)]]])], seed: UInt64(seed))
      let address = try require(recording.received(0)["app"]?["value"]?["logoUri"]?.string)
      let url = try require(URL(string: address), "\(address)")
      expect(url.scheme != nil && !address.lowercased().contains("grace"), "\(address)")
    }
  }

  @Test(
    "Addresses, tokens and names inside of each other are replaced as a whole beyond a limit",
    .promise("recording-addresses"))
  func nested() throws {
    var token = "Zqxjk7wv"
    for _ in 0..<12 {
      let claims: JSONValue = ["sub": .string(token)]
      token = "eyJhbGciOiJub25lIn0.\(Base64URL.encode(claims.bytes)).c2ln"
    }
    let address = String(repeating: "http://x/?redirect_uri=", count: 2000) + "http://x/"
    let escaped = (0..<8).reduce("http://x/") { text, _ in
      "http://x/?redirect_uri=\(FormURLEncoding.percentEncode(text))"
    }
    let long = String(repeating: "grace", count: 400)
    let names = JSONValue.Object(
      (0..<60).map { .init("\(long)\($0)", [long: .string("a\($0)")]) })
    let response: JSONValue = [
      "app": ["value": ["logoUri": .string(address), "clientUri": .string(escaped)]],
      "id_token": .string(token), "stateHandle": .object(names),
    ]
    let recording = Self.recorded([([:], response)])
    let file = recording.json.bytes
    expect(file.count < response.bytes.count * 2)
    try expectEqual(Recording(parsing: file).json.bytes, file)
    expect(recording.exchanges[0].replaced.allSatisfy { $0.utf8.count < 300 })
    let text = recording.json.text
    expect(!text.contains("Zqxjk7wv") && !text.contains("grace"))
  }

  @Test(
    "A deep response, and one with a mark at its beginning, are recorded as JSON",
    .promise("recording-file"))
  func deepResponse() throws {
    let deep =
      Array(#"{"version": "1.0.0", "deep": "#.utf8)
      + [UInt8](repeating: UInt8(ascii: "["), count: 124) + Array(#""Zqxjk7""#.utf8)
      + [UInt8](repeating: UInt8(ascii: "]"), count: 124) + Array("}".utf8)
    let marked = [0xEF, 0xBB, 0xBF] + Array(#"{"version": "1.0.0", "deep": "Zqxjk7"}"#.utf8)
    for body in [deep, marked] {
      var exchange = Self.exchanges([([:], [:])])[0]
      exchange.result = .success(
        TransportResponse(
          status: 200, headers: ["Content-Type": "application/ion+json; okta-version=1.0.0"],
          body: body))
      let recording = Self.redactor(of: [exchange]).redacted()
      try expectEqual(recording.received(0)["version"], "1.0.0")
      expect(!recording.json.text.contains("Zqxjk7"))
      expectEqual(recording.json["exchanges"]?[0]?["response"]?["json"]?["version"], "1.0.0")
      try expectEqual(Recording(parsing: recording.json.bytes), recording)
    }
  }

  @Test("The case of letters in the names of header fields is not kept")
  func headerNames() throws {
    var exchange = Self.exchanges([([:], [:])])[0]
    let headers = ["reTRY-aFTER": "1", "X-oKtA-rEqUEST-iD": "x1", "www-authenticate": "Bearer"]
    exchange.result = .success(TransportResponse(status: 200, headers: headers))
    exchange.request.headers["aCCept"] = "application/json"
    let recording = Self.redactor(of: [exchange]).redacted()
    guard case .success(let response) = recording.exchanges[0].result else { return }
    expectEqual(
      response.headers.keys.sorted(), ["Retry-After", "Www-Authenticate", "X-Okta-Request-Id"])
    expectEqual(recording.exchanges[0].request.headers.keys.sorted(), ["Accept", "Content-Type"])
  }

  @Test("The last character of a long value does not stay")
  func lastCharacter() throws {
    for original in ["aB3dE5gH7jK9mN1pQ", "aB3dE5gH7jK9mN1p-Q", "aB3dE5gH7jK9mN1pqg"] {
      let ends = try (0..<60).map { seed in
        let recording = Self.recorded(
          [([:], ["keys": [["kid": .string(original)]]])], seed: UInt64(seed))
        return try require(recording.received(0)["keys"]?[0]?["kid"]?.string?.last)
      }
      expect(Set(ends).count > 2 && Set(ends).isSubset(of: "AQgw"), "\(Set(ends))")
    }
  }

  // MARK: Recordings

  private static let start = Date(timeIntervalSince1970: 1.9e9)

  /// Requests and responses with these bodies.
  private static func exchanges(
    _ conversation: [(sent: JSONValue, received: JSONValue)]
  ) -> [Recording.Exchange] {
    conversation.compactMap { sent, received in
      guard let url = URL(string: "https://id.example/idp/idx/identify") else { return nil }
      let headers = ["Content-Type": "application/json"]
      return Recording.Exchange(
        start: .zero, duration: .zero,
        request: TransportRequest(method: "POST", url: url, headers: headers, body: sent.bytes),
        result: .success(
          TransportResponse(status: 200, headers: headers, body: received.bytes)))
    }
  }

  private static func recorded(
    _ conversation: [(sent: JSONValue, received: JSONValue)], keepingAll: Bool = false,
    seed: UInt64 = 1
  ) -> Recording {
    recorded(exchanges(conversation), keepingAll: keepingAll, seed: seed)
  }

  private static func recorded(
    _ exchanges: [Recording.Exchange], keepingAll: Bool, seed: UInt64 = 1
  ) -> Recording {
    let redactor = redactor(of: exchanges, random: .seeded(seed))
    return redactor.redacted(keeping: keepingAll ? Set(redactor.newNames.map(\.name)) : [])
  }

  private static func redactor(
    of exchanges: [Recording.Exchange], random: RandomBytes = .seeded(1)
  ) -> Redactor {
    Redactor(reading: Recording(exchanges), startedAt: start, random: random)
  }

  /// A conversation in which a passcode is asked for, typed, and answered with a response.
  private static func typing(
    _ passcode: String, answeredBy response: JSONValue
  ) -> [(sent: JSONValue, received: JSONValue)] {
    [
      ([:], ["remediation": form("passcode")]),
      (["credentials": ["passcode": .string(passcode)]], response),
    ]
  }

  /// A form that asks for a field of `credentials`.
  private static func form(_ name: String, secret: Bool = true, label: String = "A") -> JSONValue {
    let field: JSONValue = [
      "name": .string(name), "label": .string(label), "secret": .bool(secret),
    ]
    let credentials: JSONValue = [
      "name": "credentials", "type": "object", "form": ["value": [field]],
    ]
    return [
      "type": "array",
      "value": [
        [
          "name": "challenge-authenticator", "href": "https://id.example/idp/idx/identify",
          "method": "POST", "value": [credentials],
        ]
      ],
    ]
  }

  private static func recorded(_ body: String, keepingAll: Bool) throws -> Recording {
    try recorded(exchanges(answeredBy: body), keepingAll: keepingAll)
  }

  /// Requests with an identifier, a password and a code, which all get the same answer.
  private static func exchanges(answeredBy body: String) throws -> [Recording.Exchange] {
    let response = try JSONValue(parsing: body.utf8)
    let conversation: [(sent: JSONValue, received: JSONValue)] = [
      (["identifier": "grace", "phone": "+33 6 12 34 56 78", "born": "1906-12-09"], response),
      (["credentials": ["passcode": "correct long password"]], response),
      (["credentials": ["totp": "483920"]], response),
    ]
    return exchanges(conversation)
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
    if text.hasPrefix("\\u"), let escaped = try? JSONValue(parsing: "\"\(text)\"".utf8) {
      found.append(escaped.plainText ?? "")
    }
    for part in text.split(whereSeparator: { ".;=&?/ ,".contains($0) }) {
      let padded = String(part) + String(repeating: "=", count: (4 - part.count % 4) % 4)
      let bytes = Base64URL.decode(String(part)) ?? Data(base64Encoded: padded).map { [UInt8]($0) }
      if let bytes { found.append(String(decoding: bytes, as: UTF8.self)) }
    }
    return found
  }
}

extension Recording {
  fileprivate func sent(_ index: Int) throws -> JSONValue {
    try JSONValue(parsing: exchanges[index].request.body)
  }

  fileprivate func received(_ index: Int) throws -> JSONValue {
    guard case .success(let response) = exchanges[index].result else { return [:] }
    return try JSONValue(parsing: response.body)
  }
}
