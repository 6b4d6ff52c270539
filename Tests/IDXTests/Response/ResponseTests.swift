import Expectations
import Foundation
import IDX
import Testing

/// Responses.
struct ResponseTests {
  @Test("Members at the top level are read")
  func topLevel() throws {
    let response = try Fixture.response("02-identity-first/02-password")
    expectEqual(response.version, "1.0.0")
    expectEqual(response.intent, "LOGIN")
    expectEqual(response.stateHandle?.revealed.hasPrefix("02.Dm02"), true)
    expectEqual(response.user?.identifier, "amal.perera@shop.example")
    expectEqual(response.user?.id, "00uAMALPERERA0inv001")
    expectEqual(response.user?.raw["profile"]?["timeZone"], "Asia/Colombo")
    expectEqual(response.application?.label, "Corner Shop")
    expectEqual(response.application?.name, "oidc_client")
    expectEqual(response.application?.id, "0oaCORNERSHOP0inv001")
    expectEqual(response.actions.map(\.name), [.cancel])
    expect(!response.isTerminal)
    expectEqual(response.issue, nil)
    expectEqual(response.interactionCode, nil)
  }

  @Test("The properties of a remediation and of its fields are read")
  func remediation() throws {
    let form = try Fixture.form("06-email/01-challenge")
    expectEqual(form.href, "https://demo.okta.example/idp/idx/challenge/answer")
    expectEqual(form.method, "POST")
    expectEqual(form.accepts, "application/json; okta-version=1.0.0")
    expectEqual(form.produces, "application/ion+json; okta-version=1.0.0")
    expectEqual(form.refresh, nil)
    expect(!form.isPolled)
    expectEqual(form.identityProvider, nil)
    expectEqual(form.raw["rel"], ["create-form"])
    let profile = try Fixture.form("16-registration/01-profile")
    let name = try require(profile["userProfile.firstName"])
    expectEqual(name.label, "First name")
    expect(name.isRequired && name.isVisible && name.isMutable && !name.isSecret && !name.isFixed)
    expectEqual(name.minimumLength, 1)
    expectEqual(name.maximumLength, 50)
    expect(name.type == nil && name.value == nil && name.form == nil && name.hint == nil)
    expectEqual(profile["userProfile.wholesale"]?.type, .boolean)
    expectEqual(profile["userProfile"]?.type, .object)
    expectEqual(profile["credentials.passcode"]?.isSecret, true)
    expectEqual(profile["credentials"]?.authenticator?.key, .password)
  }

  @Test(
    "The poll interval is read in milliseconds, in remediations and authenticators, and can be missing"
  )
  func polling() throws {
    let push = try Fixture.form("10-push/02-pick-the-number")
    expectEqual(push.refresh, .milliseconds(4000))
    expect(push.isPolled)
    let mail = try Fixture.response("06-email/01-challenge").currentAuthenticator
    expectEqual(mail?[.poll]?.refresh, .seconds(4))
    expectEqual(mail?[.poll]?.isPolled, true)
    expectEqual(mail?[.resend]?.isPolled, false)
    expectEqual(mail?.actions.map(\.name), [.resend, .poll])
    let text = #"{"remediation":{"value":[{"name":"enroll-poll","refresh":"4000"}]}}"#
    let poll = try require(IDXResponse(text: text)[.enrollPoll])
    expect(poll.isPolled)
    expectEqual(poll.refresh, nil)
  }

  @Test("Redirects with the same name have different identity providers")
  func identityProviders() throws {
    let response = try Fixture.response("13-identity-providers/01-identify")
    let redirects = response.remediations.filter { $0.name == "redirect-idp" }
    expectEqual(
      redirects.map(\.identityProvider?.name), ["Google", "Facebook", "Harbour Partners"])
    expectEqual(Set(redirects.map(\.identityProvider?.id)).count, 3)
    expect(redirects.allSatisfy { $0.method == "GET" && $0.form.fields.isEmpty })
    expectEqual(response["redirect-idp"], redirects.first)
    expectEqual(redirects.map(\.identityProvider?.kind), [.google, .facebook, .saml])
  }

  @Test(
    "Success is an action with the interaction code, or a redirect at the end of a hosted sign-in")
  func success() throws {
    let response = try Fixture.response("20-success/01-public-client")
    expectEqual(response.interactionCode, "ic_dEm0nStr4ti0nC0de")
    expectEqual(response.issue?.href, "https://demo.okta.example/oauth2/default/v1/token")
    expectEqual(response.issue?.accepts, "application/x-www-form-urlencoded")
    expectEqual(response.action(.issue), response.issue)
    expect(!response.isTerminal)
    expectEqual(response.issue?["code_verifier"]?.isRequired, true)
    expectEqual(response.issue?["client_secret"], nil)
    let confidential = try Fixture.response("20-success/02-confidential-client")
    expectEqual(confidential.issue?["client_secret"]?.isRequired, true)
    let hosted = try Fixture.response("20-success/03-hosted")
    expectEqual(hosted.action("success-redirect")?.href?.contains("/login/token/redirect"), true)
  }

