import IDX
import Testing

@Suite("What an authenticator holds is read when asked for")
struct AuthenticatorDataTests {
  @Test("An authenticator says what it is")
  func basics() throws {
    let verify = try current("10-push/02-pick-the-number")
    #expect(verify.key == .oktaVerify)
    #expect(verify.type == "app")
    #expect(verify.displayName == "Okta Verify")
    #expect(verify.methods == ["push", "totp", "signed_nonce"])
    #expect(verify.container == .currentAuthenticator)
    #expect(verify.index == nil)
  }

  @Test("An app that is set up gets a secret and an image, which a wrong code leaves as they are")
  func secret() throws {
    let first = try #require(try current("04-google-enroll/01-enroll").oneTimePassword)
    let second = try #require(try current("04-google-enroll/02-wrong-code").oneTimePassword)
    #expect(first.sharedSecret == "KRUGKIDROVUWG2ZA")
    #expect(first == second)
    let image = try #require(first.image)
    #expect(image.mediaType == "image/png")
    #expect(image.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test("Okta Verify is set up by an image alone")
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
    "What is no image inside the response is none",
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

  @Test("The number to pick may be text or a number")
  func numberChallenge() throws {
    #expect(try current("10-push/02-pick-the-number").numberChallenge == "63")
    #expect(try authenticator(#""contextualData":{"correctAnswer":7}"#).numberChallenge == "7")
    #expect(try authenticator(#""contextualData":{"correctAnswer":"07"}"#).numberChallenge == "07")
    #expect(try authenticator(#""contextualData":{"correctAnswer":[7]}"#).numberChallenge == nil)
    #expect(try current("10-push/03-declined").numberChallenge == nil)
  }

  @Test("Questions keep their order, and the one that was set up is known")
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

  @Test("The rules of a password are counted")
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

  @Test("Rules that are missing or odd are no rules")
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

  @Test("Passkeys bring what is to be created or signed")
  func passkeys() throws {
    let enrolling = try current("12-passkey/01-enroll")
    #expect(enrolling.webAuthnActivation?["rp"]?["id"] == "demo.okta.example")
    #expect(enrolling.webAuthnActivation?["pubKeyCredParams"]?[1]?["alg"] == -257)
    #expect(enrolling.webAuthnChallenge == nil)
    let challenged = try current("12-passkey/02-challenge")
    #expect(challenged.webAuthnChallenge?["rpId"] == "demo.okta.example")
    #expect(challenged.webAuthnActivation == nil)
  }

  @Test("Masked addresses, numbers and names of devices are read")
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

  @Test("Actions stand by name, also where the server calls the member otherwise")
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

  private func current(_ fixture: String) throws -> IDXAuthenticator {
    try #require(try Fixture.response(fixture).currentAuthenticator)
  }

  private func authenticator(_ members: String) throws -> IDXAuthenticator {
    let text = #"{"version":"1.0.0","currentAuthenticator":{"value":{\#(members)}}}"#
    return try #require(try IDXResponse(text: text).currentAuthenticator)
  }
}
