import IDXDirectAuth
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("DirectAuth against an org that is as strict as can be")
struct SimulatedOrgTests {
  private static let login = SimulatedUser.demo.login
  private static let password = SimulatedUser.demo.password.revealed
  private static let moment = Date(timeIntervalSince1970: 1_800_000_000)

  private func org(
    _ policy: SignInPolicy, _ enrollments: [SimulatedUser.Enrollment] = [],
    status: SimulatedUser.Status = .active
  ) -> SimulatedOrg {
    var user = SimulatedUser.demo
    user.enrollments = enrollments
    user.status = status
    return SimulatedOrg(users: [user], policy: policy, seed: 1, clock: { Self.moment })
  }

  private func configuration(of org: SimulatedOrg) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
  }

  private func run(
    _ client: DirectAuthClient, of org: SimulatedOrg, options: StartOptions = StartOptions(),
    passkeys: SoftwareAuthenticator? = nil
  ) async throws -> Outcome {
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
    if let passkeys { handlers.usePasskeys(passkeys, prompter: nil) }
    let coordinator = FlowCoordinator(
      client: client, handlers: handlers, sleep: { org.advance(by: $0 / .seconds(1)) })
    return try await coordinator.run(try configuration(of: org), options)
  }

  @Test("Whose password has expired learns that, and is not asked for it again")
  func expiredPassword() async throws {
    let org = org(.passwordOnly, status: .passwordExpired)
    let client = DirectAuthClient(transport: org, tokens: org.tokenClient)
    guard case .ended(let state) = try await run(client, of: org) else {
      Issue.record("It did not end.")
      return
    }
    #expect(state.response.messages.first?.text?.contains("expired") == true)
    #expect(await org.requests.count { $0.hasSuffix("/token") } == 1)
  }

  @Test("A code by phone gets a token that replaces a lost password, and nothing else")
  func recovery() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.recovery = AccountPolicy.Recovery(by: [.phone])
    let org = org(policy, [.phone("+15550100142")], status: .passwordExpired)
    let client = DirectAuthClient(
      transport: org, factors: [.sms], intent: .recovery,
      // Nobody is signed in, so there is no ID token to insist on.
      tokens: TokenClient(transport: org, requiresIDToken: true, now: { org.now }))
    guard case .signedIn(let signIn) = try await run(client, of: org) else {
      Issue.record("There are no tokens.")
      return
    }
    #expect(signIn.credential.tokens.scopes == ["okta.myAccount.password.manage"])
    #expect(signIn.credential.tokens.idToken == nil && signIn.credential.id.subject == nil)
    #expect(signIn.credential.username == Self.login)
    await #expect(throws: FlowError.self) {
      try await org.tokenClient.userInfo(signIn.credential)
    }
  }

  @Test("A lost password is not asked for to replace it", arguments: [false, true])
  func recoveryByPassword(hasOthers: Bool) async throws {
    let org = org(.passwordOnly)
    let client = DirectAuthClient(
      transport: org, factors: hasOthers ? [.sms, .password] : [.password], intent: .recovery)
    await #expect {
      try await client.start(try configuration(of: org))
    } throws: { ($0 as? FlowError)?.code == .invalidConfiguration }
  }

  @Test("A recovery goes on to the factor that the policy takes for it")
  func recoveryBySecondFactor() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.recovery = AccountPolicy.Recovery(by: [.phone])
    let org = org(policy, [.phone("+15550100142"), .passkey(.demo, name: "Demo key")])
    let client = DirectAuthClient(
      transport: org, factors: [.webAuthn], intent: .recovery, tokens: org.tokenClient)
    guard case .signedIn(let signIn) = try await run(client, of: org, passkeys: .demo) else {
      Issue.record("There are no tokens.")
      return
    }
    #expect(signIn.credential.tokens.scopes == ["okta.myAccount.password.manage"])
  }

  @Test("A passkey signs in, as the first factor or the second", arguments: [true, false])
  func passkey(isFirst: Bool) async throws {
    let org = org(
      isFirst ? .passwordOnly : .required(.webAuthn), [.passkey(.demo, name: "Demo key")])
    let client = DirectAuthClient(
      transport: org, factors: [isFirst ? .webAuthn : .password], tokens: org.tokenClient)
    guard case .signedIn(let signIn) = try await run(client, of: org, passkeys: .demo) else {
      Issue.record("There are no tokens.")
      return
    }
    #expect(signIn.credential.id.subject != nil)
  }

  @Test("Who is likely to sign in need not be typed")
  func loginHint() async throws {
    let org = org(.passwordOnly)
    let client = DirectAuthClient(transport: org, tokens: org.tokenClient)
    var options = StartOptions()
    options.loginHint = Self.login
    options.maximumAge = 60
    var state = try await client.start(try configuration(of: org), options)
    state = try await client.proceed(.identify, from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(Self.password)], from: state)
    #expect(try await client.redeem(state).username == Self.login)
  }
}
