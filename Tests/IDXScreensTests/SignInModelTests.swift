import Expectations
import IDX
import IDXBase
@testable import IDXFlow
import IDXOAuth
import IDXQRCode
import IDXSimulatedOrg
import SignInSupport
import Testing

@Suite("A sign-in for a user interface", .timeLimit(.minutes(10)))
@MainActor
struct SignInModelTests {
  private static let login = SimulatedUser.demo.login
  private static let password = SimulatedUser.demo.password.revealed

  private func org() -> SimulatedOrg { SimulatedOrg(users: [.demo], policy: .passwordOnly) }

  /// A model with the first screen of a sign-in.
  private func started(at org: SimulatedOrg) async -> SignInModel {
    let model = SignInModel(client: org.client)
    model.start(org.configuration)
    _ = await model.next()
    return model
  }

  /// Sends the inputs of the screen that is shown.
  private func submit(_ model: SignInModel) {
    if let screen = model.screen { model.submit(screen) }
  }

  /// Sends a value, and waits until the person can reply again.
  private func answer(_ model: SignInModel, _ id: Screen.Input.ID, _ value: String?) async {
    model.values[id] = value.map { Secret($0) }
    submit(model)
    expect(!model.isAsking)
    _ = await model.next()
  }

  /// Sends the first choice, or nothing if there is none, and waits.
  private func answerFirstChoice(_ model: SignInModel) async {
    let input = model.screen?.inputs.first
    await answer(model, input?.id ?? "", input?.choices.first?.id)
  }

  /// Cancels a sign-in, and waits until it has ended.
  private func cancel(_ model: SignInModel) async {
    model.cancel()
    await model.end()
  }

  @Test("Google Authenticator is set up from the key of the screen")
  func enrollment() async throws {
    // A code of the app does not expire while a busy machine runs the test.
    let org = SimulatedOrg(
      users: [.demo], policy: .required(.googleAuthenticator), clock: { TestSignIn.now })
    let model = await started(at: org)
    expectEqual(model.screen?.inputs.map(\.id), ["identifier"])
    await answer(model, "identifier", Self.login)
    await answer(model, "credentials.passcode", Self.password)
    await answer(model, "authenticator", model.screen?.inputs.first?.choices.first?.id)
    let setUp = try require(model.screen?.setUp)
    let totp = try require(setUp.uri?.totp)
    expectEqual(setUp.keyInGroups?.filter { $0 != " " }, setUp.uri?.secret.revealed)
    let modules = try require(setUp.qrCodeModules)
    expect(modules.allSatisfy { $0.count == modules.count })
    let png = try require(setUp.qrCodePNG())
    try expectEqual(QRCode.read(png: png), setUp.uri?.text.revealed)
    model["credentials.passcode"] = totp.code(at: org.now)
    submit(model)
    await model.end()
    guard case .signedIn(let credential) = model.phase else {
      Issue.record("The phase is \(model.phase).")
      return
    }
    expectEqual(credential.username, Self.login)
    expect(model.screen == nil && model.state == nil && !model.isAsking)
  }

  @Test("A reply that cannot be used shows its problems, and nothing is sent")
  func problems() async throws {
    let org = self.org()
    let model = await started(at: org)
    let count = await org.signInRequests.count
    submit(model)
    _ = await model.next()
    expectEqual(model.screen?.inputs.first?.problem, "Enter an answer.")
    await expectEqual(org.signInRequests.count, count)
    await cancel(model)
  }

  @Test(
    "The second of two replies is not sent, nor does a late second click answer the next screen")
  func twice() async throws {
    let org = self.org()
    let model = await started(at: org)
    model["identifier"] = Self.login
    submit(model)
    submit(model)
    if let screen = model.screen { model.choose("cancel", on: screen) }
    _ = await model.next()
    expectEqual(model.screen?.inputs.first?.contentType, .password)
    await expectEqual(org.requests.count { $0.hasSuffix("identify") }, 1)
    await cancel(model)

    let other = self.org()
    let late = await started(at: other)
    let drawn = try require(late.screen)
    await answer(late, "identifier", Self.login)
    let count = await other.signInRequests.count
    late.submit(drawn)
    late.choose("cancel", on: drawn)
    expect(late.isAsking)
    expectEqual(late.screen?.inputs.first?.problem, nil)
    await expectEqual(other.signInRequests.count, count)
    await cancel(late)
  }

  @Test("If a poll brings news about the same form, what was typed stays")
  func news() async throws {
    let org = SimulatedOrg(OrgScenario["email"])
    let transport = AnnouncingTransport(org: org)
    let sleep = ManualSleep()
    let model = SignInModel(
      client: IDXClient(transport: transport, tokens: org.tokenClient),
      sleep: { try await sleep.sleep($0) })
    model.start(org.configuration)
    _ = await model.next()
    await answer(model, "identifier", Self.login)
    await answer(model, "credentials.passcode", Self.password)
    while model.screen?.inputs.first?.contentType != .oneTimeCode { await answerFirstChoice(model) }
    let drawn = try require(model.screen)
    model.values["credentials.passcode"] = "123"
    await expectEqual(sleep.next(), .seconds(4))
    await transport.announce("Open the link on this device.")
    await sleep.wake()
    _ = await model.next(after: drawn)
    expectEqual(model.screen?.messages.map(\.text), ["Open the link on this device."])
    expectEqual(model.values["credentials.passcode"], "123")
    let message = try await require(org.mailbox.messages.last)
    await org.followLink(in: message)
    _ = await sleep.next()
    await sleep.wake()
    await model.end()
    expectEmpty(model.values)
  }

