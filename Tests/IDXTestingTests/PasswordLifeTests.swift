import Foundation
import IDX
import IDXTesting
import Testing

@Suite("The life of a password in the simulated org")
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

  @Test("The warning may be passed over, and what else is optional is offered all the same")
  func skip() async throws {
    let org = await expiring(.optional(.email))
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    try await visitor.submit("skip")
    #expect(visitor.remediations == ["select-authenticator-enroll", "skip"])
    #expect(visitor.messageKeys == [])
    try await visitor.submit("skip")
    #expect(visitor.isDone)
    #expect(await org.user("ada@shop.example")?.daysToPasswordExpiry == 4)
  }

  @Test("A password that is kept elsewhere is changed there")
  func elsewhereExpired() async throws {
    let org = makeOrg(elsewhere, status: .passwordExpired)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == ["reenroll-custom-password-expiry"])
    let form = visitor.form("reenroll-custom-password-expiry")
    #expect(form?["customExpiredPasswordName"] == "Password help")
    let address = try #require(form?["customExpiredPasswordURL"]?.string)
    try await visitor.answer("Mechanism-1831")
    #expect(visitor.status == 403)
    #expect(visitor.messageKeys == ["simulated.password.elsewhere"])
    #expect(await org.visit(try #require(URL(string: address))) == nil)
    try await visitor.submit("cancel")
    try await visitor.signIn()
    #expect(visitor.isDone)
  }
}
