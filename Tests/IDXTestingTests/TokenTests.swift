import IDXBase
import IDX
import IDXFlow
import IDXTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Tokens, keys and PINs in the simulated org")
struct TokenTests {
  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private let login = Visitor.login
  private let enroll = Remediation.Name.selectAuthenticatorEnroll
  private let wrong = "api.authn.error.PASSCODE_INVALID"

  @Test(
    "A token's code proves it once; a wrong or used one is refused, in its own way",
    arguments: [
      (.customOTP(secret: secret), nil, ["api.authn.error.PASSCODE_INVALID"], nil),
      (
        .symantecVIP(secret: secret), "credentials.passcode",
        ["authfactor.challenge.soft_token.invalid_passcode"],
        "authfactor.challenge.soft_token.used_passcode"
      ),
      (
        .yubiKey(secret: "a key"), "credentials.passcode", ["api.authn.error.PASSCODE_INVALID"],
        nil
      ),
      (.rsa(secret: secret), nil, ["api.authn.error.PASSCODE_INVALID"], nil),
      (.onPremises(secret: secret), nil, ["api.authn.error.PASSCODE_INVALID"], nil),
    ] as [(SimulatedUser.Enrollment, String?, [String], String?)])
  func challenge(
    enrollment: SimulatedUser.Enrollment, field: String?, keys: [String], used: String?
  ) async throws {
    let org = makeOrg(.required(enrollment.authenticator), [enrollment])
    var visitor = try await Visitor.signedIn(org)
    #expect(visitor.remediations == ["challenge-authenticator"])
    let step = visitor.json
    try await visitor.type("000000")
    #expect(visitor.status == 401)
    #expect((field.map(visitor.messageKeys(at:)) ?? visitor.messageKeys) == keys)
    try await visitor.introspect()
    #expect(visitor.json == step)
    let code = try #require(await org.code(of: enrollment.authenticator, for: login))
    try await visitor.type(code)
    #expect(visitor.isDone)

    var second = try await Visitor.signedIn(org)
    try await second.type(code)
    #expect(second.status == 401)
    #expect(
      (field.map(second.messageKeys(at:)) ?? second.messageKeys) == (used.map { [$0] } ?? keys))
    try await second.type(await org.code(of: enrollment.authenticator, for: login))
    #expect(second.isDone)
  }

  @Test("A code stands for 30 seconds, that of a server's token for a minute")
  func periods() async throws {
    let tokens: [SimulatedUser.Enrollment] = [
      .customOTP(secret: Self.secret), .rsa(secret: Self.secret),
    ]
    let org = makeOrg(.required("custom_otp", "rsa_token"), tokens)
    // The beginning of a minute.
    org.advance(by: 20)
    let short = await org.code(of: "custom_otp", for: login)
    let long = await org.code(of: "rsa_token", for: login)
    #expect(await org.code(of: "custom_otp", for: login, ahead: 1) != short)
    org.advance(by: 30)
    #expect(await org.code(of: "custom_otp", for: login) != short)
    #expect(await org.code(of: "rsa_token", for: login) == long)
  }

  @Test("A Symantec VIP token is set up by its ID and two codes in a row")
  func symantecEnrollment() async throws {
    let org = makeOrg(.required("symantec_vip"))
    var visitor = try await Visitor.signedIn(org)
    #expect(await org.code(of: "symantec_vip", for: login) == nil)
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    #expect(visitor.remediations == ["enroll-authenticator"])
    let id = try #require(await org.user(login)).symantecCredentialID
    #expect(id.count == 12 && id.hasPrefix("VSMT"))
    let first = try #require(await org.code(of: "symantec_vip", for: login))
    let second = try #require(await org.code(of: "symantec_vip", for: login, ahead: 1))
    let cases = [
      ("VSMT", first, second, "credentialId"), (id, "000000", second, "passcode"),
      (id, first, first, "nextPasscode"),
    ]
    for (id, first, second, field) in cases {
      try await answer(id, first, second)
      #expect(visitor.status == 401)
      #expect(visitor.messageKeys(at: "credentials.\(field)") == [wrong])
    }
    try await answer(id, first, second)
    #expect(visitor.isDone)
    #expect(await org.user(login)?.enrollments.map(\.authenticator) == ["symantec_vip"])

    func answer(_ id: String, _ first: String, _ second: String) async throws {
      try await visitor.fill(
        .enrollAuthenticator,
        [
          "credentials.credentialId": .text(id), "credentials.passcode": .text(first),
          "credentials.nextPasscode": .text(second),
        ])
    }
  }

  @Test("A YubiKey types 44 letters, says with the first 12 which it is, and counts its touches")
  func yubiKey() async throws {
    let org = makeOrg(.required("yubikey_token"))
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    org.advance(by: 10)
    _ = try await Visitor.signedIn(org)
    let first = try #require(
      await org.code(of: "yubikey_token", for: login), "Although another sign-in began later")
    let second = try #require(await org.code(of: "yubikey_token", for: login))
    #expect(first.count == 44)
    #expect(first.allSatisfy { "cbdefghijklnrtuv".contains($0) })
    #expect(first.prefix(12) == second.prefix(12))
    #expect(first != second)
    try await visitor.type(String(first.dropLast()))
    #expect(visitor.messageKeys(at: "credentials.passcode") == [wrong])
    try await visitor.type(second)
    #expect(visitor.isDone)

    visitor = try await Visitor.signedIn(org)
    let profile = visitor.currentEnrollment?["profile"]?["credentialId"]?.string
    #expect(profile == "********" + first.prefix(12).suffix(4))
    try await visitor.type(first)
    #expect(visitor.status == 401, "An earlier touch than the last that counted")
    try await visitor.type(await org.code(of: "yubikey_token", for: login))
    #expect(visitor.isDone)
  }

  @Test("A server's token is set up under a user name", arguments: ["rsa_token", "onprem_mfa"])
  func serverTokenEnrollment(key: IDXAuthenticator.Key) async throws {
    let org = makeOrg(.required(key))
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    let fields = visitor.form("enroll-authenticator")?["value"]?[0]?["form"]?["value"]?.array ?? []
    #expect(
      fields.compactMap { $0["name"]?.string } == ["id", "methodType", "clientData", "passcode"])
    #expect(fields[2]["value"] == "ada")
    try await visitor.type("12")
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == [wrong])
    let code = try #require(await org.code(of: key, for: login))
    try await visitor.fill(
      .enrollAuthenticator,
      ["credentials.clientData": "countess", "credentials.passcode": .text(code)])
    #expect(visitor.isDone)
    visitor = try await Visitor.signedIn(org)
    try await visitor.type(code)
    #expect(visitor.status == 401)
    try await visitor.type(await org.code(of: key, for: login))
    #expect(visitor.isDone)
  }

  @Test("A server that has lost track of a token wants the next code, once")
  func nextCode() async throws {
    let org = makeOrg(
      SignInPolicy(required: ["rsa_token"], attempts: 2),
      [.rsa(secret: Self.secret, wantsNextCode: true)])
    var visitor = try await Visitor.signedIn(org)
    let first = try #require(await org.code(of: "rsa_token", for: login))
    try await visitor.type(first)
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == ["errors.E0000113"])
    #expect(visitor.remediations == ["challenge-authenticator"])
    try await visitor.type(first)
    #expect(visitor.messageKeys == [wrong])
    org.advance(by: 60)
    try await visitor.type(await org.code(of: "rsa_token", for: login))
    #expect(visitor.isDone)

    visitor = try await Visitor.signedIn(org)
    try await visitor.type(await org.code(of: "rsa_token", for: login))
    #expect(visitor.isDone)
  }

  @Test("An access code is good for as many sign-ins as one likes")
  func accessCode() async throws {
    let org = makeOrg(.required("tac"), [.temporaryAccessCode("ocean-lamp-41")])
    for _ in 1...2 {
      var visitor = try await Visitor.signedIn(org)
      #expect(visitor.currentEnrollment?["type"] == "tac")
      try await visitor.type("ocean-lamp-42")
      #expect(visitor.messageKeys(at: "credentials.passcode") == [wrong])
      try await visitor.type(await org.code(of: "tac", for: login))
      #expect(visitor.isDone)
    }
  }

  @Test("An NFC tag is touched, then gets a PIN of the right length")
  func nfcEnrollment() async throws {
    let org = makeOrg(.required("nfc_pin"))
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    #expect(visitor.remediations == ["enroll-poll"])
    #expect(visitor.current?["contextualData"]?["setupNfcUrl"]?.string?.isEmpty == false)
    #expect(visitor.current?["settings"] == nil)
    let step = visitor.json
    try await visitor.fill(.enrollPoll)
    #expect(visitor.json == step)
    try await visitor.fill("cancel-polling")
    #expect(visitor.remediations == ["select-authenticator-enroll"])
    try await visitor.fill(enroll, ["authenticator": .option(0)])
    await org.completeEnrollment(for: login)
    try await visitor.fill(.enrollPoll)
    #expect(visitor.remediations == ["enroll-authenticator"])
    #expect(visitor.current?["settings"] == ["minLength": 4, "maxLength": 8])
    #expect(visitor.form("cancel-polling") == nil)
    for pin in ["314", "314159265", "31a1"] {
      try await visitor.type(pin)
      #expect(visitor.status == 400)
      #expect(visitor.messageKeys(at: "credentials.passcode") == [wrong])
    }
    try await visitor.type("3141")
    #expect(visitor.isDone)
    #expect(await org.user(login)?.enrollments == [.nfcPIN("3141")])
    #expect(await org.code(of: "nfc_pin", for: login) == "3141")
  }

  @Test("A wrong PIN is told from a wrong code, and counts towards the lock")
  func nfcChallenge() async throws {
    let org = makeOrg(SignInPolicy(required: ["nfc_pin"], attempts: 2), [.nfcPIN("271828")])
    var visitor = try await Visitor.signedIn(org)
    #expect(visitor.current?["type"] == "proximity")
    try await visitor.type("271829")
    #expect(
      visitor.messageKeys(at: "credentials.passcode")
        == ["api.authenticator.error.nfc.pin_incorrect"])
    try await visitor.type("271829")
    #expect(visitor.status == 429)
  }

  @Test("Duo's form takes what its frame signs, and has others beside it")
  func duo() async throws {
    let org = makeOrg(.optional("duo", .email), [.duo, .email])
    var visitor = try await Visitor.signedIn(org)
    let select = Remediation.Name.selectAuthenticatorAuthenticate
    try await visitor.fill(select, ["authenticator": .optionNamed("duo")])
    #expect(visitor.remediations == ["challenge-authenticator", select.rawValue])
    let data = visitor.currentEnrollment?["contextualData"]
    #expect(data?["integrationType"] == "IFRAME")
    let field = try #require(try visitor.read().remediations[0]["credentials.signatureData"])
    #expect(field.isRequired && !field.isVisible)
    let credentials: (String) -> JSONValue = { ["credentials": ["signatureData": .string($0)]] }
    try await visitor.submit("challenge-authenticator", credentials("made up"))
    #expect(visitor.status == 401)
    #expect(
      visitor.messageKeys == ["oie.authenticator.duo.method.duo.verification_failed"])
    try await visitor.submit("challenge-authenticator", ["credentials": [:]])
    #expect(visitor.messageKeys == ["api.error.field_required"])
    try await visitor.introspect()
    let signature = try #require(await org.code(of: "duo", for: login))
    try await visitor.submit("challenge-authenticator", credentials(signature))
    #expect(visitor.isDone)

    let other = makeOrg(.optional("duo", .email))
    visitor = try await Visitor.signedIn(other)
    try await visitor.fill(enroll, ["authenticator": .optionNamed("duo")])
    #expect(
      visitor.remediations == ["enroll-authenticator", "select-authenticator-enroll", "skip"])
    try await visitor.submit(
      "enroll-authenticator", credentials(try #require(await other.code(of: "duo", for: login))))
    #expect(await other.user(login)?.enrollments == [.duo])
  }

  @Test("Nobody has the codes of what is not set up, or of nobody")
  func noCodes() async throws {
    let org = makeOrg(.passwordOnly, [.email, .customApp])
    for key: IDXAuthenticator.Key in [.email, .password, "custom_app", .oktaVerify, "unheard_of"] {
      #expect(await org.code(of: key, for: login) == nil)
    }
    #expect(await org.code(of: "tac", for: "nobody@shop.example") == nil)
  }
}
