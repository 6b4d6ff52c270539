import IDX
import Testing

@Suite("Everything that is wrong is said at once, by path")
struct InvalidAnswersTests {
  @Test("Problems come in the order of the form, what it does not know last and sorted")
  func order() throws {
    let form = try Fixture.form("16-registration/01-profile")
    let faults = form.faults(answering: [
      "zebra": "1", "userProfile.nickname": "1", "stateHandle": "02.other",
      "userProfile.wholesale": "perhaps", "userProfile.favouriteTea": "purple",
      "userProfile.firstName": .value(.string(String(repeating: "a", count: 51))),
    ])
    #expect(
      faults == [
        Fault("userProfile.firstName", .tooLong(maximum: 50)),
        Fault("userProfile.lastName", .missing), Fault("userProfile.email", .missing),
        Fault("userProfile.country", .missing),
        Fault("userProfile.favouriteTea", .notAnOption(allowed: ["Black", "Green", "White"])),
        Fault("userProfile.wholesale", .wrongType(.boolean)),
        Fault("credentials.passcode", .missing), Fault("stateHandle", .notChangeable),
        Fault("userProfile.nickname", .unknown), Fault("zebra", .unknown),
      ])
  }

  @Test("A hidden field that is required and has no value is missing too")
  func hiddenFields() throws {
    let form = try Fixture.form("12-passkey/02-challenge")
    #expect(
      form.faults() == [
        Fault("credentials.authenticatorData", .missing), Fault("credentials.clientData", .missing),
        Fault("credentials.signatureData", .missing),
      ])
  }

  @Test("A text is too short or too long by characters, not by bytes")
  func lengths() throws {
    let form = try IDXResponse.offering(fields: #"{"name":"a","minLength":2,"maxLength":3}"#)
    for text in ["ab", "abc", "éé", "👩‍👩‍👧‍👦é"] {
      #expect(form.faults(answering: ["a": .value(.string(text))]) == [])
    }
    #expect(form.faults(answering: ["a": "é"]) == [Fault("a", .tooShort(minimum: 2))])
    #expect(form.faults(answering: ["a": "abcd"]) == [Fault("a", .tooLong(maximum: 3))])
    #expect(form.faults() == [])
  }

  @Test("An option cannot answer a field that offers none")
  func optionForText() throws {
    let form = try IDXResponse.offering(fields: #"{"name":"a"}"#)
    #expect(form.faults(answering: ["a": .option(0)]) == [Fault("a", .notAnOption(allowed: []))])
    #expect(
      form.faults(answering: ["a": .optionNamed("b")]) == [Fault("a", .notAnOption(allowed: []))])
  }

  @Test("An answer to a whole nested form is not passed over")
  func answerToNestedForm() throws {
    let form = try Fixture.form("02-identity-first/02-password")
    #expect(
      form.faults(answering: ["credentials": "secret", "credentials.passcode": "secret"])
        == [Fault("credentials", .wrongType(.object))])
    #expect(form.faults(answering: ["credentials": "", "credentials.passcode": "secret"]) == [])
  }

  @Test(
    "A path that leads below a plain field is unknown", arguments: ["identifier.x", "identifier."])
  func belowPlainFields(_ path: String) throws {
    let form = try Fixture.form("14-recovery/01-identify")
    var answers: Answers = ["identifier": "amal"]
    answers[path] = "x"
    #expect(form.faults(answering: answers) == [Fault(path, .unknown)])
  }

  @Test("The error names the form, and the field as a person knows it")
  func sentences() throws {
    let form = try Fixture.form("10-push/01-choose-method")
    let error = #expect(throws: InvalidAnswers.self) {
      try form.body(answering: ["authenticator.autoChallenge": "perhaps", "pin": "1"])
    }
    #expect(error?.remediation == .authenticatorVerificationData)
    #expect(
      error?.description
        == "authenticator.methodType is required. Send it by itself next time "
        + "(authenticator.autoChallenge) must be a boolean. The form has no field pin.")
  }

  @Test(
    "Each reason is a sentence",
    arguments: [
      (.missing, "A (a.b) is required."),
      (.notAnOption(allowed: ["x", "y"]), "A (a.b) must be one of: x, y."),
      (.notAnOption(allowed: []), "A (a.b) has no such option."),
      (.notChangeable, "A (a.b) is fixed by the server and cannot be changed."),
      (.unknown, "The form has no field a.b."), (.wrongType(.string), "A (a.b) must be a string."),
      (.wrongType(.object), "A (a.b) must be an object."),
      (.tooShort(minimum: 4), "A (a.b) must have at least 4 characters."),
      (.tooLong(maximum: 9), "A (a.b) must have at most 9 characters."),
    ] as [(InvalidAnswers.Problem.Reason, String)])
  func reasons(_ reason: InvalidAnswers.Problem.Reason, _ sentence: String) {
    let problem = InvalidAnswers.Problem(path: "a.b", label: "A", reason: reason)
    #expect(problem.description == sentence)
    let unlabelled = InvalidAnswers.Problem(path: "a.b", label: nil, reason: reason)
    #expect(unlabelled.description == sentence.replacing("A (a.b)", with: "a.b"))
  }

  @Test("One answer can be checked alone, before the others are known")
  func oneAnswer() throws {
    let form = try Fixture.form("10-push/01-choose-method")
    let path = "authenticator.methodType"
    let field = try #require(form[path])
    #expect(field.problem(with: "push", at: path) == nil)
    #expect(
      field.problem(with: "fax", at: path)?.reason
        == .notAnOption(allowed: ["Send a notification", "Type a code"]))
    #expect(field.problem(with: "", at: path)?.reason == .missing)
    #expect(field.option(for: .optionNamed("Type a code"))?.value == "totp")
    #expect(field.option(for: .option(0))?.value == "push")
    #expect(field.option(for: "fax") == nil)
  }

  @Test("Answers are set and taken back by path")
  func answers() {
    var answers: Answers = ["a": "1", "b": true, "a": "2"]
    #expect(answers["a"] == "2")
    answers["c"] = .option(1)
    answers["b"] = nil
    #expect(answers.entries == ["a": "2", "c": .option(1)])
    #expect(answers == Answers(["c": .option(1), "a": "\(2)"]))
  }
}
