import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import SignInSupport
import Testing

/// What the server says for the person is on the screen.
struct ServerTextTests {
  private static let form = Wire.form("challenge-poll", [], [("refresh", 2000)])

  private func screen(
    _ form: JSONValue = form, _ more: [(String, JSONValue)] = []
  ) throws -> Screen {
    Screen(try Wire.step(Wire.document([form], more)))
  }

  private func ended(_ more: (String, JSONValue)...) throws -> Screen {
    Screen(end: try Wire.state(Wire.document([], more)))
  }

  private static func message(_ text: String, _ more: [(String, JSONValue)] = []) -> JSONValue {
    let members = [("message", .string(text)), ("class", "ERROR")] + more
    return .object(JSONValue.Object(members.map { JSONValue.Object.Member($0.0, $0.1) }))
  }

  @Test("The links of a message are with it, each once, without those that must not be opened")
  func links() throws {
    let links: JSONValue = [
      ["url": "https://help.example/a", "label": "Help"], ["url": "https://help.example/b"],
      ["url": "https://help.example/b"], ["url": "http://help.example/"],
      ["url": "javascript:alert(1)"], ["url": "https://localhost/"],
      ["url": "https://known.example@help.example/"], ["url": 7], ["label": "None"], "text",
    ]
    let messages: JSONValue = [
      "type": "array", "value": [Self.message("Turn on FileVault", [("links", links)])],
    ]
    for screen in [
      try ended(("messages", messages)), try screen(Self.form, [("messages", messages)]),
    ] {
      let message = try require(screen.messages.first)
      expectEqual(
        message.text,
        "Turn on FileVault. A link is not shown here, because its address may not be safe.")
      expectEqual(
        message.links.map(\.text), ["Help: https://help.example/a", "https://help.example/b"])
      expectEqual(
        screen.json["messages"]?[0]?["links"],
        [
          ["url": "https://help.example/a", "label": "Help"], ["url": "https://help.example/b"],
        ])
    }
  }

  @Test(
    "How long a new password must be kept is said in the largest unit that fits",
    arguments: [
      (30, "You can change the new password again after 30 minutes."),
      (60, "You can change the new password again after 1 hour."),
      (90, "You can change the new password again after 90 minutes."),
      (2880, "You can change the new password again after 2 days."), (0, nil), (-5, nil),
      (Int.max, "You can change the new password again after \(Int.max) minutes."),
    ] as [(Int, String?)])
  func passwordAge(minutes: Int, text: String?) throws {
    let age: JSONValue = ["minAgeMinutes": .number(.init(minutes)), "historyCount": 0]
    try expectEqual(notes(age: age), [text].compactMap(\.self))
  }

  /// What is said of a password whose rules have this age.
  private func notes(_ name: String = "reset-authenticator", age: JSONValue) throws -> [String] {
    let password: JSONValue = [
      "key": "okta_password", "type": "password", "settings": ["age": age, "complexity": [:]],
    ]
    let form = Wire.form(
      name, [["name": "passcode", "secret": true]], [("relatesTo", ["$.currentAuthenticator"])])
    return try screen(form, [Wire.current(password)]).notes
  }

  @Test("The errors of a field are sentences of their own, each once, with their links")
  func fieldErrors() throws {
    let messages: JSONValue = [
      "type": "array",
      "value": [
        Self.message("Too short", [("i18n", ["key": "k1"])]), Self.message("Too short"),
        Self.message("A part of the question", [("links", [["url": "https://help.example/"]])]),
      ],
    ]
    let field: JSONValue = ["name": "answer", "label": "Answer", "messages": messages]
    let screen = try screen(Wire.form("challenge-authenticator", [field]))
    expectEqual(
      screen.inputs.first?.problem,
      "Too short. A part of the question. https://help.example/")
  }

  @Test("What to do with the device follows the message, or is the end of the sign-in")
  func deviceRemediation() throws {
    let message = Self.message(
      "Install the app.",
      [
        (
          "deviceRemediation",
          ["value": ["fallback": ["message": ["message": "Go to the settings."]]]]
        )
      ])
    let screen = try ended(("messages", ["type": "array", "value": [message]]))
    expectEqual(screen.messages.map(\.text), ["Install the app.\nGo to the settings."])

    let enrollment = try ended(
      (
        "deviceEnrollment",
        [
          "type": "object",
          "value": [
            "name": "ws1", "vendor": "Example MDM", "enrollmentLink": "https://mdm.example/enroll",
            "signInUrl": "javascript:alert(1)",
          ],
        ]
      ))
    expectEqual(
      enrollment.notes,
      [
        "This device must first be managed by Example MDM.",
        "Enroll it at https://mdm.example/enroll",
      ])
  }

