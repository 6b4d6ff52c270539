import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Scripts.
struct ScriptTests {
  private func handler(_ entries: [JSONValue]) throws -> ScriptHandler {
    ScriptHandler(
      try Script(parsing: JSONValue.array(entries).bytes), code: { $0.code(at: TestSignIn.now) })
  }

  /// Runs a sign-in with a script, which must be used up.
  private func run(_ entries: [JSONValue], in test: TestSignIn) async throws -> Outcome {
    let handler = try handler(entries)
    let outcome = try await test.coordinator(handler.handlers).run(test.configuration)
    await expectEqual(handler.remaining, 0)
    return outcome
  }

  private static let identify: JSONValue = [
    "step": "identify", "fields": ["identifier": .string(TestSignIn.login)],
  ]
  private static let password: JSONValue = [
    "step": "challenge-authenticator",
    "fields": ["credentials.passcode": .string(TestSignIn.password)],
  ]
  private static let chooseGoogle: JSONValue = [
    "step": "select-authenticator-enroll", "choose": "google_otp",
  ]
  private static let chooseEmail = chooseGoogle.setting("choose", "okta_email")
  private static let enroll: JSONValue = [
    "step": "enroll-authenticator", "fields": ["credentials.passcode": ["totp": true]],
  ]

  @Test("An entry can contain a choice and the fields of the chosen option")
  func chooseWithFields() async throws {
    let test = try TestSignIn(.required(.phone))
    let error = try await requireError(FlowError.self) {
      try await run(
        [
          Self.identify, Self.password,
          [
            "step": "select-authenticator-enroll", "choose": "phone_number",
            "fields": [
              "authenticator.methodType": "sms", "authenticator.phoneNumber": "+15550100142",
            ],
          ],
        ], in: test)
    }
    expectEqual(error.code, .inputNeeded)
    expectEqual(error.remediation, .enrollAuthenticator)
    await expectEqual(test.org.mailbox.messages.map(\.recipient), ["+15550100142"])
  }

  @Test(
    "A refusal does not end the script while entries remain; otherwise the error has the message of the server"
  )
  func refusal() async throws {
    let wrong: JSONValue = [
      "step": "challenge-authenticator", "fields": ["credentials.passcode": "a guess"],
    ]
    for rest in [[], [["step": "enroll-authenticator"]]] as [[JSONValue]] {
      let error = try await requireError(FlowError.self) {
        try await run([Self.identify, wrong] + rest, in: TestSignIn())
      }
      expect(error.code == .refused && error.status == 401)
      expectContains(error.message, "entry 2 of the script, “challenge-authenticator”")
      expectContains(error.message, "The password is wrong.")
      expect(!error.message.contains("a guess"))
    }

    let test = try TestSignIn()
    try await expect(run([Self.identify, wrong, Self.password], in: test).signIn != nil)
  }

  @Test("If all entries are used and the server still asks, input is needed", arguments: 0...1)
  func usedUp(count: Int) async throws {
    let test = try TestSignIn()
    let error = try await requireError(FlowError.self) {
      try await run(Array([Self.identify].prefix(count)), in: test)
    }
    expectEqual(error.code, .inputNeeded)
    expectEqual(error.remediation, (count == 0 ? .identify : .challengeAuthenticator))
    await expectEqual(test.transport.requests.count, 2 + count)
  }

  @Test(
    "A form or a choice that is not offered, or a TOTP code without a key, is an error, and nothing is sent",
    arguments: [
      (
        ["step": "enroll-authenticator"], ["“enroll-authenticator”", "select-authenticator-enroll"]
      ),
      (Self.chooseGoogle, ["“google_otp”", "It offers okta_email (Email)."]),
      (Self.chooseEmail.setting("fields", ["authenticator.id": ["totp": true]]), ["TOTP"]),
    ] as [(JSONValue, [String])])
  func impossibleEntry(entry: JSONValue, texts: [String]) async throws {
    let test = try TestSignIn(.required(.email))
    let error = try await requireError(FlowError.self) {
      try await run([Self.identify, Self.password, entry], in: test)
    }
    expectEqual(error.code, .scriptMismatch)
    expectEqual(error.remediation, .selectAuthenticatorEnroll)
    for text in ["Entry 3"] + texts { expectContains(error.message, text) }
    await expectEqual(test.transport.requests.count, 4)
  }

