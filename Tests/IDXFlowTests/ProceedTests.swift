import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("Going from step to step")
struct ProceedTests {
  @Test("A sign-in by user name, then password takes five requests")
  func fiveRequests() async throws {
    let world = try World()
    _ = try await world.client.redeem(world.pastPassword())
    #expect(await world.line.steps == ["interact", "introspect", "identify", "answer", "token"])
  }

  @Test("A response that refuses is a state with its status, its messages and its request's id")
  func refusal() async throws {
    let world = try World()
    let state = try await world.client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "a guess"], from: world.identified())
    #expect(state.status == 401)
    #expect(state.requestID != nil)
    #expect(state.response.says(.incorrectPassword))
    #expect(state.names == [.challengeAuthenticator])
  }

  @Test("What the response does not offer is refused, naming what it does offer")
  func notOffered() async throws {
    let world = try World()
    let state = try await world.client.start(world.configuration)
    let client = world.client
    for body: @Sendable () async throws -> Void in [
      { _ = try await client.proceed(.skip, from: state) },
      { _ = try await client.poll(state) },
      { _ = try await client.redeem(state) },
    ] {
      let error = try await flowError(body)
      #expect(error.code == .notOffered)
      #expect(error.message.contains("identify, cancel"))
    }
    #expect(await world.line.requests.count == 2)
  }

  @Test("Everything wrong with the answers is reported at once, and nothing is sent")
  func invalidAnswers() async throws {
    let world = try World(SignInPolicy(start: .withPassword))
    let state = try await world.client.start(world.configuration)
    let answers: Answers = ["rememberMe": "perhaps", "shoeSize": "39"]
    let error = try await flowError {
      try await world.client.proceed(.identify, answers, from: state)
    }
    #expect(error.code == .invalidAnswers)
    #expect(error.remediation == .identify)
    let invalid = try #require(error.underlying as? InvalidAnswers)
    #expect(
      Set(invalid.problems.map(\.path)) == [
        "identifier", "credentials.passcode", "rememberMe", "shoeSize",
      ])
    #expect(await world.line.requests.count == 2)
  }

  @Test("Refreshing tells where the sign-in stands, and changes nothing")
  func refresh() async throws {
    let world = try World()
    let state = try await world.identified()
    let again = try await world.client.refresh(world.client.refresh(state))
    #expect(again.names == state.names)
    #expect(again.response.stateHandle == state.response.stateHandle)
  }

  @Test("Cancelling starts over with a new state handle, and the sign-in can be finished")
  func cancel() async throws {
    let world = try World()
    let state = try await world.identified()
    let fresh = try await world.client.cancel(state)
    #expect(fresh.names == [.identify])
    #expect(fresh.response.stateHandle != state.response.stateHandle)
    let named = try await world.client.proceed(
      .identify, ["identifier": .value(.string(World.login))], from: fresh)
    let done = try await world.client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .value(.string(World.password))],
      from: named)
    #expect(try await world.client.redeem(done).tokens.accessToken.revealed.isEmpty == false)
  }

  @Test("A form inside an authenticator is sent by its name")
  func resend() async throws {
    let world = try World(.required(.email))
    let state = try await world.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .optionNamed("okta_email")],
      from: world.pastPassword())
    let again = try await world.client.proceed(.resend, from: state)
    #expect(again.names.first == .enrollAuthenticator)
    #expect(await world.org.mailbox.messages.count == 2)
  }

  @Test("A poll asks once, and tells when a link in a mail was followed")
  func poll() async throws {
    let world = try World(.required(.email))
    var state = try await world.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .optionNamed("okta_email")],
      from: world.pastPassword())
    state = try await world.client.poll(state)
    #expect(state.names.first == .enrollAuthenticator)
    let mail = try #require(await world.org.mailbox.messages.last)
    await world.org.followLink(in: mail)
    state = try await world.client.poll(state)
    #expect(state.response.issue != nil)
    #expect(await world.line.count(of: "poll") == 2)
  }

  @Test("Redeeming sends the code with the verifier, as a form")
  func redeem() async throws {
    let world = try World()
    let credential = try await world.client.redeem(world.pastPassword())
    #expect(credential.tokens.expiresIn == 3600)
    let requests = await world.line.requests
    let sent = try #require(requests.last)
    #expect(sent.url.absoluteString == "https://id.shop.example/oauth2/default/v1/token")
    #expect(sent.headers["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(sent.parameters["grant_type"] == "interaction_code")
    #expect(sent.parameters["redirect_uri"] == world.org.redirectURI)
    let verifier = try #require(sent.parameters["code_verifier"])
    let challenge = PKCE(verifier: Secret(verifier))?.challenge
    #expect(challenge == requests[0].parameters["code_challenge"])
  }

  @Test(
    "The content type is what the form accepts, and JSON where it does not say",
    arguments: [
      ("application/json; okta-version=1.0.0", "application/json; okta-version=1.0.0"),
      ("application/ion+json; okta-version=1.0.0", "application/ion+json; okta-version=1.0.0"),
      (nil, "application/json"),
    ] as [(String?, String)])
  func mediaTypes(accepts: String?, sent: String) async throws {
    let more = accepts.map { [("accepts", JSONValue.string($0))] } ?? []
    let document = Wire.document([Wire.form("identify", [], more)])
    let line = RecordingTransport(StubServer(document: document))
    let client = IDXClient(transport: line)
    let state = try await client.start(Wire.configuration())
    _ = try await client.proceed(.identify, from: state)
    let request = try #require(await line.requests.last)
    #expect(request.headers["Content-Type"] == sent)
    #expect(request.headers["Accept"] == "application/ion+json; okta-version=1.0.0")
  }
}
