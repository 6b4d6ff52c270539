import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("The same handlers sign in over every protocol")
struct EveryProtocolTests {
  @Test("A password", arguments: Speech.allCases)
  func password(speech: Speech) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(.password))
    let credential = try await signIn.credential()
    #expect(credential.username == SharedSignIn.login && credential.id.subject != nil)
  }

  @Test("A password and a code of an app", arguments: Speech.allCases)
  func code(speech: Speech) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(.googleAuthenticator))
    _ = try await signIn.credential()
    #expect(!signIn.wasToldOfError)
  }

  @Test("A wrong password and a wrong code, then the right ones", arguments: Speech.allCases)
  func wrongThenRight(speech: Speech) async throws {
    let signIn = SharedSignIn(
      speech, to: SharedSignIn.org(.googleAuthenticator),
      passwords: ["Wrong-1843", SharedSignIn.password], codes: ["000000", nil])
    _ = try await signIn.credential()
    let wrong = signIn.received.filter { $0.response.allMessages.contains(where: \.isError) }
    #expect(wrong.count == 2)
  }

  @Test("A push that is approved", arguments: Speech.allCases)
  func push(speech: Speech) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(.push))
    _ = try await signIn.credential()
    #expect(!signIn.wasToldOfError && signIn.numbers.isEmpty)
  }

  @Test("A push whose number is picked on the device", arguments: Speech.allCases)
  func number(speech: Speech) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(.pushWithNumberChallenge))
    _ = try await signIn.credential()
    #expect(signIn.numbers.count == 1 && !signIn.wasToldOfError)
  }

  @Test(
    "A push that is rejected or not answered is told, and another can be approved",
    arguments: Speech.allCases, [OrgScenario.rejectedPush, .unansweredPush])
  func failedPush(speech: Speech, scenario: OrgScenario) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(scenario))
    _ = try await signIn.credential()
    #expect(signIn.wasToldOfError)
  }

  @Test("Who is locked gets no tokens, however right the password", arguments: Speech.allCases)
  func locked(speech: Speech) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(whoseUserIs: .locked))
    guard case .cancelled = try await signIn.run() else {
      Issue.record("It did not ask for the password again.")
      return
    }
    #expect(signIn.wasToldOfError)
  }

  @Test(
    "A sign-in that was answered wrongly too often is over, and is not asked on",
    arguments: [Speech.direct, .classic])
  func tooOften(speech: Speech) async throws {
    let signIn = SharedSignIn(
      speech, to: SharedSignIn.org(.googleAuthenticator),
      codes: Array(repeating: "000000", count: 9))
    guard case .ended(let state) = try await signIn.run() else {
      Issue.record("It went on.")
      return
    }
    #expect(
      state.response.messages.contains { $0.isError && $0.text?.contains("too often") == true })
  }

  @Test("Who is denied after all factors gets no tokens", arguments: Speech.allCases)
  func denied(speech: Speech) async throws {
    let signIn = SharedSignIn(speech, to: SharedSignIn.org(.denied))
    do {
      if case .signedIn = try await signIn.run() { Issue.record("There are tokens.") }
    } catch let error as FlowError { #expect(error.code == .refused) }
  }

  @Test(
    "An expired password is replaced, and the new one signs in by any other",
    arguments: Speech.changing)
  func expiredPassword(speech: Speech) async throws {
    let org = SharedSignIn.org(whoseUserIs: .passwordExpired)
    _ = try await SharedSignIn(speech, to: org).credential()
    for other in Speech.allCases {
      _ = try await SharedSignIn(other, to: org, passwords: [SharedSignIn.newPassword]).credential()
    }
  }

  @Test(
    "Google Authenticator is set up, and proved in any other sign-in", arguments: Speech.changing)
  func enrolment(speech: Speech) async throws {
    let org = SharedSignIn.org(.googleAuthenticatorEnrollment)
    let signIn = SharedSignIn(speech, to: org, codes: ["000000", nil])
    _ = try await signIn.credential()
    #expect(signIn.wasToldOfError)
    let secrets = signIn.received.compactMap {
      $0.response.currentAuthenticator?.oneTimePassword?.sharedSecret
    }
    #expect(Set(secrets).count == 1)
    for other in Speech.allCases {
      org.advance(by: 30)
      _ = try await SharedSignIn(other, to: org).credential()
    }
  }

  @Test("A sign-in is given up half way, and another is not in its way", arguments: Speech.allCases)
  func cancelled(speech: Speech) async throws {
    let org = SharedSignIn.org(.googleAuthenticator)
    guard case .cancelled = try await SharedSignIn(speech, to: org, passwords: ["Wrong-1843"]).run()
    else {
      Issue.record("It was not given up.")
      return
    }
    _ = try await SharedSignIn(speech, to: org).credential()
  }

  @Test(
    "A sign-in is taken up from a snapshot before each of its steps, by its own client alone",
    arguments: Speech.allCases)
  func resumed(speech: Speech) async throws {
    let org = SharedSignIn.org(.googleAuthenticator)
    let signIn = SharedSignIn(speech, to: org)
    let client = speech.client(of: org)
    func saved(_ state: FlowState) throws -> FlowState {
      try JSONDecoder().decode(FlowState.self, from: JSONEncoder().encode(state))
    }
    var state = try saved(try await client.start(try signIn.configuration))
    state = try saved(
      try await client.proceed(
        .identify, ["identifier": .text(SharedSignIn.login)], from: state))
    state = try saved(
      try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(SharedSignIn.password)],
        from: state))
    let begun = state
    for other in Speech.allCases where other != speech {
      let stranger = other.client(of: org)
      let error = await #expect(throws: FlowError.self) { try await stranger.refresh(begun) }
      #expect(error?.code == .unreadableState)
    }
    _ = try await signIn.credential(from: state)
  }

  @Test("The tokens are the same to whoever holds them", arguments: Speech.allCases)
  func tokens(speech: Speech) async throws {
    let org = SharedSignIn.org(.password)
    let credential = try await SharedSignIn(speech, to: org).credential()
    let info = try await org.tokenClient.userInfo(credential)
    #expect(info.subject == credential.id.subject)
    try await org.tokenClient.revoke(.access, of: credential)
    await #expect(throws: FlowError.self) { try await org.tokenClient.userInfo(credential) }
  }
}