  @Test("Another option ends the polls of a push")
  func stopsPolling() async throws {
    let org = SimulatedOrg(OrgScenario["push-number"])
    let sleep = ManualSleep()
    let model = SignInModel(client: org.client, sleep: { try await sleep.sleep($0) })
    model.start(org.configuration)
    _ = await model.next()
    await answer(model, "identifier", Self.login)
    await answer(model, "credentials.passcode", Self.password)
    await answerFirstChoice(model)
    await expectEqual(sleep.next(), .seconds(4))
    let screen = try require(model.screen)
    expect(screen.wait != nil)
    let other = try require(screen.options.first { $0.role == .startOver })
    let polls = await org.requests.count { $0.hasSuffix("poll") }
    model.choose(other.id, on: screen)
    _ = await model.next()
    expectEqual(model.screen?.wait, nil)
    await expectEqual(org.requests.count { $0.hasSuffix("poll") }, polls)
    await cancel(model)
  }

  @Test(
    "A sign-in that is cancelled or started again tells the server, and the next one does not end with it"
  )
  func cancelled() async throws {
    let org = self.org()
    let model = await started(at: org)
    model.start(org.configuration)
    await expectEqual(model.next()?.inputs.map(\.id), ["identifier"])
    expect(model.isAsking)
    await cancel(model)
    expectEqual(model.phase, .cancelled)
    await expectEqual(org.requests.count { $0.hasSuffix("cancel") }, 2)
  }

  @Test("A model that is released ends its sign-in, and the server is told")
  func released() async throws {
    let org = self.org()
    weak var released: SignInModel?
    var end: Task<Void, Never>?
    do {
      let model = await started(at: org)
      released = model
      end = model.task
    }
    await end?.value
    expect(released == nil)
    await expectEqual(org.requests.count { $0.hasSuffix("cancel") }, 1)
  }

  @Test(
    "A password does not stay in the model after it is sent, nor a code that the server refuses")
  func password() async throws {
    let model = await started(at: SimulatedOrg(OrgScenario["email"]))
    await answer(model, "identifier", Self.login)
    model["credentials.passcode"] = Self.password
    submit(model)
    expectEqual(model.values["credentials.passcode"], nil)
    _ = await model.next()
    while model.screen?.inputs.first?.contentType != .oneTimeCode { await answerFirstChoice(model) }
    await answer(model, "credentials.passcode", "000000")
    expectEqual(model.screen?.attempt, 2)
    expectEmpty(model["credentials.passcode"])
    await cancel(model)
  }

  @Test("The credential of a sign-in is given away once, and that of the next one again")
  func credential() async throws {
    let org = self.org()
    let model = await started(at: org)
    for _ in 0..<2 {
      expectEqual(model.takeCredential(), nil)
      await answer(model, "identifier", Self.login)
      await answer(model, "credentials.passcode", Self.password)
      await model.end()
      expectEqual(model.takeCredential()?.username, Self.login)
      expectEqual(model.takeCredential(), nil)
      model.start(org.configuration)
      _ = await model.next()
    }
    await cancel(model)
  }

  @Test(
    "To quit ends the sign-in, also while news arrive, and keeps the result of one that has ended")
  func quit() async throws {
    let org = self.org()
    let model = await started(at: org)
    let screen = try require(model.screen)
    let quit = try require(screen.options.last)
    expectEqual(quit.role, .quit)
    model.choose(quit.id, on: screen)
    expect(!model.isAsking)
    await model.end()
    expectEqual(model.phase, .cancelled)

    let ended = await started(at: SimulatedOrg(OrgScenario["activation-expired"]))
    submit(ended)
    _ = await ended.next()
    let end = try require(ended.screen)
    expectEqual(end.title, Words.english["end.done.title"])
    ended.choose(Screen.quitID, on: end)
    await ended.end()
    guard case .completed = ended.phase else {
      Issue.record("The phase is \(ended.phase).")
      return
    }
  }

  @Test("A saved sign-in continues in another model")
  func restored() async throws {
    let org = self.org()
    let first = await started(at: org)
    await answer(first, "identifier", Self.login)
    let snapshot = try require(first.state).snapshot()
    let second = SignInModel(client: org.client, handlers: .showing(Screens(words: .german)))
    second.restore(try FlowState(snapshot: snapshot, for: org.configuration))
    _ = await second.next()
    expectEqual(second.screen?.title, "Geben Sie Ihr Passwort ein")
    second["credentials.passcode"] = Self.password
    submit(second)
    await second.end()
    guard case .signedIn = second.phase else {
      Issue.record("The phase is \(second.phase).")
      return
    }
  }
}

/// Adds a message to the next reply to a poll.
private actor AnnouncingTransport: Transport {
  private let org: SimulatedOrg
  private var text: String?

  init(org: SimulatedOrg) { self.org = org }

  func announce(_ text: String) { self.text = text }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await org.send(request)
    guard request.url.path.hasSuffix("/poll"), let text = text.take(),
      case .object(var body)? = try? JSONValue(parsing: response.body)
    else { return response }
    let message: JSONValue = [
      "message": .string(text), "i18n": ["key": "test.news"], "class": "INFO",
    ]
    body = JSONValue.Object(
      body.members.filter { $0.name != "messages" }
        + [.init("messages", ["type": "array", "value": [message]])])
    response = TransportResponse(
      status: response.status, headers: response.headers, body: JSONValue.object(body).bytes)
    return response
  }
}
