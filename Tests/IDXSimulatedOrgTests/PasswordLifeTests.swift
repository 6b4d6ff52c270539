import Expectations
import Foundation
import IDX
import IDXSimulatedOrg
import Testing

/// Expiring passwords in the simulated org.
struct PasswordLifeTests {
  private func expiring(_ policy: SignInPolicy = .passwordOnly) async -> SimulatedOrg {
    let org = makeOrg(policy)
    var ada = await org.user("ada@shop.example")
    ada?.daysToPasswordExpiry = 4
    if let ada { await org.update(ada) }
    return org
  }

  private var elsewhere: SignInPolicy {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.passwordSite = .init()
    return policy
  }

  @Test("The warning can be skipped, and optional authenticators are still offered")
  func skip() async throws {
    let org = await expiring(.optional(.email))
    var client = try await OrgClient(org)
    try await client.signIn()
    try await client.submit("skip")
    expectEqual(client.remediations, ["select-authenticator-enroll", "skip"])
    expectEqual(client.messageKeys, [])
    try await client.submit("skip")
    expect(client.isDone)
    await expectEqual(org.user("ada@shop.example")?.daysToPasswordExpiry, 4)
  }

  @Test("A password can be changed on another site")
  func elsewhereExpired() async throws {
    let org = makeOrg(elsewhere, status: .passwordExpired)
    var client = try await OrgClient(org)
    try await client.signIn()
    expectEqual(client.remediations, ["reenroll-custom-password-expiry"])
    let form = client.form("reenroll-custom-password-expiry")
    expectEqual(form?["customExpiredPasswordName"], "Password help")
    let address = try require(form?["customExpiredPasswordURL"]?.string)
    try await client.answer("Mechanism-1831")
    expectEqual(client.status, 403)
    expectEqual(client.messageKeys, ["simulated.password.elsewhere"])
    await expectEqual(org.visit(try require(URL(string: address))), nil)
    try await client.submit("cancel")
    try await client.signIn()
    expect(client.isDone)
  }
}
