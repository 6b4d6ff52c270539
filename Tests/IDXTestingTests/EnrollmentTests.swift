import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXQRCode
import IDXTesting
import Testing

@Suite("Setting up authenticators in the simulated org")
struct EnrollmentTests {
  private let enroll = "select-authenticator-enroll"

  @Test("The secret stays the same when the user looks at another authenticator and comes back")
  func secretStays() async throws {
    var visitor = try await Visitor(makeOrg(.demo))
    try await visitor.signIn()
    try await visitor.choose("Google Authenticator", in: enroll)
    let secret = visitor.sharedSecret
    #expect(secret != nil)
    #expect(visitor.remediations == ["enroll-authenticator", enroll, "skip"])
    #expect(visitor.options(of: enroll) == ["Email"])
    try await visitor.choose("Email", in: enroll)
    #expect(visitor.sharedSecret == nil)
    try await visitor.choose("Google Authenticator", in: enroll)
    #expect(visitor.sharedSecret == secret)
  }

  @Test(
    "What is no telephone number is refused, and the step stays",
    arguments: ["", "5550100142", "+0155501001", "+1555", "+1 555 010 0142", "+15550100142000000"])
  func badNumber(number: String) async throws {
    let org = makeOrg(.required(.phone))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.choose("Phone", in: enroll)
    let id = try #require(visitor.current?["id"])
    try await visitor.submit(
      "authenticator-enrollment-data",
      ["authenticator": ["id": id, "methodType": "sms", "phoneNumber": .string(number)]])
    #expect(visitor.status == 400)
    #expect(
      visitor.messageKeys
        == [number.isEmpty ? "api.error.field_required" : "api.factors.error.sms.invalid_phone"])
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.introspect()
    #expect(visitor.remediations == ["authenticator-enrollment-data"])
  }

  @Test("Required authenticators come first and cannot be skipped; then the rest is offered")
  func requiredThenOptional() async throws {
    let policy = SignInPolicy(
      required: [.email, .securityQuestion], optional: [.googleAuthenticator, .phone])
    let org = makeOrg(policy)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == [enroll])
    #expect(visitor.options(of: enroll) == ["Email", "Security Question"])
    try await visitor.choose("Email", in: enroll)
    #expect(visitor.remediations == ["enroll-authenticator", enroll])
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "ada@shop.example")))
    #expect(visitor.options(of: enroll) == ["Security Question"])
    let enrolled = visitor.json["authenticatorEnrollments"]?["value"]?.array ?? []
    #expect(enrolled.compactMap { $0["key"]?.string } == ["okta_password", "okta_email"])
    try await visitor.choose("Security Question", in: enroll)
    try await visitor.submit(
      "enroll-authenticator",
      ["credentials": ["questionKey": "first_concert", "answer": "Mendelssohn"]])
    #expect(visitor.remediations == [enroll, "skip"])
    #expect(visitor.options(of: enroll) == ["Google Authenticator", "Phone"])
    try await visitor.choose("Google Authenticator", in: enroll)
    try await visitor.answer(
      try #require(await org.authenticatorCode(for: "ada@shop.example")))
    #expect(visitor.options(of: enroll) == ["Phone"])
    try await visitor.submit("skip")
    #expect(visitor.isDone)
  }

  @Test("Wrong codes while setting up lock the account too")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(required: [.googleAuthenticator], attempts: 2))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.choose("Google Authenticator", in: enroll)
    try await visitor.answer("000000")
    try await visitor.answer("000000")
    #expect(visitor.status == 429)
    #expect(visitor.messageKeys == ["oie.tooManyRequests"])
    try await visitor.introspect()
    #expect(visitor.status == 200)
    try await visitor.answer(
      try #require(await org.authenticatorCode(for: "ada@shop.example")))
    #expect(visitor.status == 429)
  }
}
