import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Interstitial steps of the simulated org.
struct InterstitialStepTests {
  /// A client that has signed in and is at these steps.
  private func after(_ steps: AccountPolicy.InterstitialStep...) async throws -> OrgClient {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = steps
    return try await OrgClient.signedIn(makeOrg(policy))
  }

  @Test(
    "Consent continues the sign-in, and a refusal ends it",
    arguments: [
      (AccountPolicy.InterstitialStep.consent(scopes: ["email", "phone"]), "consent"),
      (.adminConsent(scopes: ["email", "phone"]), "admin-consent"),
      (.emailConsent, "email-challenge-consent"),
    ])
  func consent(step: AccountPolicy.InterstitialStep, name: String) async throws {
    let asked = try await after(step)
    expectEqual(asked.remediations, [name])
    let form = try require(asked.form(name))
    if step == .emailConsent {
      expectEqual(form["requestInfo"]?.array?.count, 3)
    } else {
      expectEqual(form["scopes"]?.array?.compactMap { $0["value"]?.string }, ["email", "phone"])
    }
    var client = asked
    try await client.submit(name, ["consent": "true"])
    expectEqual(client.messageKeys, ["simulated.field.notAnOption"])
    client = asked
    try await client.submit(name)
    expectEqual(client.messageKeys, ["api.error.field_required"])
    client = asked
    try await client.submit(name, ["consent": true])
    expect(client.isDone)

    client = try await after(step)
    try await client.submit(name, ["consent": false])
    expectEqual(client.status, 403)
    expectEqual(client.messageKeys, ["access_denied"])
    expectEqual(client.remediations, [])
    try await client.submit("cancel")
    expectEqual(client.remediations, ["identify"])
  }

  @Test("Scopes can be refused one by one, except openid")
  func granularConsent() async throws {
    let asked = try await after(.granularConsent(scopes: ["openid", "plan", "plan.details"]))
    var client = asked
    try await client.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": false, "plan": true, "plan.details": true]])
    expectEqual(client.messageKeys, ["simulated.field.fixed"])
    client = asked
    try await client.submit(
      "granular-consent", ["consent": true, "optedScopes": ["openid": true, "plan": true]])
    expectEqual(client.messageKeys, ["api.error.field_required"])
    client = asked
    try await client.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": true, "plan": true, "plan.details": false]])
    expect(client.isDone)

    client = try await after(.granularConsent(scopes: ["openid", "offline_access"]))
    try await client.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": true, "offline_access": false]])
    try await client.redeem()
    expectEqual(client.json["scope"], "openid")
    expectEqual(client.json["refresh_token"], nil)
  }

  @Test("A denial is a final step, with or without cancel", arguments: [true, false])
  func denial(isFinal: Bool) async throws {
    var client = try await after(.denial(isFinal: isFinal))
    expectEqual(client.status, 403)
    expectEqual(client.messageKeys, ["security.access_denied"])
    expectEqual(client.remediations, [])
    expectEqual((client.form("cancel") == nil), isFinal)
    try await client.introspect()
    expectEqual(client.messageKeys, ["security.access_denied"])
  }
}