  @Test("Okta Verify is set up on this device with an address, and with another device by its name")
  func oktaVerify() throws {
    func screen(_ channel: String, _ data: JSONValue) throws -> Screen {
      let app: JSONValue = [
        "key": "okta_verify", "type": "app", "displayName": "Okta Verify",
        "contextualData": (["selectedChannel": .string(channel)] as JSONValue)
          .adding(channel, data),
      ]
      let form = Wire.form(
        "enroll-poll", [], [("relatesTo", ["$.currentAuthenticator"]), ("refresh", 2000)])
      return try self.screen(form, [Wire.current(app)])
    }
    let here = try screen(
      "samedevice",
      [
        "orgUrl": "acme.okta.com", "downloadHref": "https://apps.example/ov",
        "setupOVUrl": "okta-verify.html",
      ])
    expect(here.notes.contains { $0.contains("acme.okta.com") })
    expect(here.notes.contains { $0.contains("https://apps.example/ov") })
    expect(!here.notes.contains { $0.contains("okta-verify.html") })
    for devices: JSONValue in [["Ada's iPhone", "Ada's Pixel"], "Ada's iPhone"] {
      let other = try screen("devicebootstrap", ["enrolledDevices": devices])
      expectEqual(other.notes.count, 1)
      expectEqual(other.lists.first?.items.first, "Ada's iPhone")
      expectEqual(other.lists.first?.items.count, devices.array?.count ?? 1)
    }
    // Data of another channel does not count.
    let code = try screen("qrcode", ["orgUrl": "acme.okta.com"])
    expectEqual(code.notes, [])
  }

  @Test("An authenticator says until when it must be set up, or how often it can be left out")
  func gracePeriod() throws {
    func authenticator(_ id: String, _ grace: JSONValue) -> JSONValue {
      [
        "id": .string(id), "key": "phone_number", "displayName": .string(id),
        "gracePeriod": grace,
      ]
    }
    let options = (0..<4).map { index -> JSONValue in
      [
        "label": .string("\(index)"), "value": ["id": .string("\(index)")],
        "relatesTo": .string("$.authenticators.value[\(index)]"),
      ]
    }
    let form = Wire.form(
      "select-authenticator-enroll",
      [["name": "authenticator", "type": "object", "options": .array(options)]])
    let screen = try screen(
      form,
      [
        (
          "authenticators",
          [
            "type": "array",
            "value": [
              authenticator("0", ["expiry": "2024-12-17T05:00:00.000Z"]),
              authenticator("1", ["remainingSkips": 1]),
              authenticator(
                "2", ["remainingSkips": 9, "expiry": "2024-12-17T05:00:00.000Z"]),
              authenticator("3", ["remainingSkips": 0]),
            ],
          ]
        )
      ])
    expectEqual(
      screen.inputs.first?.choices.map(\.label),
      [
        "0, set up by 2024-12-17", "1, can be left out once more",
        "2, set up by 2024-12-17, can be left out 9 more times", "3",
      ])
  }

  @Test(
    "The instruction of an authenticator and the explanations of fields and scopes are shown, each once"
  )
  func explanations() throws {
    let key: JSONValue = [
      "key": "webauthn", "displayName": "YubiKey", "description": "Insert your YubiKey.",
    ]
    let field: JSONValue = ["name": "secondEmail", "label": "Second email", "desc": "To recover."]
    let form = Wire.form(
      "enroll-profile", [field],
      [("scopes", [["name": "email", "label": "Your email", "desc": "The address."], "odd"])])
    let screen = try self.screen(form, [Wire.current(key)])
    expectEqual(screen.notes, ["Insert your YubiKey."])
    expectEqual(screen.inputs.first?.hint, "To recover.")
    expectEqual(screen.lists.first?.items, ["Your email. The address."])

    let scope: JSONValue = [
      "name": "mail", "label": "Read your email",
      "desc": "This allows the app to read your email, send email as you and delete it.",
    ]
    let other: JSONValue = ["name": "x", "label": "View your profile", "desc": "Your name."]
    let consent = Wire.form(
      "consent", [["name": "consent", "type": "boolean"]], [("scopes", .array([scope, other]))])
    expectEqual(
      try self.screen(consent, []).lists.first?.items,
      [
        "This allows the app to read your email, send email as you and delete it.",
        "View your profile. Your name.",
      ])
  }

  @Test("A code that is asked for again without a word was not accepted, and the screen says so")
  func wordlessRefusal() throws {
    let form = Wire.form("challenge-authenticator", [["name": "passcode"]])
    let again = Screen(
      try Wire.step(Wire.document([form]), attempt: 2, previous: ["passcode": "1"]))
    expectEqual(again.messages.map(\.text), ["The org did not accept that, and gives no reason."])
    expectEmpty(Screen(try Wire.step(Wire.document([form]))).messages)
    let said = Screen(
      try Wire.step(
        Wire.document([form], [("messages", Wire.messages("k"))]), attempt: 2,
        previous: ["passcode": "1"]))
    expectEqual(said.messages.map(\.text), ["Words."])
  }

  @Test("A history of no passwords is no rule, and a first password has none")
  func passwordHistory() throws {
    for (name, count, expected) in [
      ("reset-authenticator", 0, 0), ("reset-authenticator", 1, 1), ("reset-authenticator", 4, 1),
      ("enroll-authenticator", 4, 0),
    ] {
      let age: JSONValue = ["historyCount": .number(.init(count))]
      try expectEqual(notes(name, age: age).count, expected)
    }
  }
}
