import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXQRCode
import IDXSimulatedOrg
import Testing

/// Setting up authenticators in the simulated org.
struct EnrollmentTests {
  private let enroll = "select-authenticator-enroll"

  @Test("The secret stays the same after a look at another authenticator")
  func secretStays() async throws {
    var client = try await OrgClient(makeOrg(.demo))
    try await client.signIn()
    try await client.choose("Google Authenticator", in: enroll)
    let secret = client.sharedSecret
    expect(secret != nil)
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
    let org = makeOrg(.required(.phone))
    var client = try await OrgClient(org)
    try await client.signIn()
    try await client.choose("Phone", in: enroll)
    let id = try require(client.current?["id"])
    try await client.submit(
      "authenticator-enrollment-data",
      ["authenticator": ["id": id, "methodType": "sms", "phoneNumber": .string(number)]])
    expectEqual(client.status, 400)
    expectEqual(
      client.messageKeys,
      [number.isEmpty ? "api.error.field_required" : "api.factors.error.sms.invalid_phone"])
    await expectEmpty(org.mailbox.messages)
    try await client.introspect()
    expectEqual(client.remediations, ["authenticator-enrollment-data"])
  }

  @Test("Required authenticators come first and cannot be skipped; then the others are offered")
  func requiredThenOptional() async throws {
    let policy = SignInPolicy(
      required: [.email, .securityQuestion], optional: [.googleAuthenticator, .phone])
    let org = makeOrg(policy)
    var client = try await OrgClient(org)
    try await client.signIn()
    expectEqual(client.remediations, [enroll])
    expectEqual(client.options(of: enroll), ["Email", "Security Question"])
    try await client.choose("Email", in: enroll)
    expectEqual(client.remediations, ["enroll-authenticator", enroll])
    try await client.answer(try await require(org.mailbox.lastCode(to: "ada@shop.example")))
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
    try await client.answer(
      try await require(org.authenticatorCode(for: "ada@shop.example")))
    expectEqual(client.options(of: enroll), ["Phone"])
    try await client.submit("skip")
    expect(client.isDone)
  }

  @Test("Wrong codes during a setup lock the account")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(required: [.googleAuthenticator], attempts: 2))
    var client = try await OrgClient(org)
    try await client.signIn()
    try await client.choose("Google Authenticator", in: enroll)
    try await client.answer("000000")
    try await client.answer("000000")
    expectEqual(client.status, 429)
    expectEqual(client.messageKeys, ["oie.tooManyRequests"])
    try await client.introspect()
    expectEqual(client.status, 200)
    try await client.answer(
      try await require(org.authenticatorCode(for: "ada@shop.example")))
    expectEqual(client.status, 429)
  }
}
