import Expectations
import IDX
import Testing

/// Invalid answers.
struct InvalidAnswersTests {
  @Test(
    "Problems have the order of the form, also those of hidden fields; unknown paths follow, sorted"
  )
  func order() throws {
    let form = try Fixture.form("16-registration/01-profile")
    let faults = form.faults(answering: [
      "zebra": "1", "userProfile.nickname": "1", "stateHandle": "02.other",
      "userProfile.wholesale": "perhaps", "userProfile.favouriteTea": "purple",
      "userProfile.firstName": .value(.string(String(repeating: "a", count: 51))),
    ])
    expectEqual(
      faults,
      [
        Fault("userProfile.firstName", .tooLong(maximum: 50)),
        Fault("userProfile.lastName", .missing), Fault("userProfile.email", .missing),
        Fault("userProfile.country", .missing),
        Fault("userProfile.favouriteTea", .notAnOption(allowed: ["Black", "Green", "White"])),
        Fault("userProfile.wholesale", .wrongType(.boolean)),
        Fault("credentials.passcode", .missing), Fault("stateHandle", .notChangeable),
        Fault("userProfile.nickname", .unknown), Fault("zebra", .unknown),
      ])
    let passkey = try Fixture.form("12-passkey/02-challenge")
    expectEqual(
      passkey.faults(),
      [
        Fault("credentials.authenticatorData", .missing), Fault("credentials.clientData", .missing),
        Fault("credentials.signatureData", .missing),
      ])
  }

