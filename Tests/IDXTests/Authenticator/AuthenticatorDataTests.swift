import IDX
import Testing

@Suite("Authenticators")
struct AuthenticatorDataTests {
  @Test("Key, type, name and methods are read")
  func basics() throws {
    let verify = try current("10-push/02-pick-the-number")
    #expect(verify.key == .oktaVerify)
    #expect(verify.type == "app")
    #expect(verify.displayName == "Okta Verify")
    #expect(verify.methods == ["push", "totp", "signed_nonce"])
    #expect(verify.container == .currentAuthenticator)
    #expect(verify.index == nil)
  }

  @Test("An app gets a secret and an image, which stay the same after a wrong code")
  func secret() throws {
    let first = try #require(try current("04-google-enroll/01-enroll").oneTimePassword)
    let second = try #require(try current("04-google-enroll/02-wrong-code").oneTimePassword)
    #expect(first.sharedSecret == "KRUGKIDROVUWG2ZA")
    #expect(first == second)
    let image = try #require(first.image)
    #expect(image.mediaType == "image/png")
    #expect(image.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test("Okta Verify is set up with an image only")
  func imageOnly() throws {
    let verify = try current("11-okta-verify-enroll/01-scan")
    #expect(verify.oneTimePassword?.sharedSecret == nil)
    #expect(verify.qrCode?.mediaType == "image/png")
    #expect(verify.selectedChannel == "qrcode")
    let mail = try current("11-okta-verify-enroll/03-mail-sent")
    #expect(mail.selectedChannel == "email")
    #expect(mail.oneTimePassword == nil)
    #expect(mail.raw["contextualData"]?["email"] == "amal.perera@shop.example")
  }

  @Test(
    "An image is read from a data URI",
    arguments: [
      ("data:image/png;base64,AQI=", "image/png", [1, 2]),
      ("data:image/svg+xml;charset=utf-8;base64,AQ==", "image/svg+xml", [1]),
      ("data:;base64,AQ==", "text/plain", [1]), ("data:image/gif;base64,", "image/gif", []),
    ] as [(String, String, [UInt8])])
  func images(_ uri: String, _ mediaType: String, _ bytes: [UInt8]) throws {
    let image = try #require(
      try authenticator(#""contextualData":{"qrcode":{"href":"\#(uri)"}}"#).qrCode)
    #expect(image.mediaType == mediaType)
    #expect(image.bytes == bytes)
  }

  @Test(
    "A URI that is not a data URI with an image has no image",
    arguments: [
      "", "data:", "data:,", "data:image/png,AQ==", "data:image/png;base64",
      "image/png;base64,AQ==",
      "data:image/png;base64,***", "https://demo.okta.example/qr.png", "http://a,b;base64,AQ==",
    ])
  func noImage(_ uri: String) throws {
    let authenticator = try authenticator(#""contextualData":{"qrcode":{"href":"\#(uri)"}}"#)
    #expect(authenticator.qrCode == nil)
    #expect(authenticator.oneTimePassword == nil)
  }

  @Test("The number to choose can be a string or a number")
  func numberChallenge() throws {
    #expect(try current("10-push/02-pick-the-number").numberChallenge == "63")
    #expect(try authenticator(#""contextualData":{"correctAnswer":7}"#).numberChallenge == "7")
    #expect(try authenticator(#""contextualData":{"correctAnswer":"07"}"#).numberChallenge == "07")
    #expect(try authenticator(#""contextualData":{"correctAnswer":[7]}"#).numberChallenge == nil)
    #expect(try current("10-push/03-declined").numberChallenge == nil)
  }

  @Test("Questions keep their order, and the enrolled question is read")
  func questions() throws {
    let enrolling = try current("09-security-question/01-enroll")
    #expect(enrolling.questions.map(\.key) == ["first_shop", "best_harvest", "childhood_river"])
    #expect(enrolling.questions.first?.text == "What was the name of your first shop?")
    #expect(enrolling.enrolledQuestion == nil)
    let challenged = try current("09-security-question/03-challenge")
    #expect(challenged.enrolledQuestion?.key == "childhood_river")
    #expect(challenged.questions.isEmpty)
    let older = try authenticator(#""profile":{"questionKey":"first_shop"}"#)
    #expect(older.enrolledQuestion?.key == "first_shop")
    #expect(older.enrolledQuestion?.text == nil)
  }

  @Test("Password rules are read")
  func passwordRules() throws {
    let rules = try #require(try current("14-recovery/04-new-password").passwordRules)
    #expect(rules.minimumLength == 12)
    #expect(rules.minimumLowerCase == 1 && rules.minimumUpperCase == 1)
    #expect(rules.minimumDigits == 1 && rules.minimumSymbols == 0)
    #expect(rules.maximumRepeats == 3)
    #expect(rules.excludesUsername)
    #expect(rules.excludedAttributes == ["firstName", "lastName"])
    #expect(rules.history == 6)
    #expect(rules.daysToExpiry == nil)
    #expect(try current("01-password/04-password-expires-soon").passwordRules?.daysToExpiry == 4)
    #expect(try current("02-identity-first/02-password").passwordRules == nil)
  }

  @Test("Missing and malformed password rules are ignored")
  func oddPasswordRules() throws {
    let bare = try authenticator(#""settings":{"complexity":{"minLength":"8","minNumber":-3}}"#)
    let rules = try #require(bare.passwordRules)
    #expect(rules.minimumLength == 0 && rules.minimumDigits == 0)
    #expect(!rules.excludesUsername && rules.excludedAttributes.isEmpty)
    #expect(rules.history == nil && rules.maximumRepeats == nil)
    let older = try authenticator(
      #""settings":{"complexity":{"excludeFirstName":true,"excludeLastName":false}}"#)
    #expect(older.passwordRules?.excludedAttributes == ["firstName"])
    #expect(try authenticator(#""settings":{"age":{}}"#).passwordRules == nil)
    #expect(try authenticator(#""settings":{"complexity":[]}"#).passwordRules == nil)
    #expect(try authenticator(#""settings":7"#).passwordRules == nil)
  }

  @Test("The options of passkeys are read")
  func passkeys() throws {
    let enrolling = try current("12-passkey/01-enroll")
    #expect(enrolling.webAuthnActivation?["rp"]?["id"] == "demo.okta.example")
    #expect(enrolling.webAuthnActivation?["pubKeyCredParams"]?[1]?["alg"] == -257)
    #expect(enrolling.webAuthnChallenge == nil)
    let challenged = try current("12-passkey/02-challenge")
    #expect(challenged.webAuthnChallenge?["rpId"] == "demo.okta.example")
    #expect(challenged.webAuthnActivation == nil)
  }

  @Test("Masked addresses, phone numbers and device names are read")
  func profiles() throws {
    let mail = try current("06-email/01-challenge")
    #expect(mail.email == "a***a@shop.example")
    #expect(mail.usesMagicLink == true)
    #expect(mail.phoneNumber == nil && mail.nickname == nil)
    #expect(try current("08-phone-challenge/02-code").phoneNumber == "+94 XX XXX XX71")
    let keys = try Fixture.response("12-passkey/02-challenge").authenticators(
      in: .authenticatorEnrollments)
    #expect(keys.map(\.nickname) == ["Blue key", "Laptop"])
    #expect(
      keys.map { $0.raw["credentialId"]?.string } == ["Y3JlZGVudGlhbC1vbmU", "Y3JlZGVudGlhbC10d28"])
  }

  @Test("Actions are found by their name, even if the member has another name")
  func actions() throws {
    let push = try current("10-push/02-pick-the-number")
    #expect(push[.resend]?.form.fields.map(\.name) == ["authenticator", "stateHandle"])
    #expect(push[.recover] == nil)
    #expect(try current("06-email/03-before-sending")[.send]?.href?.hasSuffix("/send") == true)
    let odd = try authenticator(
      #""again":{"name":"resend","href":"/a"},"b":{"name":"b"},"c":{"href":"/c"},"d":[{"name":"d","href":"/d"}]"#
    )
    #expect(odd.actions.map(\.name) == [.resend])
  }

  @Test("Enrolled passkeys have an ID and transports")
  func enrolledPasskeys() throws {
    let response = try IDXResponse(
      parsing: Array(
        #"""
        {"version":"1.0.0","authenticatorEnrollments":{"type":"array","value":[
          {"key":"webauthn","credentialId":"AQID","transports":["usb","nfc"]},
          {"key":"webauthn","credentialId":"BAUG"},{"key":"okta_password"}]}}
        """#.utf8))
    let keys = response.authenticators(in: .authenticatorEnrollments)
    #expect(keys.map(\.credentialID) == ["AQID", "BAUG", nil])
    #expect(keys.map(\.transports) == [["usb", "nfc"], [], []])
  }

  @Test("The challenge for passkey autofill is read")
  func autofill() throws {
    let response = try IDXResponse(
      parsing: Array(
        #"""
        {"version":"1.0.0","webauthnAutofillUIChallenge":{"type":"object","value":
          {"challengeData":{"challenge":"AQID"}}}}
        """#.utf8))
    #expect(response.webAuthnAutofillChallenge?["challenge"] == "AQID")
    let plain = try IDXResponse(parsing: Array(#"{"version":"1.0.0"}"#.utf8))
    #expect(plain.webAuthnAutofillChallenge == nil)
  }

  private func current(_ fixture: String) throws -> IDXAuthenticator {
    try #require(try Fixture.response(fixture).currentAuthenticator)
  }

  private func authenticator(_ members: String) throws -> IDXAuthenticator {
    let text = #"{"version":"1.0.0","currentAuthenticator":{"value":{\#(members)}}}"#
    return try #require(try IDXResponse(text: text).currentAuthenticator)
  }
}
