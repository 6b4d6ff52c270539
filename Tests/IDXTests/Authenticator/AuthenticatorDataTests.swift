import Expectations
import IDX
import Testing

/// Authenticators.
struct AuthenticatorDataTests {
  @Test(
    "An app gets a secret and an image, which stay the same after a wrong code; Okta Verify only an image"
  )
  func secret() throws {
    let first = try require(current("04-google-enroll/01-enroll").oneTimePassword)
    let second = try require(current("04-google-enroll/02-wrong-code").oneTimePassword)
    expectEqual(first.sharedSecret, "KRUGKIDROVUWG2ZA")
    expectEqual(first, second)
    let image = try require(first.image)
    expectEqual(image.mediaType, "image/png")
    expect(image.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let verify = try current("11-okta-verify-enroll/01-scan")
    expectEqual(verify.oneTimePassword?.sharedSecret, nil)
    expectEqual(verify.qrCode?.mediaType, "image/png")
    expectEqual(verify.selectedChannel, "qrcode")
    let mail = try current("11-okta-verify-enroll/03-mail-sent")
    expectEqual(mail.selectedChannel, "email")
    expectEqual(mail.oneTimePassword, nil)
    expectEqual(mail.raw["contextualData"]?["email"], "amal.perera@shop.example")
  }

  @Test(
    "An image is read from a data URI with an image, and from no other",
    arguments: [
      ("data:image/png;base64,AQI=", ("image/png", [1, 2])),
      ("data:image/svg+xml;charset=utf-8;base64,AQ==", ("image/svg+xml", [1])),
      ("data:;base64,AQ==", ("text/plain", [1])), ("data:image/gif;base64,", ("image/gif", [])),
      ("", nil), ("data:", nil), ("data:,", nil), ("data:image/png,AQ==", nil),
      ("data:image/png;base64", nil), ("image/png;base64,AQ==", nil),
      ("data:image/png;base64,***", nil), ("https://demo.okta.example/qr.png", nil),
      ("http://a,b;base64,AQ==", nil),
    ] as [(String, (String, [UInt8])?)])
  func images(_ uri: String, _ image: (mediaType: String, bytes: [UInt8])?) throws {
    let authenticator = try authenticator(#""contextualData":{"qrcode":{"href":"\#(uri)"}}"#)
    guard let image else {
      expectEqual(authenticator.qrCode, nil)
      expectEqual(authenticator.oneTimePassword, nil)
      return
    }
    expectEqual(authenticator.qrCode?.mediaType, image.mediaType)
    expectEqual(authenticator.qrCode?.bytes, image.bytes)
  }

  @Test("The number to choose can be a string or a number")
  func numberChallenge() throws {
    try expectEqual(current("10-push/02-pick-the-number").numberChallenge, "63")
    try expectEqual(authenticator(#""contextualData":{"correctAnswer":7}"#).numberChallenge, "7")
    try expectEqual(
      authenticator(#""contextualData":{"correctAnswer":"07"}"#).numberChallenge, "07")
    try expectEqual(authenticator(#""contextualData":{"correctAnswer":[7]}"#).numberChallenge, nil)
    try expectEqual(current("10-push/03-declined").numberChallenge, nil)
  }

  @Test("Questions keep their order, and the enrolled question is read")
  func questions() throws {
    let enrolling = try current("09-security-question/01-enroll")
    expectEqual(enrolling.questions.map(\.key), ["first_shop", "best_harvest", "childhood_river"])
    expectEqual(enrolling.questions.first?.text, "What was the name of your first shop?")
    expectEqual(enrolling.enrolledQuestion, nil)
    let challenged = try current("09-security-question/03-challenge")
    expectEqual(challenged.enrolledQuestion?.key, "childhood_river")
    expectEmpty(challenged.questions)
    let older = try authenticator(#""profile":{"questionKey":"first_shop"}"#)
    expectEqual(older.enrolledQuestion?.key, "first_shop")
    expectEqual(older.enrolledQuestion?.text, nil)
  }

  @Test("Password rules are read, and missing and malformed ones are ignored")
  func passwordRules() throws {
    let rules = try require(current("14-recovery/04-new-password").passwordRules)
    expectEqual(rules.minimumLength, 12)
    expect(rules.minimumLowerCase == 1 && rules.minimumUpperCase == 1)
    expect(rules.minimumDigits == 1 && rules.minimumSymbols == 0)
    expectEqual(rules.maximumRepeats, 3)
    expect(rules.excludesUsername)
    expectEqual(rules.excludedAttributes, ["firstName", "lastName"])
    expect(rules.history == 6 && rules.minimumAgeMinutes == 30)
    expectEqual(rules.daysToExpiry, nil)
    try expectEqual(current("01-password/04-password-expires-soon").passwordRules?.daysToExpiry, 4)
    try expectEqual(current("02-identity-first/02-password").passwordRules, nil)
    let bare = try authenticator(#""settings":{"complexity":{"minLength":"8","minNumber":-3}}"#)
    let bareRules = try require(bare.passwordRules)
    expect(bareRules.minimumLength == 0 && bareRules.minimumDigits == 0)
    expect(!bareRules.excludesUsername && bareRules.excludedAttributes.isEmpty)
    expect(
      bareRules.history == nil && bareRules.minimumAgeMinutes == nil
        && bareRules.maximumRepeats == nil)
    let older = try authenticator(
      #""settings":{"complexity":{"excludeFirstName":true,"excludeLastName":false}}"#)
    expectEqual(older.passwordRules?.excludedAttributes, ["firstName"])
    try expectEqual(authenticator(#""settings":{"age":{}}"#).passwordRules, nil)
    try expectEqual(authenticator(#""settings":{"complexity":[]}"#).passwordRules, nil)
    try expectEqual(authenticator(#""settings":7"#).passwordRules, nil)
  }

  @Test("The options of passkeys, enrolled passkeys and the challenge for autofill are read")
  func passkeys() throws {
    let enrolling = try current("12-passkey/01-enroll")
    expectEqual(enrolling.webAuthnActivation?["rp"]?["id"], "demo.okta.example")
    expectEqual(enrolling.webAuthnActivation?["pubKeyCredParams"]?[1]?["alg"], -257)
    expectEqual(enrolling.webAuthnChallenge, nil)
    let challenged = try current("12-passkey/02-challenge")
    expectEqual(challenged.webAuthnChallenge?["rpId"], "demo.okta.example")
    expectEqual(challenged.webAuthnActivation, nil)
    let keys = try Fixture.response("12-passkey/03-transports-as-text").authenticators(
      in: .authenticatorEnrollments)
    expectEqual(keys.map(\.transports), [["usb", "nfc"], ["internal", "hybrid"]])
    let response = try IDXResponse(
      parsing: Array(
        #"""
        {"version":"1.0.0","authenticatorEnrollments":{"type":"array","value":[
          {"key":"webauthn","credentialId":"AQID","transports":["usb","nfc"]},
          {"key":"webauthn","transports":"usb, nfc"},{"key":"webauthn","transports":"internal"},
          {"key":"webauthn","credentialId":"BAUG"},{"key":"okta_password"}]}}
        """#.utf8))
    let enrolled = response.authenticators(in: .authenticatorEnrollments)
    expectEqual(enrolled.map(\.credentialID), ["AQID", nil, nil, "BAUG", nil])
    expectEqual(
      enrolled.map(\.transports), [["usb", "nfc"], ["usb", "nfc"], ["internal"], [], []])
    let offered = try IDXResponse(
      parsing: Array(
        #"""
        {"version":"1.0.0","webauthnAutofillUIChallenge":{"type":"object","value":
          {"challengeData":{"challenge":"AQID"}}}}
        """#.utf8))
    expectEqual(offered.webAuthnAutofillChallenge?["challenge"], "AQID")
    let plain = try IDXResponse(parsing: Array(#"{"version":"1.0.0"}"#.utf8))
    expectEqual(plain.webAuthnAutofillChallenge, nil)
  }

  @Test("A method of Okta Verify that is an authenticator of its own has its challenge")
  func oktaVerifyApart() throws {
    let choice = try Fixture.response("42-okta-verify-apart/01-choose")
    let options = try require(choice.remediations.first?["authenticator"]?.options)
    expectEqual(
      options.map { $0.authenticator?.key },
      ["okta_verify_push", "okta_verify_fastpass", "okta_verify_totp"])
    expectEqual(options.map { $0.form?["methodType"]?.value }, ["push", "signed_nonce", "totp"])
    let challenge = try require(
      Fixture.response("42-okta-verify-apart/02-fastpass").deviceChallenge)
    expectEqual(challenge.method, .loopback)
    expectEqual(challenge.ports, [2000, 6511])
    expectEqual(challenge.ended(because: .userCanceled)?.name, .cancelPolling)
  }

  @Test("Masked addresses, phone numbers and device names are read")
  func profiles() throws {
    let mail = try current("06-email/01-challenge")
    expectEqual(mail.email, "a***a@shop.example")
    expectEqual(mail.usesMagicLink, true)
    expect(mail.phoneNumber == nil && mail.nickname == nil)
    try expectEqual(current("08-phone-challenge/02-code").phoneNumber, "+94 XX XXX XX71")
    let keys = try Fixture.response("12-passkey/02-challenge").authenticators(
      in: .authenticatorEnrollments)
    expectEqual(keys.map(\.nickname), ["Blue key", "Laptop"])
    expectEqual(
      keys.map { $0.raw["credentialId"]?.string }, ["Y3JlZGVudGlhbC1vbmU", "Y3JlZGVudGlhbC10d28"])
  }

  @Test("Actions are found by their name, even if the member has another name")
  func actions() throws {
    let push = try current("10-push/02-pick-the-number")
    expectEqual(push[.resend]?.form.fields.map(\.name), ["authenticator", "stateHandle"])
    expectEqual(push[.recover], nil)
    try expectEqual(current("06-email/03-before-sending")[.send]?.href?.hasSuffix("/send"), true)
    let odd = try authenticator(
      #""again":{"name":"resend","href":"/a"},"b":{"name":"b"},"c":{"href":"/c"},"d":[{"name":"d","href":"/d"}]"#
    )
    expectEqual(odd.actions.map(\.name), [.resend])
  }

  private func current(_ fixture: String) throws -> IDXAuthenticator {
    try require(Fixture.response(fixture).currentAuthenticator)
  }

  private func authenticator(_ members: String) throws -> IDXAuthenticator {
    let text = #"{"version":"1.0.0","currentAuthenticator":{"value":{\#(members)}}}"#
    return try require(IDXResponse(text: text).currentAuthenticator)
  }
}
