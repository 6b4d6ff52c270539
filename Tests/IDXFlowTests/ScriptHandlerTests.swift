import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Signing in by script")
struct ScriptHandlerTests {
  private func handler(_ entries: [JSONValue]) throws -> ScriptHandler {
    ScriptHandler(try Script(parsing: JSONValue.array(entries).bytes), now: { World.moment })
  }

  private func run(_ entries: [JSONValue], in world: World) async throws -> Outcome {
    let handler = try handler(entries)
    let outcome = try await world.coordinator(handler.handlers).run(world.configuration)
    #expect(await handler.remaining == 0)
    return outcome
  }

  private static let identify: JSONValue = [
    "step": "identify", "fields": ["identifier": .string(World.login)],
  ]
  private static let password: JSONValue = [
    "step": "challenge-authenticator",
    "fields": ["credentials.passcode": .string(World.password)],
  ]

  @Test("It answers one response with each entry")
  func password() async throws {
    let world = try World()
    #expect(try await run([Self.identify, Self.password], in: world).signIn != nil)
    #expect(await world.line.requests.count == 5)
  }

  @Test(
    "An authenticator is chosen by its key, its type or its label",
    arguments: [
      "google_otp", "app", "Google Authenticator",
    ])
  func choose(name: String) async throws {
    let world = try World(.required(.googleAuthenticator))
    let outcome = try await run(
      [
        Self.identify, Self.password,
        ["step": "select-authenticator-enroll", "choose": .string(name)],
        ["step": "enroll-authenticator", "fields": ["credentials.passcode": ["totp": true]]],
      ], in: world)
    #expect(outcome.signIn != nil)
  }

  @Test("A choice and fields inside of it go together")
  func chooseWithFields() async throws {
    let world = try World(.required(.phone))
    let error = try await flowError {
      try await run(
        [
          Self.identify, Self.password,
          [
            "step": "select-authenticator-enroll", "choose": "phone_number",
            "fields": [
              "authenticator.methodType": "sms", "authenticator.phoneNumber": "+15550100142",
            ],
          ],
        ], in: world)
    }
    #expect(error.code == .inputNeeded)
    #expect(error.remediation == .enrollAuthenticator)
    #expect(await world.org.mailbox.messages.map(\.recipient) == ["+15550100142"])
  }

  @Test(
    "What is not the first form of a response can be answered too",
    arguments: [
      "skip", "cancel",
    ])
  func anyForm(name: String) async throws {
    let world = try World(.optional(.email))
    let handler = try handler([Self.identify, Self.password, ["step": .string(name)]])
    let coordinator = world.coordinator(handler.handlers)
    if name == "skip" {
      #expect(try await coordinator.run(world.configuration).signIn != nil)
    } else {
      let error = try await flowError { try await coordinator.run(world.configuration) }
      #expect(error.code == .inputNeeded)
      #expect(error.remediation == .identify)
    }
    #expect(await world.line.count(of: name) == 1)
  }

  @Test("A refusal does not end the script while entries remain")
  func refusal() async throws {
    let world = try World()
    let wrong: JSONValue = [
      "step": "challenge-authenticator", "fields": ["credentials.passcode": "a guess"],
    ]
    #expect(try await run([Self.identify, wrong, Self.password], in: world).signIn != nil)
  }

  @Test("When entries are used up and the server still asks, input is needed", arguments: 0...1)
  func usedUp(count: Int) async throws {
    let world = try World()
    let error = try await flowError {
      try await run(Array([Self.identify].prefix(count)), in: world)
    }
    #expect(error.code == .inputNeeded)
    #expect(error.remediation == (count == 0 ? .identify : .challengeAuthenticator))
    #expect(await world.line.requests.count == 2 + count)
  }

  @Test("An entry for a form that is not offered is a mismatch that names both")
  func mismatch() async throws {
    let world = try World()
    let error = try await flowError {
      try await run([Self.identify, ["step": "enroll-authenticator"]], in: world)
    }
    #expect(error.code == .scriptMismatch)
    #expect(error.remediation == .challengeAuthenticator)
    #expect(error.message.contains("Entry 2"))
    #expect(error.message.contains("“enroll-authenticator”"))
    #expect(error.message.contains("challenge-authenticator"))
    #expect(await world.line.requests.count == 3)
  }

