import Expectations
import IDX
import Testing

/// Redaction.
struct RedactionTests {
  @Test(
    "Printing a response in any way does not show its handle, code, secret or image",
    arguments: Fixture.names)
  func responses(_ name: String) throws {
    let response = try Fixture.response(name)
    let secrets =
      [
        response.stateHandle?.revealed, response.interactionCode?.revealed,
        response.currentAuthenticator?.oneTimePassword?.sharedSecret?.revealed,
        response.currentAuthenticator?.raw["contextualData"]?["otp"]?.string,
      ].compactMap(\.self) + ["iVBORw0KGgo", "137, 80, 78, 71"]
    var holders: [Any] = [response, response.raw, [response.issue], response.remediations]
    for form in response.allForms {
      holders += [form, form.form, form.raw]
      for field in form.form.fields { holders += [field, field.raw] + field.options }
    }
    for authenticator in response.authenticators {
      holders += [authenticator, authenticator.raw, [authenticator.oneTimePassword]]
      if let image = authenticator.qrCode {
        holders.append(image)
        expectEmpty(Mirror(reflecting: image).children)
      }
    }
    for holder in holders { check(holder, hides: secrets) }
  }

  @Test("Printing answers in any way does not show them, nor does an error about them")
  func answers() throws {
    let secrets = ["tr0ub4dor", "516283"]
    let answers: Answers = [
      "credentials.passcode": "tr0ub4dor", "code": .value("516283"), "a": .optionNamed("tr0ub4dor"),
    ]
    check(answers, hides: secrets)
    for answer in answers.entries.values { check(answer, hides: secrets) }
    check(answers.entries, hides: secrets)
    expectEqual(answers.description, "answers to a, code, credentials.passcode")
    expectEqual(Answer.option(3).description, "an option by position")
    let form = try Fixture.form("16-registration/01-profile")
    let error = #expect(throws: InvalidAnswers.self) {
      try form.body(answering: [
        "userProfile.firstName": .value(["tr0ub4dor"]), "userProfile.favouriteTea": "tr0ub4dor",
        "userProfile.wholesale": "tr0ub4dor", "stateHandle": "tr0ub4dor",
        "userProfile.lastName": .optionNamed("tr0ub4dor"), "no.such": "tr0ub4dor",
      ])
    }
    let found = try require(error)
    expectEqual(found.problems.count, 9)
    check(found, hides: ["tr0ub4dor", "02.Dm16"])
  }

  @Test("Descriptions show what is not secret")
  func descriptions() throws {
    let response = try Fixture.response("04-google-enroll/02-wrong-code")
    expectEqual(
      response.description,
      "IDX response offering enroll-authenticator, select-authenticator-enroll, cancel; 0 messages")
    let form = try require(response.remediations.first)
    expectEqual(form.description, "enroll-authenticator: form of credentials, stateHandle")
    expectEqual(form["credentials"]?.description, "field credentials, required")
    expectEqual(form["credentials.passcode"]?.description, "field passcode")
    expectEqual(
      form["credentials.passcode"]?.messages.first?.description,
      "ERROR: api.authn.error.PASSCODE_INVALID")
    let choice = try require(response.remediations.last?["authenticator"])
    expectEqual(choice.options.first?.description, "option E-mail")
    let google = try require(response.currentAuthenticator)
    expectEqual(google.description, "Google Authenticator")
    expectEqual(google.oneTimePassword?.description, "shared secret: yes, image: yes")
    expectSuffix(response.raw.description, " bytes of JSON")
    try expectContains(Fixture.response("21-ends/05-nothing-at-all").description, "nothing")
  }

  private func check(
    _ holder: Any, hides secrets: [String], filePath: StaticString = #filePath, line: Int = #line
  ) {
    var dumped = ""
    dump(holder, to: &dumped)
    for text in [String(describing: holder), String(reflecting: holder), dumped] {
      for secret in secrets {
        expect(
          !text.contains(secret), "\(type(of: holder)) shows \(secret).", filePath: filePath,
          line: line)
      }
    }
  }
}
