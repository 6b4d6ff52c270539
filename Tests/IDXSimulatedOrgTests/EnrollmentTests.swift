import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Setting up authenticators in the simulated org.
struct EnrollmentTests {
  private let enroll = "select-authenticator-enroll"

  @Test("The secret stays the same after a look at another authenticator")
  func secretStays() async throws {
    var client = try await OrgClient.signedIn(makeOrg(.demo))
    try await client.choose("Google Authenticator", in: enroll)
    let secret = try require(client.sharedSecret)
    expectEqual(client.remediations, ["enroll-authenticator", enroll, "skip"])
    expectEqual(client.options(of: enroll), ["Email"])
    try await client.choose("Email", in: enroll)
    expectEqual(client.sharedSecret, nil)
    try await client.choose("Google Authenticator", in: enroll)
    expectEqual(client.sharedSecret, secret)
  }

  @Test(
    "A wrong phone number is refused, and the step stays",
    arguments: ["", "5550100142", "+0155501001", "+1555", "+1 555 010 0142", "+15550100142000000"])
  func badNumber(number: String) async throws {
    var client = try await OrgClient.signedIn(makeOrg(.required(.phone)))
    try await client.choose("Phone", in: enroll)
    let id = try require(client.current?["id"])
    try await client.submit(
      "authenticator-enrollment-data",
      ["authenticator": ["id": id, "methodType": "sms", "phoneNumber": .string(number)]])
    expectEqual(client.status, 400)
    expectEqual(
      client.messageKeys,
      [number.isEmpty ? "api.error.field_required" : "api.factors.error.sms.invalid_phone"])
    await expectEmpty(client.org.mailbox.messages)
    try await client.introspect()
    expectEqual(client.remediations, ["authenticator-enrollment-data"])
  }

  @Test("Required authenticators come first and cannot be skipped; then the others are offered")
  func requiredThenOptional() async throws {
    let policy = SignInPolicy(
      required: [.email, .securityQuestion], optional: [.googleAuthenticator, .phone])
    let org = makeOrg(policy)
    var client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations, [enroll])
    expectEqual(client.options(of: enroll), ["Email", "Security Question"])
    try await client.choose("Email", in: enroll)
    expectEqual(client.remediations, ["enroll-authenticator", enroll])
    try await client.answer(await org.mailbox.lastCode(to: OrgClient.login))
    expectEqual(client.options(of: enroll), ["Security Question"])
    let enrolled = client.json["authenticatorEnrollments"]?["value"]?.array ?? []
    expectEqual(enrolled.compactMap { $0["key"]?.string }, ["okta_password", "okta_email"])
    try await client.choose("Security Question", in: enroll)
    try await client.submit(
      "enroll-authenticator",
      ["credentials": ["questionKey": "first_concert", "answer": "Mendelssohn"]])
    expectEqual(client.remediations, [enroll, "skip"])
    expectEqual(client.options(of: enroll), ["Google Authenticator", "Phone"])
    try await client.choose("Google Authenticator", in: enroll)
    try await client.answer(await org.authenticatorCode(for: OrgClient.login))
    expectEqual(client.options(of: enroll), ["Phone"])
    try await client.submit("skip")
    expect(client.isDone)
  }

  @Test("Wrong codes during a setup lock the account")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(required: [.googleAuthenticator], attempts: 2))
    var client = try await OrgClient.signedIn(org)
    try await client.choose("Google Authenticator", in: enroll)
    for _ in 1...2 { try await client.answer("000000") }
    expectEqual(client.status, 429)
    expectEqual(client.messageKeys, ["oie.tooManyRequests"])
    try await client.introspect()
    expectEqual(client.status, 200)
    try await client.answer(await org.authenticatorCode(for: OrgClient.login))
    expectEqual(client.status, 429)
  }
}