  @Test("A key that was shown earlier in the sign-in is used for later codes")
  func totpLater() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let outcome = try await run(
      [
        Self.identify, Self.password, Self.chooseGoogle, ["step": "cancel"],
        Self.identify, Self.password, Self.chooseGoogle, Self.enroll,
      ], in: test)
    expect(outcome.signIn != nil)
  }

  @Test("Answers that do not fit the form are an error, and nothing is sent")
  func invalidAnswers() async throws {
    let test = try TestSignIn()
    let error = try await requireError(FlowError.self) {
      try await run(
        [["step": "identify", "fields": ["identifier": "ada", "shoeSize": "39"]]], in: test)
    }
    expectEqual(error.code, .invalidAnswers)
    expectContains(error.message, "shoeSize")
    await expectEqual(test.transport.requests.count, 2)
  }

  @Test(
    "One entry for a poll waits until it ends; of several, each but the last sends one request",
    arguments: [(1, 5), (2, 5), (5, 5)])
  func polls(entries: Int, requests: Int) async throws {
    let test = try TestSignIn(.required(.email))
    let handler = try handler(
      [Self.identify, Self.password, Self.chooseEmail]
        + Array(repeating: ["step": "poll"], count: entries))
    let coordinator = FlowCoordinator(
      client: test.client, handlers: handler.handlers,
      sleep: { [org = test.org, transport = test.transport] _ in
        if await transport.count(of: "poll") == requests - 1,
          let mail = await org.mailbox.messages.last
        {
          await org.followLink(in: mail)
        }
      })
    try await expect(coordinator.run(test.configuration).signIn != nil)
    await expectEqual(test.transport.count(of: "poll"), requests)
    await expectEqual(handler.remaining, 0)
  }

  @Test("After a poll, an entry for another form of the response is used at once")
  func afterPoll() async throws {
    let test = try TestSignIn(.required(.email))
    let error = try await requireError(FlowError.self) {
      try await run(
        [
          Self.identify, Self.password, Self.chooseEmail, ["step": "poll"], ["step": "resend"],
        ], in: test)
    }
    expectEqual(error.code, .inputNeeded)
    await expectEqual(test.transport.count(of: "poll"), 1)
    await expectEqual(test.org.mailbox.messages.count, 2)
  }

  @Test("One script signs in whether the password is asked for with the username or after it")
  func togetherOrSeparately() async throws {
    let entries: [JSONValue] = [
      [
        "step": "identify", "fields": ["identifier": .string(TestSignIn.login)],
        "ifAsked": ["credentials.passcode": .string(TestSignIn.password)],
      ],
      Self.password.setting("optional", true).setting("authenticator", "okta_password"),
      ["step": "skip", "optional": true],
    ]
    for start in [SignInPolicy.Start.withPassword, .identityFirst] {
      var policy = SignInPolicy.optional(.email)
      policy.start = start
      let test = try TestSignIn(policy)
      try await expect(run(entries, in: test).signIn != nil)
      await expectEqual(test.transport.count(of: "skip"), 1)
    }
  }

  @Test(
    "Optional entries are used in the order of the server, and an entry only for its authenticator")
  func optional() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let outcome = try await run(
      [
        ["step": "consent", "optional": true],
        Self.enroll.setting("authenticator", "google_otp").setting("optional", true),
        [
          "step": "challenge-authenticator", "authenticator": "google_otp", "optional": true,
          "fields": ["credentials.passcode": "123456"],
        ],
        Self.chooseGoogle.setting("optional", true),
        Self.password.setting("optional", true), Self.identify,
      ], in: test)
    expect(outcome.signIn != nil)
  }

  @Test(
    "A key that was set up earlier gives the code, as Base32, as a URI, or read from elsewhere",
    arguments: [
      ["totp": "KEY"], ["totp": "otpauth://totp/a?secret=KEY"], ["totp": ["env": "KEY"]],
      ["totp": ["file": "KEY"]],
    ] as [JSONValue])
  func storedKey(value: JSONValue) async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let saved = Locked<[String: String]>([:])
    let setUp = ScriptHandler(
      try Script(
        parsing: JSONValue.array([
          Self.identify, Self.password, Self.chooseGoogle,
          Self.enroll.setting("saveKey", "key.txt"),
        ]).bytes),
      saveKey: { key, path in saved.withLock { $0[path] = key.text.revealed } },
      code: { $0.code(at: TestSignIn.now) })
    _ = try await test.coordinator(setUp.handlers).run(test.configuration)
    let uri = try require(saved.withLock { $0["key.txt"] })
    let key = try require(OTPAuthURI(parsing: uri)).secret.revealed

    let text = value.text.replacing("KEY", with: value["totp"]?.string == nil ? "name" : key)
    let script = try Script(
      parsing: """
        [\(Self.identify.text), \(Self.password.text),
         {"step": "challenge-authenticator", "fields": {"credentials.passcode": \(text)}}]
        """.utf8,
      reading: { source in
        expect(source == .variable("name") || source == .file("name"))
        return source == .variable("name") ? key : uri
      })
    // The code of the set-up cannot be used again.
    test.org.advance(by: 60)
    let handler = ScriptHandler(script, code: { [org = test.org] in $0.code(at: org.now) })
    try await expect(test.coordinator(handler.handlers).run(test.configuration).signIn != nil)
    expect(!"\(script) \(script.entries)".contains(key))
  }

  @Test(
    "At the end of a sign-in, an entry can start over, and entries that do not fit are not used")
  func atEnd() async throws {
    let test = try TestSignIn(status: .suspended)
    let error = try await requireError(FlowError.self) {
      try await run([Self.identify, Self.password, ["step": "cancel"]], in: test)
    }
    expectEqual(error.code, .inputNeeded)
    await expectEqual(test.transport.count(of: "cancel"), 1)

    let suspended = try TestSignIn(status: .suspended)
    let handler = try handler([Self.identify, Self.password, ["step": "skip"]])
    let outcome = try await suspended.coordinator(handler.handlers).run(suspended.configuration)
    expectEqual(outcome.end?.response.says("security.access_denied"), true)
    await expectEqual(handler.remaining, 1)
  }

  @Test(
    "Of several forms with one name, the first one that fits the answers is used",
    arguments: [["fields": ["b": "1"]], ["choose": "Phone"]] as [JSONValue])
  func formsWithOneName(entry: JSONValue) async throws {
    func form(_ path: String, _ name: String, _ label: String) -> JSONValue {
      let option: JSONValue = ["label": .string(label), "value": .string(label)]
      return Wire.form(
        "pick", href: "\(Wire.origin)/\(path)",
        [["name": .string(name)], ["name": "it", "options": [option]]])
    }
    let document = Wire.document([form("first", "a", "Mail"), form("second", "b", "Phone")])
    let transport = RequestLog(StubServer(document: document))
    _ = try await transport.run(handler([entry.setting("step", "pick")]).handlers)
    await expectEqual(transport.steps.last, "second")
    let sent = try await require(transport.requests.last?.json)
    expectEqual(sent, (entry["fields"] ?? ["it": "Phone"]))
  }

  // MARK: Reading

  @Test(
    "An invalid script is an error that names the entry and the problem",
    arguments: [
      ("", "cannot be read"), ("[", "cannot be read"), ("{}", "JSON array"), ("7", "JSON array"),
      (#"[{}]"#, "Entry 1"), (#"[{"step": ""}]"#, "Entry 1"), (#"[{"step": 7}]"#, "Entry 1"),
      (#"["identify"]"#, "Entry 1"),
      (#"[{"step": "a"}, {"step": "b", "field": {}}]"#, "Entry 2 of the script has “field”"),
      (#"[{"step": "a", "choose": 7}]"#, "“choose” must be a text"),
      (#"[{"step": "a", "fields": []}]"#, "object of values"),
      (#"[{"step": "a", "fields": null}]"#, "object of values"),
      (#"[{"step": "a", "ifAsked": 1}]"#, "“ifAsked” must be an object of values"),
      (#"[{"step": "a", "optional": "yes"}]"#, "“optional” must be true or false"),
      (#"[{"step": "a", "authenticator": 1}]"#, "“authenticator” must be a text"),
      (
        #"[{"step": "a", "fields": {"b": {"totp": "not a key!"}}}]"#,
        "Entry 1 of the script: “totp” must"
      ),
    ])
  func invalid(text: String, reason: String) async throws {
    let error = try await requireError(FlowError.self) { try Script(parsing: text.utf8) }
    expectEqual(error.code, .invalidConfiguration)
    expectContains(error.message, reason)
  }

  @Test(
    "A script chooses one of several phones by its line, and a name that fits several is an error")
  func severalPhones() async throws {
    func phone(_ number: String) -> JSONValue {
      ["key": "phone_number", "displayName": "Phone", "profile": ["phoneNumber": .string(number)]]
    }
    let options = (0...1).map { index -> JSONValue in
      [
        "label": "Phone",
        "value": [
          "form": [
            "value": [
              ["name": "enrollmentId", "value": .string("p\(index)"), "mutable": false],
              [
                "name": "methodType",
                "options": [
                  ["label": "SMS", "value": "sms"], ["label": "Voice call", "value": "voice"],
                ],
              ],
            ]
          ]
        ],
        "relatesTo": .string("$.authenticatorEnrollments.value[\(index)]"),
      ]
    }
    let document = Wire.document(
      [
        Wire.form(
          "select-authenticator-authenticate",
          [["name": "authenticator", "type": "object", "options": .array(options)]])
      ],
      [
        (
          "authenticatorEnrollments",
          ["type": "array", "value": [phone("+1 XXX 0142"), phone("+1 XXX 0177")]]
        )
      ])
    func sent(_ choice: String?, _ fields: JSONValue = [:]) async throws -> JSONValue? {
      let transport = RequestLog(StubServer(document: document))
      let entry: JSONValue = ["step": "select-authenticator-authenticate", "fields": fields]
      let chosen = choice.map { entry.setting("choose", .string($0)) } ?? entry
      _ = try await transport.run(handler([chosen]).handlers)
      return await transport.requests.last?.json?["authenticator"]
    }
    let voice: JSONValue = ["authenticator.methodType": "voice"]
    for body in try await [
      sent("Phone (+1 XXX 0177)", voice),
      sent(nil, voice.setting("authenticator.enrollmentId", "p1")),
    ] { expectEqual(body, ["enrollmentId": "p1", "methodType": "voice"]) }
    for (name, fields) in [
      ("phone_number", [:]), ("Phone", [:]), ("SMS", [:]), ("sms", [:]), (nil, voice),
    ] as [(String?, JSONValue)] {
      let error = try await requireError(FlowError.self) { try await sent(name, fields) }
      expectEqual(error.code, .scriptMismatch)
      expectContains(error.message, "“Phone (+1 XXX 0142)”, “Phone (+1 XXX 0177)”")
    }
  }
}