  @Test(
    "A response without remediations and success is terminal",
    arguments: [
      "15-unlock/02-unlocked", "19-device-activation/02-activated", "20-success/03-hosted",
      "21-ends/01-session-expired", "21-ends/02-go-back-to-the-first-tab", "21-ends/04-denied",
      "21-ends/05-nothing-at-all",
    ])
  func terminal(_ name: String) throws {
    try expect(Fixture.response(name).isTerminal)
  }

  @Test("Messages keep their class, key, text and other members, also those of fields")
  func messages() throws {
    let denied = try require(Fixture.response("21-ends/04-denied").messages.first)
    expect(denied.kind == .error && denied.isError)
    expectEqual(denied.text, "The rules of this org do not let you in here.")
    expectEqual(denied.raw["links"]?[0]?["label"], "What to do")
    let odd = try Fixture.response("23-odd-shapes/03-unknown")
    expectEqual(odd.messages.map(\.text), ["Text alone.", "Mind the gap.", nil])
    expectEqual(odd.messages.map(\.kind), [nil, .warning, nil])
    expectEqual(odd.messages.map(\.key), [nil, "gap.mind", "only.a.key"])
    expectEqual(odd.remediations.first?.messages.map(\.kind), ["NOTICE"])
    expect(odd.says("gate.open"))
    expect(!odd.says(.sessionExpired))
    let response = try Fixture.response("16-registration/02-several-errors")
    expectEmpty(response.messages)
    let form = try require(response.remediations.first)
    expectEqual(form["userProfile.email"]?.messages.count, 2)
    expectEqual(form["userProfile.lastName"]?.messages.isEmpty, true)
    expectEqual(form["userProfile.email"]?.messages.first?.raw["i18n"]?["params"], ["E-mail"])
    expectEqual(form.form.allMessages.count, 4)
  }

  @Test("All forms are found, those of the current step first")
  func allForms() throws {
    let mail = try Fixture.response("14-recovery/03-code")
    expectEqual(mail.allForms.map(\.name), [.challengeAuthenticator, .cancel, .resend, .poll])
    let password = try Fixture.response("01-password/01-identify-with-password")
    expectEqual(password.allForms.map(\.name).suffix(2), [.cancel, .recover])
  }

  @Test(
    "A known name equals its static member, an unknown one is kept, and both are encoded as strings"
  )
  func names() throws {
    let forms: [Remediation.Name] = [
      .identify, .challengeAuthenticator, .challengePoll, .enrollAuthenticator, .enrollPoll,
      .reenrollAuthenticator, .selectAuthenticatorAuthenticate, .selectAuthenticatorEnroll,
      .authenticatorVerificationData, .authenticatorEnrollmentData, .poll, .resend, .skip,
    ]
    expectEqual(
      forms,
      [
        "identify", "challenge-authenticator", "challenge-poll", "enroll-authenticator",
        "enroll-poll", "reenroll-authenticator", "select-authenticator-authenticate",
        "select-authenticator-enroll", "authenticator-verification-data",
        "authenticator-enrollment-data", "poll", "resend", "skip",
      ])
    let keys: [IDXAuthenticator.Key] = [
      .password, .email, .phone, .securityQuestion, .googleAuthenticator, .oktaVerify, .webAuthn,
    ]
    expectEqual(
      keys,
      [
        "okta_password", "okta_email", "phone_number", "security_question", "google_otp",
        "okta_verify", "webauthn",
      ])
    let messages: [IDXMessage.Key] = [
      .authenticationFailed, .incorrectPassword, .passcodeInvalid, .softTokenInvalid,
      .softTokenUsed, .sessionExpired, .tooManyRequestsForOperation,
    ]
    expectEqual(
      messages,
      [
        "errors.E0000004", "incorrectPassword", "api.authn.error.PASSCODE_INVALID",
        "authfactor.challenge.soft_token.invalid_passcode",
        "authfactor.challenge.soft_token.used_passcode", "idx.session.expired",
        "oie.tooManyRequests",
      ])
    expectEqual(IDXMessage.Kind(rawValue: "INFO"), .info)
    let unknown: Remediation.Name = "teleport"
    expect(unknown.rawValue == "teleport" && unknown.description == "teleport")
    expect(unknown != .identify)
    expectEqual("\(IDXAuthenticator.Method(rawValue: "nfc"))", "nfc")
    let names: [Remediation.Name] = [.skip, "teleport"]
    let data = try JSONEncoder().encode(names)
    expectEqual(String(decoding: data, as: UTF8.self), #"["skip","teleport"]"#)
    try expectEqual(JSONDecoder().decode([Remediation.Name].self, from: data), names)
  }
}
