import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Sign-in with identity providers", .timeLimit(.minutes(10)))
struct IdentityProviderTests {
  private static let provider = AccountPolicy.IdentityProvider(type: "OIDC", name: "Company")
  private static let optional = SignInPolicy.passwordOnly.accounts {
    $0.identityProviders = [provider]
  }
  private static let only = optional.accounts { $0.identityProvidersOnly = true }
  private static let choice = ScriptedReply.instead("identifier", .redirectIdP)
  private static let page = Wire.form(
    "redirect-idp", href: "https://idp.example/in", method: "GET")

  @Test(
    "The browser brings back the code for the tokens",
    arguments: [
      (Self.optional, .redirectIdP),
      (SignInPolicy.passwordOnly.accounts { $0.smartCard = true }, .smartCard),
    ] as [(SignInPolicy, Remediation.Name)])
  func signIn(policy: SignInPolicy, page: Remediation.Name) async throws {
    let test = try TestSignIn(policy)
    let log = EventLog()
    let (outcome, _) = try await test.run(
      [.instead("identifier", page), test.returning(from: page)], log: log)
    await expectEqual(log.count(of: "accepted \(page)"), 1)
    expect(outcome.signIn != nil)
    // No request goes to the page, and the code needs no introspection.
    await expectEqual(test.transport.steps, ["interact", "introspect", "token"])
    await expect(test.transport.requests.last?.parameters["code_verifier"] != nil)
  }

  @Test("If the org needs another factor after the provider, the sign-in continues")
  func anotherFactor() async throws {
    let policy = SignInPolicy.required(.email).accounts { $0.identityProviders = [Self.provider] }
    let test = try TestSignIn(policy, .email)
    let (outcome, _) = try await test.run([
      Self.choice, test.returning(), .passcode("000000"), test.sentCode(),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(
      test.transport.steps,
      [
        "interact", "introspect", "introspect", "challenge", "answer", "answer", "token",
      ])
    let handles = await test.transport.requests.compactMap {
      $0.json?["interactionHandle"]?.string
    }
    expectEqual(Set(handles).count, 1)
  }

  @Test(
    "If the provider refuses, the person is told why, and can open the page again or use the password"
  )
  func refusal() async throws {
    let test = try TestSignIn(Self.only)
    let (outcome, person) = try await test.run([
      test.returning(refusing: true), .instead("redirect-idp", .redirectIdP), test.returning(),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(person.problems.count, 1)

    let other = try TestSignIn(Self.optional)
    let (signedIn, _) = try await other.run([
      Self.choice, other.returning(refusing: true), .instead("redirect-idp", .identify), .login,
      .password,
    ])
    expect(signedIn.signIn != nil)
  }

  @Test(
    "An address for another sign-in, or another address, is not accepted", .promise("stolen-code"),
    arguments: [
      "com.example.demo:/callback?interaction_code=stolen&state=another",
      "com.example.demo:/callback?interaction_code=stolen",
      "com.example.demo:/elsewhere?interaction_code=stolen&state=another",
      "com.example.demo:/callback",
    ])
  func otherAddress(address: String) async throws {
    let test = try TestSignIn(Self.only)
    let (outcome, person) = try await test.run([
      .returning("redirect-idp") { _ in URL(string: address) }, .cancel("redirect-idp"),
    ])
    expect(outcome.isCancelled)
    await expectEqual(test.transport.count(of: "token"), 0)
    await expectEqual(person.problems.count, 1)
    await expect(person.problems.allSatisfy { !$0.contains("stolen") })
  }

  @Test(
    "A page to which the browser returns is opened again up to the limit, but not if it has an error"
  )
  func endlessPage() async throws {
    var limits = FlowLimits()
    limits.steps = 5
    let person = ScriptedFrontEnd(Array(repeating: Self.returningWithoutCode, count: 5))
    let error = try await requireError(FlowError.self) {
      try await IntrospectionServer { Wire.document([Self.page]) }
        .run(.showing(on: person), limits: limits)
    }
    expectEqual(error.code, .limitReached)

    let introspections = Locked(0)
    let server = IntrospectionServer {
      introspections.increment() == 1
        ? Wire.document([Self.page])
        : Wire.document([Self.page], [("messages", Wire.messages("idp.failed"))])
    }
    let asked = ScriptedFrontEnd([Self.returningWithoutCode, .cancel("redirect-idp")])
    try await expect(server.run(.showing(on: asked)).isCancelled)
    try await asked.finish()
    await expectEqual(asked.messages, ["idp.failed"])
  }

  private static let returningWithoutCode = ScriptedReply.returning("redirect-idp") { _ in
    URL(string: "com.example.shop:/callback?error=interaction_required")
  }

  /// A server whose document can be another one at each introspection.
  private struct IntrospectionServer: Transport {
    let document: @Sendable () -> JSONValue

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      request.url.lastPathComponent == "interact"
        ? .json(["interaction_handle": "ih_stub"]) : .json(document())
    }
  }
}
