import Expectations
import IDX
import IDXBase
import Testing

/// Answers that choose options.
struct OptionAnswerTests {
  @Test(
    "An option is chosen by position, key, type or label",
    arguments: [
      .option(2), .optionNamed("google_otp"), .optionNamed("app"),
      .optionNamed("Google Authenticator"), "google_otp", "Google Authenticator",
    ] as [Answer])
  func choosing(_ answer: Answer) throws {
    let form = try Fixture.form("22-choose-challenge/01-everything")
    let body = try form.body(answering: ["authenticator": answer])
    expectEqual(body["authenticator"]?.text, #"{"id":"autGOOGLE00000inv01","methodType":"otp"}"#)
  }

  @Test(
    "An answer that matches no option is reported with the allowed ones",
    arguments: [.option(6), .option(-1), .optionNamed("duo"), "duo", true, .value([1])] as [Answer])
  func noOption(_ answer: Answer) throws {
    let form = try Fixture.form("22-choose-challenge/01-everything")
    let labels = [
      "Password", "E-mail", "Google Authenticator", "Security question", "Okta Verify", "Blue key",
    ]
    expectEqual(
      form.faults(answering: ["authenticator": answer]),
      [
        Fault("authenticator", .notAnOption(allowed: labels))
      ])
  }

  @Test("Below a name that two fields share, each field takes the answers that fit it")
  func sharedName() throws {
    let form = try Remediation.with(
      fields: #"""
        {"name":"a","form":{"value":[{"name":"x"}]}},
        {"name":"a","options":[{"label":"L","value":{"form":{"value":[{"name":"y"}]}}}]}
        """#)
    try expectEqual(form.text(answering: ["a.x": "1", "a.y": "2"]), #"{"a":{"x":"1","y":"2"}}"#)
  }

  @Test(
    "The form of the chosen option is filled, its choices are checked, and other answers are unknown"
  )
  func nestedChoice() throws {
    let form = try Fixture.form("22-choose-challenge/01-everything")
    expectEqual(
      form.faults(answering: ["authenticator": "okta_verify"]),
      [Fault("authenticator.methodType", .missing)])
    expectEqual(
      form.faults(answering: ["authenticator": "okta_verify", "authenticator.methodType": "fax"]),
      [
        Fault(
          "authenticator.methodType",
          .notAnOption(allowed: ["Send a notification", "Type a code"]))
      ])
    let body = try form.body(answering: [
      "authenticator": "okta_verify", "authenticator.methodType": "push",
    ])
    expectEqual(body["authenticator"]?.text, #"{"id":"autVERIFY00000inv01","methodType":"push"}"#)
    expectEqual(
      form.faults(answering: ["authenticator": "google_otp", "authenticator.phoneNumber": "1"]),
      [Fault("authenticator.phoneNumber", .unknown)])
    let phone = try Fixture.form("07-phone-enroll/01-one-form")
    let one = try phone.body(answering: [
      "authenticator": "phone_number", "authenticator.methodType": "sms",
      "authenticator.phoneNumber": "+94770000071",
    ])
    expectEqual(
      one["authenticator"]?.text,
      #"{"id":"autPHONE00000inv01","methodType":"sms","phoneNumber":"+94770000071"}"#)
  }

  @Test("Options with the same key are distinguished by the answers below them")
  func sameKey() throws {
    let form = try Fixture.form("08-phone-challenge/03-two-phones")
    func enrollment(_ answers: Answers) throws -> String? {
      try form.body(answering: answers)["authenticator"]?["enrollmentId"]?.string
    }
    try expectEqual(enrollment(["authenticator": "phone_number"]), "paePHONE00000inv01")
    try expectEqual(
      enrollment([
        "authenticator": "phone_number", "authenticator.enrollmentId": "paePHONE00000inv02",
      ]), "paePHONE00000inv02")
    try expectEqual(
      enrollment(["authenticator": "phone_number", "authenticator.methodType": "voice"]),
      "paePHONE00000inv01")
    try expectEqual(
      enrollment(["authenticator": .option(2), "authenticator.methodType": "sms"]),
      "paePHONE00000inv02")
    expectEqual(
      form.faults(answering: ["authenticator": .option(2), "authenticator.methodType": "voice"]),
      [Fault("authenticator.methodType", .notAnOption(allowed: ["Text message"]))])
    let response = try Fixture.response("10-push/02-pick-the-number")
    let push = try require(response[.selectAuthenticatorAuthenticate])
    for method in ["signed_nonce", "push", "totp"] {
      let body = try push.body(answering: [
        "authenticator": "okta_verify", "authenticator.methodType": "\(method)",
      ])
      expectEqual(body["authenticator"]?["methodType"]?.string, method)
    }
    try expectEqual(
      push.body(answering: ["authenticator": .optionNamed("Type a code")])["authenticator"]?[
        "methodType"], "totp")
  }

  @Test(
    "Answers below a choice choose the option that takes them, and otherwise the choice is missing")
  func choosingByAnswersBelow() throws {
    let form = try Fixture.form("09-security-question/01-enroll")
    let preset = try form.body(answering: [
      "credentials.questionKey": "best_harvest", "credentials.answer": "nineteen",
    ])
    expectEqual(preset["credentials"]?.text, #"{"questionKey":"best_harvest","answer":"nineteen"}"#)
    let custom = try form.body(answering: [
      "credentials.question": "Whose boat?", "credentials.answer": "Nilufar’s",
    ])
    expectEqual(
      custom["credentials"]?.text,
      #"{"questionKey":"custom","question":"Whose boat?","answer":"Nilufar’s"}"#)
    let named = try form.body(answering: [
      "credentials.questionKey": "custom", "credentials.question": "Whose boat?",
      "credentials.answer": "Nilufar’s",
    ])
    expectEqual(named, custom)
    let others = try form.body(answering: [
      "credentials.questionKey": "", "credentials.question": "Whose boat?",
      "credentials.answer": "Nilufar’s",
    ])
    expectEqual(others, custom)
    expectEqual(
      form.faults(answering: ["credentials.colour": "teal"]),
      [Fault("credentials", .missing), Fault("credentials.colour", .unknown)])
  }

  @Test(
    "A required choice without an answer is missing, unless it has a default or a single option; an optional one is left out"
  )
  func requiredChoices() throws {
    let required = try Fixture.form("03-choose-enrollment/01-required")
    expectEqual(required.faults(), [Fault("authenticator", .missing)])
    let optional = try Fixture.form("03-choose-enrollment/02-optional")
    try expectEqual(optional.body(answering: [:]).object?.members.map(\.name), ["stateHandle"])
    let enrollment = try Fixture.form("03-choose-enrollment/01-required")
    func channel(_ answers: Answers) throws -> JSONValue? {
      try enrollment.body(answering: answers)["authenticator"]?["channel"]
    }
    try expectEqual(channel(["authenticator": "okta_verify"]), "qrcode")
    try expectEqual(
      channel(["authenticator": "okta_verify", "authenticator.channel": "sms"]), "sms")
    func form(required: Bool) throws -> Remediation {
      try .with(
        fields: """
          {"name":"methodType","required":\(required),"options":[{"label":"Email","value":"email"}]}
          """)
    }
    let single = try form(required: true)
    expectEmpty(single.form.inputs())
    try expectEqual(single.body(answering: [:])["methodType"], "email")
    try expectEqual(single.body(answering: ["methodType": "email"])["methodType"], "email")
    let any = try form(required: false)
    expectEqual(any.form.inputs().map(\.path), ["methodType"])
    try expectEqual(any.body(answering: [:])["methodType"], nil)
  }

  @Test(
    "An option with a number or a text is chosen by either type, and objects and arrays by value")
  func numbersAndTexts() throws {
    let form = try Remediation.with(
      fields: #"{"name":"a","options":[{"value":7},{"value":"08"},{"value":"true"}]}"#)
    try expectEqual(form.text(answering: ["a": "7"]), #"{"a":7}"#)
    try expectEqual(form.text(answering: ["a": .value(7)]), #"{"a":7}"#)
    try expectEqual(form.text(answering: ["a": "08"]), #"{"a":"08"}"#)
    try expectEqual(form.text(answering: ["a": true]), #"{"a":"true"}"#)
    expectEqual(
      form.faults(answering: ["a": "8"]),
      [
        Fault("a", .notAnOption(allowed: ["7", "08", "true"]))
      ])
    let values = try Remediation.with(
      fields: #"{"name":"a","options":[{"label":"A","value":{"x":1}},{"label":"B","value":[2]}]}"#)
    try expectEqual(values.text(answering: ["a": .value([2])]), #"{"a":[2]}"#)
    try expectEqual(values.text(answering: ["a": .optionNamed("A")]), #"{"a":{"x":1}}"#)
    expectEqual(
      values.faults(answering: ["a": .value([3])]), [Fault("a", .notAnOption(allowed: ["A", "B"]))])
  }

  @Test("Wrapped choices are checked, and a wrapper without choices is a text field")
  func wrappedChoices() throws {
    let form = try Fixture.form("16-registration/01-profile")
    var answers: Answers = [
      "userProfile.firstName": "Amal", "userProfile.lastName": "Perera",
      "userProfile.email": "amal@shop.example", "userProfile.country": "LK",
      "userProfile.favouriteTea": "green", "userProfile.wholesale": "true",
      "credentials.passcode": "long-enough",
    ]
    let profile = try form.body(answering: answers)["userProfile"]
    expectEqual(profile?["country"], "LK")
    expectEqual(profile?["favouriteTea"], "green")
    expectEqual(profile?["wholesale"], true)
    answers["userProfile.favouriteTea"] = .optionNamed("White")
    try expectEqual(form.body(answering: answers)["userProfile"]?["favouriteTea"], "white")
    answers["userProfile.favouriteTea"] = "purple"
    expectEqual(
      form.faults(answering: answers),
      [Fault("userProfile.favouriteTea", .notAnOption(allowed: ["Black", "Green", "White"]))])
  }

  @Test(
    "An option can have its form directly, and one without form and value is not a choice and sends nothing"
  )
  func oddOptions() throws {
    let response = try Fixture.response("23-odd-shapes/02-references")
    let form = try require(response[.selectAuthenticatorAuthenticate])
    try expectEqual(
      form.body(answering: ["authenticator": "okta_password"])["authenticator"],
      ["id": "autPASSWORD00000inv01"])
    let bare = try Remediation.with(fields: #"{"name":"a","options":[{"label":"A"}]}"#)
    try expectEqual(bare.text(answering: ["a": "A"]), "{}")
    let methods = try Remediation.with(
      fields: #"""
        {"name": "method", "required": true,
         "options": [{"type": "voice"}, {"label": "SMS", "value": "sms"}, {"label": "Call"}]}
        """#)
    expectEqual(methods["method"]?.choices.map(\.label), ["SMS"])
    try expectEqual(methods.text(answering: ["method": .option(0)]), #"{"method":"sms"}"#)
    expectEqual(
      methods.faults(answering: ["method": .optionNamed("Call")]),
      [Fault("method", .notAnOption(allowed: ["SMS"]))])
  }
}
