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

  private func org(_ registration: AccountPolicy.Registration = .init()) -> SimulatedOrg {
    var policy = SignInPolicy.passwordOnly
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
    var answers: Answers = [
      "userProfile.firstName": "<b>Mary</b>", "userProfile.lastName": "Somerville",
      "userProfile.email": "mary at shop", "credentials.passcode": "weak",
    ]
    try await client.fill(.enrollProfile, answers)
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, [])
    for (field, key) in [
      ("userProfile.firstName", "registration.error.doesNotMatchPattern"),
      ("userProfile.lastName", nil), ("userProfile.email", "registration.error.invalidLoginEmail"),
      ("credentials.passcode", "password.passwordRequirementsNotMet"),
    ] as [(String, String?)] {
      expectEqual(client.messageKeys(at: field), key.map { [$0] } ?? [], field)
    }

    answers["userProfile.firstName"] = "Mary"
    answers["userProfile.email"] = "ADA@shop.example"
    answers["credentials.passcode"] = "Mechanism-1831"
    try await client.fill(.enrollProfile, answers)
    expectEqual(
      client.messageKeys(at: "userProfile.email"), ["registration.error.notUniqueWithinOrg"])
    answers["userProfile.email"] = "mary@shop.example"
    try await client.fill(.enrollProfile, answers)
    expect(client.isDone)
    await expectEqual(org.users.map(\.login), ["ada@shop.example", "mary@shop.example"])
  }

  @Test("Each wrong field of the profile is named")
  func strictness() async throws {
    var client = try await OrgClient(org())
    try await client.submit("select-enroll-profile")
    let wrong: JSONValue = [
      "firstName": "M", "lastName": "S", "country": "XX", "newsletter": "true", "shoeSize": "41",
    ]
    try await client.submit("enroll-profile", ["userProfile": wrong])
    expectEqual(client.status, 400)
    expectEqual(
      client.messageKeys,
      [
        "simulated.field.unknown", "api.error.field_required", "simulated.field.notAnOption",
        "simulated.field.wrongType",
      ])
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
    let token = await org.activationToken(for: OrgClient.login)?.revealed
    var client = try await OrgClient(org, ["activation_token": token])
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
    let fields = client.form("identify")?["value"]?.array
    let verify = fields?.first { $0["name"] == "captchaVerify" }?["form"]?["value"]
    let id = try require(verify?[0]?["value"])
    func solved(_ token: String) -> JSONValue {
      ["captchaId": id, "captchaToken": .string(token)]
    }
    try await client.submit(
      "identify", ["identifier": "ada@shop.example", "captchaVerify": solved("guessed")])
    expectEqual(client.messageKeys, ["simulated.captcha.wrong"])
    expectEqual(client.remediations.first, "identify")
    let token = SimulatedOrg.captchaToken
    try await client.submit(
      "identify", ["identifier": "ada@shop.example", "captchaVerify": solved(token)])
    expectEqual(client.remediations, ["challenge-authenticator"])

    client = try await OrgClient(makeOrg(policy))
    try await client.submit("select-enroll-profile")
    try await client.submit(
      "enroll-profile", ["userProfile": profile, "captchaVerify": solved(token)])
    expectEqual(client.remediations, ["select-authenticator-enroll"])
  }
}
