import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Sign-ins to an app whose tokens must be bound to a key.
struct BoundSignInTests {
  @Test("The defaults are enough, in every protocol", arguments: SignInProtocol.all)
  func defaults(signInProtocol: SignInProtocol) async throws {
    let signIn = SharedSignIn(signInProtocol, to: SharedSignIn.org(OrgScenario["dpop"]))
    let credential = try await signIn.credential()
    expect(credential.tokens.needsProof && credential.tokens.key != nil)
    expect(!signIn.showedError)
    let tokens = signIn.org.tokenClient
    try await expectEqual(tokens.userInfo(credential).username, SharedSignIn.login)
  }

  @Test(
    "A wrong password counts once, and the sign-in has one key from its first proof to the tokens",
    arguments: SignInProtocol.all)
  func factors(signInProtocol: SignInProtocol) async throws {
    var scenario = OrgScenario["google"]
    scenario.policy.requiresDPoP = true
    scenario.policy.attempts = 2
    let org = SharedSignIn.org(scenario)
    let log = RequestLog(org)
    let tokens = TokenClient(transport: log, now: { org.now })
    await signInProtocol.prepare(org)
    let client = signInProtocol.client(over: log, tokens)
    var state = try await client.start(org.configuration)
    state = try await client.proceed(
      .identify, ["identifier": .text(SharedSignIn.login)], from: state)
    for password in ["Wrong-1843", SharedSignIn.password] {
      if state.response[.challengeAuthenticator] == nil, let form = state.response[.identify] {
        state = try await client.proceed(
          form.name, ["identifier": .text(SharedSignIn.login)], from: state)
      }
      state = try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(password)], from: state)
      // Another process goes on from here.
      state = try FlowState(snapshot: state.snapshot(), for: org.configuration)
    }
    let code = try await require(org.authenticatorCode(for: SharedSignIn.login))
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(code)], from: state)
    let credential = try await client.redeem(state)
    let key = try require(credential.tokens.key)
    for request in await log.requests where request.url.lastPathComponent == "token" {
      guard let proof = request.headers["DPoP"] else { continue }
      let header = try require(proof.split(separator: ".").first)
      let json = try JSONValue(parsing: require(Base64URL.decode(String(header))))
      let x = try require(json["jwk"]?["x"]?.string)
      try expectEqual(JSONValue(parsing: JSONEncoder().encode(key))["x"]?.string, x)
    }
    try await expectEqual(tokens.userInfo(credential).username, SharedSignIn.login)
  }
}
