import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Registering in the simulated org.
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

  @Test(
    "All problems with the fields are reported at once, and then the user is in the list of users")
  func fieldErrors() async throws {
    let org = org(.init(takesPassword: true))
    var client = try await OrgClient(org)
    await expectEqual(org.users.map(\.login), ["ada@shop.example"])
    try await client.submit("select-enroll-profile")
    expectEqual(client.current?["key"], "okta_password")
    expectEqual(client.form("enroll-profile")?["value"]?[1]?["relatesTo"], "$.currentAuthenticator")
    try await client.submit(
      "enroll-profile",
      [
        "userProfile": [
          "firstName": "<b>Mary</b>", "lastName": "Somerville", "email": "mary at shop",
        ],
        "credentials": ["passcode": "weak"],
      ])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, [])
    expectEqual(
      client.messageKeys(at: "userProfile.firstName"), ["registration.error.doesNotMatchPattern"])
    expectEqual(
      client.messageKeys(at: "userProfile.email"), ["registration.error.invalidLoginEmail"])
    expectEqual(
      client.messageKeys(at: "credentials.passcode"), ["password.passwordRequirementsNotMet"])
    expectEqual(client.messageKeys(at: "userProfile.lastName"), [])

    try await client.submit(
      "enroll-profile",
      [
        "userProfile": [
          "firstName": "Mary", "lastName": "Somerville", "email": "ADA@shop.example",
        ],
        "credentials": ["passcode": "Mechanism-1831"],
      ])
    expectEqual(
      client.messageKeys(at: "userProfile.email"), ["registration.error.notUniqueWithinOrg"])
    try await client.submit(
      "enroll-profile",
      ["userProfile": profile, "credentials": ["passcode": "Mechanism-1831"]])
    expect(client.isDone)
    await expectEqual(org.users.map(\.login), ["ada@shop.example", "mary@shop.example"])
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
    var client = try await OrgClient(org())
    try await client.submit("select-enroll-profile")
    try await client.submit("enroll-profile", body)
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, [key])
  }

  @Test("If the address must be verified first, the registration ends with a message")
  func verifyMail() async throws {
    var client = try await OrgClient(org(.init(verifiesMail: true)))
    try await client.submit("select-enroll-profile")
    try await client.submit("enroll-profile", ["userProfile": profile])
    expectEqual(client.status, 200)
    expectEqual(client.messageKeys, ["idx.email.verification.required"])
    expectEqual(client.remediations, [])
    expectEqual(client.form("cancel"), nil)
  }

  @Test("An activation token lets a user choose a password")
  func activation() async throws {
    let org = org()
    var client = try await OrgClient(org)
    let token = await org.activationToken(for: "ada@shop.example")?.revealed
    try await client.begin(["activation_token": token])
    try await client.choose("Password", in: "select-authenticator-enroll")
    try await client.answer("Mechanism-1831")
    expect(client.isDone)
  }

  @Test(
    "A captcha is required with the profile and with the username",
    arguments: [AccountPolicy.Captcha.hCaptcha, .altcha])
  func captcha(_ kind: AccountPolicy.Captcha) async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.registration = .init()
    policy.accounts.captcha = kind
    var client = try await OrgClient(makeOrg(policy))
    expectEqual(client.json["captcha"]?["value"]?["type"], .string(kind.rawValue))
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    expectEqual(client.messageKeys, ["api.error.field_required"])
    try await client.introspect()
    let id = client.form("identify")?["value"]?.array?
      .first { $0["name"] == "captchaVerify" }?["form"]?["value"]?[0]?["value"]
    func solved(_ token: String) throws -> JSONValue {
      ["captchaId": try require(id), "captchaToken": .string(token)]
    }
    try await client.submit(
      "identify", ["identifier": "ada@shop.example", "captchaVerify": solved("guessed")])
    expectEqual(client.messageKeys, ["simulated.captcha.wrong"])
    expectEqual(client.remediations.first, "identify")
    let token = SimulatedOrg.captchaToken
    var registering = client
    try await client.submit(
      "identify", ["identifier": "ada@shop.example", "captchaVerify": solved(token)])
    expectEqual(client.remediations, ["challenge-authenticator"])

    registering = try await OrgClient(makeOrg(policy))
    try await registering.submit("select-enroll-profile")
    try await registering.submit(
      "enroll-profile", ["userProfile": profile, "captchaVerify": solved(token)])
    expectEqual(registering.remediations, ["select-authenticator-enroll"])
  }
}