  @Test("Lengths count characters, not bytes")
  func lengths() throws {
    let form = try Remediation.with(fields: #"{"name":"a","minLength":2,"maxLength":3}"#)
    for text in ["ab", "abc", "éé", "👩‍👩‍👧‍👦é"] {
      expectEqual(form.faults(answering: ["a": .value(.string(text))]), [])
    }
    // A server that counts UTF-16 takes this character for two.
    expectEqual(form.faults(answering: ["a": "👩"]), [])
    expectEqual(form.faults(answering: ["a": "é"]), [Fault("a", .tooShort(minimum: 2))])
    expectEqual(form.faults(answering: ["a": "abcd"]), [Fault("a", .tooLong(maximum: 3))])
    expectEqual(form.faults(), [])
  }

  @Test(
    "An option for a text, and an answer to a whole nested form or below a plain field, are reported"
  )
  func optionForText() throws {
    let form = try Remediation.with(fields: #"{"name":"a"}"#)
    expectEqual(form.faults(answering: ["a": .option(0)]), [Fault("a", .notAnOption(allowed: []))])
    expectEqual(
      form.faults(answering: ["a": .optionNamed("b")]), [Fault("a", .notAnOption(allowed: []))])
    let nested = try Fixture.form("02-identity-first/02-password")
    expectEqual(
      nested.faults(answering: ["credentials": "secret", "credentials.passcode": "secret"]),
      [Fault("credentials", .wrongType(.object))])
    expectEqual(
      nested.faults(answering: ["credentials": "", "credentials.passcode": "secret"]), [])
    let plain = try Fixture.form("14-recovery/01-identify")
    for path in ["identifier.x", "identifier."] {
      var answers: Answers = ["identifier": "amal"]
      answers[path] = "x"
      expectEqual(plain.faults(answering: answers), [Fault(path, .unknown)])
    }
  }

  @Test("The error names the form and the labels of its fields")
  func sentences() throws {
    let form = try Fixture.form("10-push/01-choose-method")
    let error = #expect(throws: InvalidAnswers.self) {
      try form.body(answering: ["authenticator.autoChallenge": "perhaps", "pin": "1"])
    }
    expectEqual(error?.remediation, .authenticatorVerificationData)
    expectEqual(
      error?.description,
      "authenticator.methodType is required. Send it by itself next time "
        + "(authenticator.autoChallenge) must be a boolean. The form has no field pin.")
  }

  @Test(
    "Each reason has a sentence",
    arguments: [
      (.missing, "A (a.b) is required."),
      (.notAnOption(allowed: ["x", "y"]), "A (a.b) must be one of: x, y."),
      (.notAnOption(allowed: []), "A (a.b) does not have this option."),
      (.notChangeable, "A (a.b) is fixed by the server and cannot be changed."),
      (.unknown, "The form has no field a.b."), (.wrongType(.string), "A (a.b) must be a string."),
      (.wrongType(.object), "A (a.b) must be an object."),
      (.tooShort(minimum: 4), "A (a.b) must have at least 4 characters."),
      (.tooLong(maximum: 9), "A (a.b) must have at most 9 characters."),
      (.notAlphanumeric, "A (a.b) must contain only letters and digits."),
      (
        .breaksRules([.length(8), .username]),
        "A (a.b) does not follow these rules: at least 8 characters, no part of the username."
      ),
      (.differs, "The two entries for A (a.b) are different."),
    ] as [(InvalidAnswers.Problem.Reason, String)])
  func reasons(_ reason: InvalidAnswers.Problem.Reason, _ sentence: String) {
    let problem = InvalidAnswers.Problem(path: "a.b", label: "A", reason: reason)
    expectEqual(problem.description, sentence)
    let unlabeled = InvalidAnswers.Problem(path: "a.b", label: nil, reason: reason)
    expectEqual(unlabeled.description, sentence.replacing("A (a.b)", with: "a.b"))
  }

  @Test("One answer can be checked on its own")
  func oneAnswer() throws {
    let form = try Fixture.form("10-push/01-choose-method")
    let path = "authenticator.methodType"
    let field = try require(form[path])
    expectEqual(field.problem(with: "push", at: path), nil)
    expectEqual(
      field.problem(with: "fax", at: path)?.reason,
      .notAnOption(allowed: ["Send a notification", "Type a code"]))
    expectEqual(field.problem(with: "", at: path)?.reason, .missing)
    expectEqual(field.option(for: .optionNamed("Type a code"))?.value, "totp")
    expectEqual(field.option(for: .option(0))?.value, "push")
    expectEqual(field.option(for: "fax"), nil)
  }

  @Test("Answers are made from strings and authenticator keys, and are set and removed by path")
  func answers() {
    var answers: Answers = ["a": "1", "b": true, "a": "2"]
    expectEqual(answers["a"], "2")
    answers["c"] = .option(1)
    answers["b"] = nil
    expectEqual(answers.entries, ["a": "2", "c": .option(1)])
    expectEqual(answers, Answers(["c": .option(1), "a": "\(2)"]))
    let text = "typed"
    expectEqual(Answer.text(text), "typed")
    expectEqual(Answer.authenticator(.email), .optionNamed("okta_email"))
  }

  @Test(
    "The alphanumeric format accepts only ASCII letters and digits, and others are not checked",
    arguments: [
      ("Az09", true), ("a b", false), ("a-b", false), ("é", false), ("٣", false), ("a\n", false),
      ("@", false), ("[", false), ("`", false), ("{", false), ("/", false), (":", false),
      ("any thing!", false), ("é !", false),
    ])
  func formats(text: String, isAlphanumeric: Bool) throws {
    for (member, format) in [
      (#","format":"alphanumeric""#, .alphanumeric), (#","format":"morse""#, "morse"), ("", nil),
      (#","format":7"#, nil),
    ] as [(String, Remediation.Field.Format?)] {
      let form = try Remediation.with(fields: #"{"name":"code"\#(member)}"#)
      expectEqual(form["code"]?.format, format)
      let isValid = isAlphanumeric || format != .alphanumeric
      expectEqual(
        form.faults(answering: ["code": .text(text)]),
        isValid ? [] : [Fault("code", .notAlphanumeric)], "\(member)")
    }
  }

  @Test(
    "A code may have letters, as many as the form says, and all problems of a text are reported")
  func codeWithLetters() throws {
    let form = try Fixture.form("41-code-with-letters/01-email")
    for (code, faults) in [
      ("7kQx20Lm9A", []), ("204871", [.tooShort(minimum: 10)]),
      ("7kQx20Lm9AB", [.tooLong(maximum: 10)]), ("7kQx-0Lm9A", [.notAlphanumeric]),
      ("a!", [.tooShort(minimum: 10), .notAlphanumeric]),
    ] as [(Answer, [InvalidAnswers.Problem.Reason])] {
      expectEqual(
        form.faults(answering: ["credentials.passcode": code]),
        faults.map { Fault("credentials.passcode", $0) })
    }
  }
}
