import Expectations
import Foundation
import IDX
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import Testing

/// DirectAuth with the simulated org.
struct DirectAuthOrgTests {
  private static let login = SimulatedUser.demo.login
  private static let password = SimulatedUser.demo.password.revealed
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func org(
    _ policy: SignInPolicy, _ enrollments: [SimulatedUser.Enrollment] = [],
    status: SimulatedUser.Status = .active
  ) -> SimulatedOrg {
    var user = SimulatedUser.demo
    user.enrollments = enrollments
    user.status = status
    return SimulatedOrg(users: [user], policy: policy, seed: 1, clock: { Self.now })
  }

  /// The credential of a sign-in.
  private func credential(
    _ client: DirectAuthClient, of org: SimulatedOrg, passkeys: SoftwareAuthenticator? = nil,
    _ options: StartOptions = StartOptions()
  ) async throws -> Credential {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(Self.login)]) }
    handlers.on(.challengeAuthenticator, .password) { _ in
      .submit(["credentials.passcode": .text(Self.password)])
    }
    handlers.on(.challengeAuthenticator, .phone) { _ in
      let code = await org.mailbox.messages.last?.code ?? ""
      return .submit(["credentials.passcode": .text(code)])
    }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in
      .submit(["authenticator": .authenticator(.phone)])
    }
    let person = ScriptedFrontEnd([], passkeys: passkeys)
    handlers.screens.canUsePasskeys = true
    handlers.frontEnd = person
    handlers.on(.challengeAuthenticator, .webAuthn) { try await $0.builtInDecision() }
    let coordinator = FlowCoordinator(
      client: client, handlers: handlers, sleep: { org.advance(by: $0 / .seconds(1)) })
    let outcome = try await coordinator.run(org.configuration, options)
    guard case .signedIn(let signIn) = outcome else {
      return try require(nil, "The sign-in ended with \(outcome).")
    }
    return signIn.credential
  }

  @Test("A code by SMS gets a token that can only replace a forgotten password")
  func recovery() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.recovery = AccountPolicy.Recovery(by: [.phone])
    let org = org(policy, [.phone("+15550100142")], status: .passwordExpired)
    let client = DirectAuthClient(
      transport: org, factors: [.sms], intent: .recovery,
      // A recovery does not sign in, so it needs no ID token.
      tokens: TokenClient(transport: org, now: { org.now }))
    let credential = try await credential(client, of: org)
    expectEqual(credential.tokens.scopes, ["okta.myAccount.password.manage"])
    expect(credential.tokens.idToken == nil && credential.id.subject == nil)
    expectEqual(credential.username, Self.login)
    await #expect(throws: FlowError.self) { try await org.tokenClient.userInfo(credential) }
  }

  @Test("Recovery cannot start with the password", arguments: [false, true])
  func recoveryByPassword(hasOthers: Bool) async throws {
    let org = org(.passwordOnly)
    let client = DirectAuthClient(
      transport: org, factors: hasOthers ? [.sms, .password] : [.password], intent: .recovery)
    let error = try await requireError(FlowError.self) { try await client.start(org.configuration) }
    expectEqual(error.code, .invalidConfiguration)
  }

  @Test("Recovery continues with the factor that the policy requires")
  func recoveryBySecondFactor() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.recovery = AccountPolicy.Recovery(by: [.phone])
    let org = org(policy, [.phone("+15550100142"), .passkey(.demo, name: "Demo key")])
    let client = DirectAuthClient(
      transport: org, factors: [.webAuthn], intent: .recovery, tokens: org.tokenClient)
    let credential = try await credential(client, of: org, passkeys: .demo)
    expectEqual(credential.tokens.scopes, ["okta.myAccount.password.manage"])
  }

  @Test("A passkey signs in as the first or the second factor", arguments: [true, false])
  func passkey(isFirst: Bool) async throws {
    let org = org(
      isFirst ? .passwordOnly : .required(.webAuthn), [.passkey(.demo, name: "Demo key")])
    let client = DirectAuthClient(
      transport: org, factors: [isFirst ? .webAuthn : .password], tokens: org.tokenClient)
    var options = StartOptions()
    // Each sign-in asks for the factors, so it is never too old.
    options.maximumAge = 60
    try await expect(credential(client, of: org, passkeys: .demo, options).id.subject != nil)
  }
}
