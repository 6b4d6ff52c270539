import Expectations
import Foundation
import IDX
import IDXBase
import Testing

/// Drafts of responses.
struct ResponseDraftTests {
  private func draft() -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.messages = [
      IDXMessage.Draft("Wrong.", key: .passcodeInvalid), IDXMessage.Draft("Hm.", kind: .info),
    ]
    draft.username = "ada"
    draft.currentAuthenticator = IDXAuthenticator.Draft(
      .oktaVerify, type: "app", displayName: "Okta Verify", methods: ["push"],
      contextualData: ["correctAnswer": "42"],
      actions: [Remediation.Draft(.resend, href: "https://a.example/resend")])
    draft.enrollments = [
      IDXAuthenticator.Draft(.email, type: "email", displayName: "Mail"),
      IDXAuthenticator.Draft(.phone, type: "phone", displayName: "Phone"),
    ]
    draft.remediations = [
      Remediation.Draft(
        .challengePoll, href: "https://a.example/poll",
        fields: [Remediation.Field.Draft(fixed: "handle", ["of": ["any", "shape"]])],
        relatesTo: ["$.currentAuthenticator"], refresh: .milliseconds(1500)),
      Remediation.Draft(
        .selectAuthenticatorAuthenticate, href: "https://a.example/choose",
        fields: [
          Remediation.Field.Draft(
            "authenticator",
            options: [
              Remediation.Field.Option.Draft(
                "By phone", form: [Remediation.Field.Draft(fixed: "id", "p1")],
                relatesTo: "$.authenticatorEnrollments.value[1]")
            ]),
          Remediation.Field.Draft(
            "credentials",
            form: [
              Remediation.Field.Draft("passcode", label: "Code", isRequired: true, isSecret: true)
            ]),
        ]),
    ]
    draft.expiresAt = "2027-01-15T08:00:00.000Z"
    draft.original = ["href": "https://a.example/", "name": "x", "token": "shapeless"]
    draft.actions = [Remediation.Draft(.cancel, href: "https://a.example/cancel")]
    return draft
  }

  @Test("A draft is read and answered like any other response, and keeps that of another protocol")
  func reading() throws {
    let response = try draft().response()
    expectEqual(response.messages.map(\.text), ["Wrong.", "Hm."])
    expectEqual(response.messages.map(\.isError), [true, false])
    expect(response.says(.passcodeInvalid))
    expectEqual(response.user?.identifier, "ada")
    expectEqual(response.currentAuthenticator?.numberChallenge, "42")
    expectEqual(response.currentAuthenticator?[.resend]?.href, "https://a.example/resend")
    expectEqual(
      response.remediations.map(\.name), [.challengePoll, .selectAuthenticatorAuthenticate])
    expectEqual(response.remediations[0].refresh, .milliseconds(1500))
    expect(response.action(.cancel) != nil && response.issue == nil)
    let code = try require(response.remediations[1]["credentials.passcode"])
    expect(code.isSecret && code.isRequired && code.label == "Code")
    expectEqual(response.original?["token"], "shapeless")
    expectEqual(response.actions.map(\.name), [.cancel])
    expectEqual(response.expiresAt, Date(timeIntervalSince1970: 1_800_000_000))
    try expectEqual(IDXResponse.Draft().response().original, nil)
    let forms = response.remediations
    try expectEqual(forms[0].body(answering: [:]), ["handle": ["of": ["any", "shape"]]])
    try expectEqual(
      forms[1].body(answering: [
        "authenticator": .authenticator(.phone), "credentials.passcode": "1",
      ]), ["authenticator": ["id": "p1"], "credentials": ["passcode": "1"]])
    #expect(throws: InvalidAnswers.self) { try forms[1].body(answering: [:]) }
  }

  @Test("Authenticators to set up can be chosen, and those with the same key are distinguished")
  func settingUp() throws {
    var draft = IDXResponse.Draft()
    draft.authenticators = ["a", "b"].map { (id: String) in
      IDXAuthenticator.Draft(
        .phone, type: "phone", displayName: "Phone", id: id,
        profile: ["phoneNumber": .string("+1 " + id)], settings: ["complexity": ["minLength": 9]])
    }
    draft.remediations = [
      Remediation.Draft(
        .selectAuthenticatorEnroll, href: "https://a.example/choose",
        fields: [
          Remediation.Field.Draft(
            "authenticator", among: .authenticators, [("One", ["id": "1"]), ("Two", ["id": "2"])]),
          Remediation.Field.Draft("when", label: "When", choices: [("Now", "n"), ("Later", "l")]),
        ])
    ]
    let form = try require(draft.response().remediations.first)
    let options = form["authenticator"]?.options ?? []
    expectEqual(options.map { $0.authenticator?.id }, ["a", "b"])
    expectEqual(options.map { $0.authenticator?.phoneNumber }, ["+1 a", "+1 b"])
    expectEqual(options[0].authenticator?.passwordRules?.minimumLength, 9)
    try expectEqual(
      form.body(answering: ["authenticator": .option(1), "when": "l"]),
      ["authenticator": ["id": "2"], "when": "l"])
  }

  @Test("A draft that is nested too deeply throws an error")
  func depth() {
    var value: JSONValue = 1
    for _ in 0..<JSONValue.maximumDepth { value = [value] }
    var draft = IDXResponse.Draft()
    draft.remediations = [
      Remediation.Draft(
        .identify, href: "https://a.example", fields: [Remediation.Field.Draft(fixed: "x", value)])
    ]
    #expect(throws: IDXResponseError.self) { try draft.response() }
  }

  @Test("Printing a draft does not show its content")
  func redaction() {
    let draft = draft()
    for text in ["\(draft.remediations[0])", String(reflecting: draft)] {
      expect(!text.contains("shape") && !text.contains("42"))
    }
  }
}
