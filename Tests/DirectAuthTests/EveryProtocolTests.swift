import DirectAuth
import Foundation
import IDX
import IDXFlow
import IDXTesting
import OAuth
import POSIX
import Testing

/// A way to speak with the org; handlers know of none.
enum Speech: String, CaseIterable, Sendable {
  case idx, direct

  func client(of org: SimulatedOrg) -> any FlowClient {
    switch self {
    case .idx: org.client
    case .direct: DirectAuthClient(transport: org, tokens: org.tokenClient)
    }
  }
}

@Suite("The same handlers sign in over every protocol")
struct EveryProtocolTests {
  private static let login = SimulatedUser.demo.login
  private static let password = SimulatedUser.demo.password.revealed

  /// Time stands still but for polls, so that nothing expires on a busy machine.
  private static let moment = Date(timeIntervalSince1970: 1_800_000_000)

  private let passwords: Guarded<[String]>
  private let codes: Guarded<[String?]>

  init() {
    passwords = Guarded([])
    codes = Guarded([])
  }

  /// Signs in with these passwords and codes, one after the other; a code that is nil is the right one.
  private func signIn(
    _ speech: Speech, _ org: SimulatedOrg, passwords: [String] = [password],
    codes: [String?] = [nil], from state: FlowState? = nil,
    observe: @escaping @Sendable (FlowEvent) async -> Void = { _ in }
  ) async throws -> Outcome {
    self.passwords.withLock { $0 = passwords }
    self.codes.withLock { $0 = codes }
    let coordinator = Coordinator(
      client: speech.client(of: org), handlers: handlers(org),
      sleep: { org.advance(by: $0 / .seconds(1)) }, observe: observe)
    if let state { return try await coordinator.run(from: state) }
    return try await coordinator.run(try configuration(of: org))
  }

  private func configuration(of org: SimulatedOrg) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
  }

  private func handlers(_ org: SimulatedOrg) -> Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(Self.login)]) }
    handlers.on(.challengeAuthenticator, .password) { [passwords] _ in
      let next = passwords.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return next.map { .submit(["credentials.passcode": .text($0)]) } ?? .cancel
    }
    handlers.on(.challengeAuthenticator, .googleAuthenticator) { [codes] step in
      let next: String? = codes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      let right = await org.authenticatorCode(for: Self.login) ?? ""
      return .submit(["credentials.passcode": .text(next ?? right)])
    }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in
      .submit(["authenticator": .authenticator(.oktaVerify)])
    }
    handlers.on(.authenticatorVerificationData, .oktaVerify) { _ in
      .submit(["authenticator.methodType": "push"])
    }
    handlers.on(.challengePoll) { _ in .poll() }
    return handlers
  }

  private func credential(_ outcome: Outcome) throws -> Credential {
    guard case .signedIn(let signIn) = outcome else { throw Ended(outcome) }
    return signIn.credential
  }

  private struct Ended: Error {
    let outcome: Outcome
    init(_ outcome: Outcome) { self.outcome = outcome }
  }

  @Test("A password", arguments: Speech.allCases)
  func password(speech: Speech) async throws {
    let org = SimulatedOrg(.password, seed: 1, clock: { Self.moment })
    let credential = try credential(try await signIn(speech, org))
    #expect(credential.username == Self.login && credential.id.subject != nil)
  }

  @Test("A password and a code of an app", arguments: Speech.allCases)
  func code(speech: Speech) async throws {
    let org = SimulatedOrg(.googleAuthenticator, seed: 1, clock: { Self.moment })
    _ = try credential(try await signIn(speech, org))
  }

  @Test("A wrong password and a wrong code, then the right ones", arguments: Speech.allCases)
  func wrongThenRight(speech: Speech) async throws {
    let org = SimulatedOrg(.googleAuthenticator, seed: 1, clock: { Self.moment })
    _ = try credential(
      try await signIn(
        speech, org, passwords: ["Wrong-1843", Self.password], codes: ["000000", nil]))
  }

  @Test(
    "A push that is approved, with a number or without, also after one that was not",
    arguments: Speech.allCases,
    [OrgScenario.push, .pushWithNumberChallenge, .rejectedPush, .unansweredPush])
  func push(speech: Speech, scenario: OrgScenario) async throws {
    let org = SimulatedOrg(scenario, seed: 1, clock: { Self.moment })
    let numbers = Guarded<[String]>([])
    let outcome = try await signIn(speech, org) { event in
      guard case .received(let state) = event else { return }
      if let number = state.response.currentAuthenticator?.numberChallenge {
        numbers.withLock { $0.append(number) }
      }
    }
    _ = try credential(outcome)
    #expect(numbers.withLock { $0 }.isEmpty == (scenario.name != "push-number"))
  }

  @Test("Who is locked gets no tokens, however right the password", arguments: Speech.allCases)
  func locked(speech: Speech) async throws {
    var user = SimulatedUser.demo
    user.status = .locked
    let org = SimulatedOrg(users: [user], policy: .passwordOnly, seed: 1, clock: { Self.moment })
    guard case .cancelled = try await signIn(speech, org, passwords: [Self.password]) else {
      Issue.record("It did not ask for the password again.")
      return
    }
  }

  @Test("A sign-in is given up half way, and another is not in its way", arguments: Speech.allCases)
  func cancelled(speech: Speech) async throws {
    let org = SimulatedOrg(.googleAuthenticator, seed: 1, clock: { Self.moment })
    guard case .cancelled = try await signIn(speech, org, passwords: ["Wrong-1843"]) else {
      Issue.record("It was not given up.")
      return
    }
    _ = try credential(try await signIn(speech, org))
  }

  @Test(
    "A sign-in is taken up from a snapshot before each of its steps", arguments: Speech.allCases)
  func resumed(speech: Speech) async throws {
    let org = SimulatedOrg(.googleAuthenticator, seed: 1, clock: { Self.moment })
    let client = speech.client(of: org)
    func saved(_ state: FlowState) throws -> FlowState {
      try JSONDecoder().decode(FlowState.self, from: JSONEncoder().encode(state))
    }
    var state = try saved(try await client.start(try configuration(of: org)))
    state = try saved(
      try await client.proceed(.identify, ["identifier": .text(Self.login)], from: state))
    state = try saved(
      try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(Self.password)], from: state))
    _ = try credential(try await signIn(speech, org, from: state))
  }

  @Test("The tokens are the same to whoever holds them", arguments: Speech.allCases)
  func tokens(speech: Speech) async throws {
    let org = SimulatedOrg(.password, seed: 1, clock: { Self.moment })
    let credential = try credential(try await signIn(speech, org))
    let info = try await org.tokenClient.userInfo(credential)
    #expect(info.subject == credential.id.subject)
    try await org.tokenClient.revoke(.access, of: credential)
    await #expect(throws: FlowError.self) { try await org.tokenClient.userInfo(credential) }
  }
}