  @Test("A choice that is not offered is a mismatch")
  func badChoice() async throws {
    let world = try World(.required(.email))
    let error = try await flowError {
      try await run(
        [
          Self.identify, Self.password,
          ["step": "select-authenticator-enroll", "choose": "google_otp"],
        ], in: world)
    }
    #expect(error.code == .scriptMismatch)
    #expect(error.message.contains("“google_otp”"))
  }

  @Test("A code without a key to compute it from is a mismatch")
  func totpWithoutKey() async throws {
    let world = try World()
    let error = try await flowError {
      try await run(
        [
          Self.identify,
          [
            "step": "challenge-authenticator",
            "fields": ["credentials.passcode": ["totp": true]],
          ],
        ], in: world)
    }
    #expect(error.code == .scriptMismatch)
    #expect(error.message.contains("TOTP"))
  }

  @Test("A key that was shown earlier in the sign-in serves later codes")
  func totpLater() async throws {
    let world = try World(.required(.googleAuthenticator))
    let outcome = try await run(
      [
        Self.identify, Self.password,
        ["step": "select-authenticator-enroll", "choose": "google_otp"], ["step": "cancel"],
        Self.identify, Self.password,
        ["step": "select-authenticator-enroll", "choose": "google_otp"],
        ["step": "enroll-authenticator", "fields": ["credentials.passcode": ["totp": true]]],
      ], in: world)
    #expect(outcome.signIn != nil)
  }

  @Test("Answers that do not fit end the script before anything is sent")
  func invalidAnswers() async throws {
    let world = try World()
    let error = try await flowError {
      try await run(
        [["step": "identify", "fields": ["identifier": "ada", "shoeSize": "39"]]], in: world)
    }
    #expect(error.code == .invalidAnswers)
    #expect(error.message.contains("shoeSize"))
    #expect(await world.line.requests.count == 2)
  }

  @Test("Each entry for a poll stands for one request")
  func polls() async throws {
    let world = try World(.required(.email))
    let handler = try handler([
      Self.identify, Self.password,
      ["step": "select-authenticator-enroll", "choose": "okta_email"],
      ["step": "poll"], ["step": "poll"],
    ])
    let coordinator = FlowCoordinator(
      client: world.client, handlers: handler.handlers,
      sleep: { [org = world.org, line = world.line] _ in
        if await line.count(of: "poll") == 1, let mail = await org.mailbox.messages.last {
          await org.followLink(in: mail)
        }
      })
    #expect(try await coordinator.run(world.configuration).signIn != nil)
    #expect(await world.line.count(of: "poll") == 2)
    #expect(await handler.remaining == 0)
  }

  @Test("An entry can start over from a response that is the end")
  func cancelAtEnd() async throws {
    let world = try World(status: .suspended)
    let error = try await flowError {
      try await run([Self.identify, Self.password, ["step": "cancel"]], in: world)
    }
    #expect(error.code == .inputNeeded)
    #expect(await world.line.count(of: "cancel") == 1)
  }

  @Test("At the end of a sign-in, entries that fit nothing are left over")
  func leftOver() async throws {
    let world = try World(status: .suspended)
    let handler = try handler([Self.identify, Self.password, ["step": "skip"]])
    let outcome = try await world.coordinator(handler.handlers).run(world.configuration)
    #expect(outcome.end?.response.says("security.access_denied") == true)
    #expect(await handler.remaining == 1)
  }

  @Test("Of several forms with one name, the first that takes the answers is meant")
  func formsOfOneName() async throws {
    let document = Wire.document([
      Wire.form("pick", href: "\(Wire.origin)/first", [["name": "a", "required": true]]),
      Wire.form("pick", href: "\(Wire.origin)/second", [["name": "b", "required": true]]),
    ])
    let line = RecordingTransport(StubServer(document: document))
    let handler = try handler([["step": "pick", "fields": ["b": "1"]]])
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: handler.handlers)
    _ = try await coordinator.run(Wire.configuration())
    #expect(await line.steps.last == "second")
  }
}
