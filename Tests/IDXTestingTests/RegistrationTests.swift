import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@Suite("Registering in the simulated org")
struct RegistrationTests {
  private let profile: JSONValue = [
    "firstName": "Mary", "lastName": "Somerville", "email": "mary@shop.example",
  ]

  private func org(
    _ registration: AccountPolicy.Registration = .init(), required: [IDXAuthenticator.Key] = [],
    optional: [IDXAuthenticator.Key] = []
  ) -> SimulatedOrg {
    var policy = SignInPolicy(required: required, optional: optional)
    policy.accounts.registration = registration
    return makeOrg(policy)
  }

  @Test("All that is wrong with the fields is said at once")
  func fieldErrors() async throws {
    var visitor = try await Visitor(org(.init(takesPassword: true)))
    try await visitor.submit("select-enroll-profile")
    #expect(visitor.current?["key"] == "okta_password")
    #expect(visitor.form("enroll-profile")?["value"]?[1]?["relatesTo"] == "$.currentAuthenticator")
    try await visitor.submit(
      "enroll-profile",
      [
        "userProfile": [
          "firstName": "<b>Mary</b>", "lastName": "Somerville", "email": "mary at shop",
        ],
        "credentials": ["passcode": "weak"],
      ])
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == [])
    #expect(
      visitor.messageKeys(at: "userProfile.firstName") == ["registration.error.doesNotMatchPattern"]
    )
    #expect(
      visitor.messageKeys(at: "userProfile.email") == ["registration.error.invalidLoginEmail"])
    #expect(
      visitor.messageKeys(at: "credentials.passcode") == ["password.passwordRequirementsNotMet"])
    #expect(visitor.messageKeys(at: "userProfile.lastName") == [])

    try await visitor.submit(
      "enroll-profile",
      [
        "userProfile": [
          "firstName": "Mary", "lastName": "Somerville", "email": "ADA@shop.example",
        ],
        "credentials": ["passcode": "Mechanism-1831"],
      ])
    #expect(
      visitor.messageKeys(at: "userProfile.email") == ["registration.error.notUniqueWithinOrg"])
    try await visitor.submit(
      "enroll-profile",
      ["userProfile": profile, "credentials": ["passcode": "Mechanism-1831"]])
    #expect(visitor.isDone)
  }

  @Test(
    "The form is checked field by field",
    arguments: [
      (["userProfile": ["firstName": "M", "lastName": "S"]], "api.error.field_required"),
      ([:], "api.error.field_required"),
      (
        [
          "userProfile": [
            "firstName": "M", "lastName": "S", "email": "m@shop.example", "country": "XX",
          ]
        ], "simulated.field.notAnOption"
      ),
      (
        [
          "userProfile": [
            "firstName": "M", "lastName": "S", "email": "m@shop.example", "newsletter": "true",
          ]
        ], "simulated.field.wrongType"
      ),
      (
        [
          "userProfile": [
            "firstName": "M", "lastName": "S", "email": "m@shop.example", "shoeSize": "41",
          ]
        ], "simulated.field.unknown"
      ),
    ] as [(JSONValue, String)])
  func strictness(body: JSONValue, key: String) async throws {
    var visitor = try await Visitor(org())
    try await visitor.submit("select-enroll-profile")
    try await visitor.submit("enroll-profile", body)
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == [key])
  }

  @Test("There is a way back to signing in, and a profile that was left may be registered again")
  func back() async throws {
    let org = org()
    var visitor = try await Visitor(org)
    try await visitor.submit("select-enroll-profile")
    try await visitor.submit("select-identify")
    #expect(visitor.remediations == ["identify", "select-enroll-profile"])
    try await visitor.submit("select-enroll-profile")
    try await visitor.submit("enroll-profile", ["userProfile": profile])
    try await visitor.submit("cancel")
    try await visitor.submit("select-enroll-profile")
    try await visitor.submit("enroll-profile", ["userProfile": profile])
    #expect(visitor.remediations == ["select-authenticator-enroll"])
  }

  @Test("Where the address is verified first, it ends with a message and nothing to do")
  func verifyMail() async throws {
    var visitor = try await Visitor(org(.init(verifiesMail: true)))
    try await visitor.submit("select-enroll-profile")
    try await visitor.submit("enroll-profile", ["userProfile": profile])
    #expect(visitor.status == 200)
    #expect(visitor.messageKeys == ["idx.email.verification.required"])
    #expect(visitor.remediations == [])
    #expect(visitor.form("cancel") == nil)
  }

  @Test("An activation token lets a user choose a password")
  func activation() async throws {
    let org = org()
    var visitor = try await Visitor(org)
    let token = await org.activationToken(for: "ada@shop.example")?.revealed
    try await visitor.begin(["activation_token": token])
    try await visitor.choose("Password", in: "select-authenticator-enroll")
    try await visitor.answer("Mechanism-1831")
    #expect(visitor.isDone)
  }

  @Test("A captcha is wanted with the profile and with the user name")
  func captcha() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.registration = .init()
    policy.accounts.captcha = true
    var visitor = try await Visitor(makeOrg(policy))
    #expect(visitor.json["captcha"]?["value"]?["type"] == "HCAPTCHA")
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    #expect(visitor.messageKeys == ["api.error.field_required"])
    try await visitor.introspect()
    let id = visitor.form("identify")?["value"]?.array?
      .first { $0["name"] == "captchaVerify" }?["form"]?["value"]?[0]?["value"]
    func solved(_ token: String) throws -> JSONValue {
      ["captchaId": try #require(id), "captchaToken": .string(token)]
    }
    try await visitor.submit(
      "identify", ["identifier": "ada@shop.example", "captchaVerify": solved("guessed")])
    #expect(visitor.messageKeys == ["simulated.captcha.wrong"])
    #expect(visitor.remediations.first == "identify")
    let token = SimulatedOrg.captchaToken
    var registering = visitor
    try await visitor.submit(
      "identify", ["identifier": "ada@shop.example", "captchaVerify": solved(token)])
    #expect(visitor.remediations == ["challenge-authenticator"])

    registering = try await Visitor(makeOrg(policy))
    try await registering.submit("select-enroll-profile")
    try await registering.submit(
      "enroll-profile", ["userProfile": profile, "captchaVerify": solved(token)])
    #expect(registering.remediations == ["select-authenticator-enroll"])
  }
}
