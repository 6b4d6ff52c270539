import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Answering forms.
struct ProceedTests {
  @Test(
    "An error names the forms that are offered, or all problems of the answers, and nothing is sent"
  )
  func notOffered() async throws {
    let test = try TestSignIn()
    let state = try await test.client.start(test.configuration)
    let client = test.client
    for body: @Sendable () async throws -> Void in [
      { _ = try await client.proceed(.skip, from: state) },
      { _ = try await client.poll(state) },
      { _ = try await client.redeem(state) },
    ] {
      let error = try await requireError(FlowError.self, body)
      expectEqual(error.code, .notOffered)
      expectContains(error.message, "identify, cancel")
    }
    await expectEqual(test.transport.requests.count, 2)

    let other = try TestSignIn(SignInPolicy(start: .withPassword))
    let asking = try await other.client.start(other.configuration)
    let answers: Answers = ["rememberMe": "perhaps", "shoeSize": "39"]
    let error = try await requireError(FlowError.self) {
      try await other.client.proceed(.identify, answers, from: asking)
    }
    expectEqual(error.code, .invalidAnswers)
    expectEqual(error.remediation, .identify)
    let invalid = try require(error.underlying as? InvalidAnswers)
    expectEqual(
      Set(invalid.problems.map(\.path)),
      [
        "identifier", "credentials.passcode", "rememberMe", "shoeSize",
      ])
    await expectEqual(other.transport.requests.count, 2)
  }

  @Test("A refresh changes nothing; a cancel starts over with a new state handle")
  func refreshAndCancel() async throws {
    let test = try TestSignIn()
    let state = try await test.afterUsername()
    let again = try await test.client.refresh(test.client.refresh(state))
    expectEqual(again.names, state.names)
    expectEqual(again.response.stateHandle, state.response.stateHandle)

    let fresh = try await test.client.startOver(state)
    expectEqual(fresh.names, [.identify])
    expect(fresh.response.stateHandle != state.response.stateHandle)
  }

  @Test(
    "An action of an authenticator is sent by its name; a poll is one request, and notices a followed link"
  )
  func actions() async throws {
    let test = try TestSignIn(.required(.email))
    let state = try await test.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.email)],
      from: test.afterPassword())
    let again = try await test.client.proceed(.resend, from: state)
    expectEqual(again.names.first, .enrollAuthenticator)
    await expectEqual(test.org.mailbox.messages.count, 2)

    var polled = try await test.client.poll(again)
    expectEqual(polled.names.first, .enrollAuthenticator)
    let mail = try await require(test.org.mailbox.messages.last)
    await test.org.followLink(in: mail)
    polled = try await test.client.poll(polled)
    expect(polled.response.issue != nil)
    await expectEqual(test.transport.count(of: "poll"), 2)
  }

  @Test("A sign-in takes five requests; the last one sends the code and the verifier as a form")
  func redeem() async throws {
    let test = try TestSignIn()
    let credential = try await test.credential()
    expectEqual(credential.tokens.expiresIn, 3600)
    let requests = await test.transport.requests
    await expectEqual(
      test.transport.steps, ["interact", "introspect", "identify", "answer", "token"])
    let sent = try require(requests.last)
    expectEqual(sent.url.absoluteString, "https://demo.okta.example/oauth2/default/v1/token")
    expectEqual(sent.headers["Content-Type"], "application/x-www-form-urlencoded")
    expectEqual(sent.parameters["grant_type"], "interaction_code")
    expectEqual(sent.parameters["client_id"], test.org.clientID)
    expectEqual(sent.parameters["redirect_uri"], test.org.redirectURI)
    expectEqual(sent.parameters["interaction_code"]?.isEmpty, false)
    let verifier = try require(sent.parameters["code_verifier"])
    let challenge = PKCE(verifier: Secret(verifier))?.challenge
    expectEqual(challenge, requests[0].parameters["code_challenge"])
  }

  @Test(
    "The content type is the one that the form accepts; by default JSON",
    arguments: [
      ("application/json; okta-version=1.0.0", "application/json; okta-version=1.0.0"),
      ("application/ion+json; okta-version=1.0.0", "application/ion+json; okta-version=1.0.0"),
      (nil, "application/json"),
    ] as [(String?, String)])
  func mediaTypes(accepts: String?, sent: String) async throws {
    let more = accepts.map { [("accepts", JSONValue.string($0))] } ?? []
    let document = Wire.document([Wire.form("identify", [], more)])
    let transport = RequestLog(StubServer(document: document))
    _ = try await transport.client.proceed(.identify, from: transport.start())
    let request = try await require(transport.requests.last)
    expectEqual(request.headers["Content-Type"], sent)
    expectEqual(request.headers["Accept"], "application/ion+json; okta-version=1.0.0")
  }
}
