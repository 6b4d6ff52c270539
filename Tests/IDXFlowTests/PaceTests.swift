import IDXOAuth
import IDXBase
import Foundation
import IDX
import IDXTesting
import Testing

@testable import IDXFlow

@Suite("The pace of polls, whoever decides on them")
struct PaceTests {
  private static let poll = Wire.form(
    "challenge-poll", [["name": "autoChallenge", "type": "boolean", "value": true]],
    [("refresh", 2000)])

  private actor Waits {
    private(set) var all: [Duration] = []
    func add(_ wait: Duration) { all.append(wait) }
  }

  /// Runs the handlers against a server that answers everything but the start alike.
  private func run(
    _ handlers: Handlers, limits: FlowLimits = FlowLimits(), waits: Waits = Waits(),
    from document: JSONValue = Wire.document([poll]),
    _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) async throws -> Outcome {
    let server = StubServer(document: document, answer: answer)
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: handlers, limits: limits,
      sleep: { await waits.add($0) })
    return try await coordinator.run(Wire.configuration())
  }

  private func script(_ entries: [JSONValue]) throws -> Handlers {
    ScriptHandler(try Script(parsing: JSONValue.array(entries).bytes)).handlers
  }

  @Test("A scripted poll carries its answers, after the wait that the server asks for")
  func scriptedAnswers() async throws {
    let waits = Waits()
    let handlers = try script([["step": "challenge-poll", "fields": ["autoChallenge": false]]])
    _ = try await run(handlers, waits: waits) { request in
      #expect(request.json?["autoChallenge"] == false)
      return .json(Wire.document([]))
    }
    #expect(await waits.all == [.seconds(2)])
  }

  @Test(
    "A scripted poll that fails says why, and no other entry takes its place",
    arguments: [429, 500])
  func scriptedFailure(status: Int) async throws {
    let entry: JSONValue = ["step": "challenge-poll"]
    let error = try await flowError {
      try await run(try script([entry, entry])) { _ in .json([:], status: status) }
    }
    #expect(error.code == (status == 429 ? .rateLimited : .serverFailed))
  }

  @Test("A handler that submits a poll again and again waits each time, and comes to the limit")
  func submitted() async throws {
    let waits = Waits()
    var handlers = Handlers()
    handlers.fallback = SkipHandler()
    var limits = FlowLimits()
    limits.steps = 20
    let error = try await flowError {
      try await run(handlers, limits: limits, waits: waits) { _ in
        .json(Wire.document([Self.poll]))
      }
    }
    #expect(error.code == .limitReached)
    #expect(await waits.all.count == 20)
  }

  @Test("Polls that lead from one wait to another come to an end too")
  func alternating() async throws {
    let turns = Turns()
    var handlers = Handlers()
    handlers.fallback = FormHandler(prompter: ScriptedPrompter([]))
    let error = try await flowError {
      try await run(handlers) { _ in
        let name = await turns.next() ? "challenge-poll" : "enroll-poll"
        return .json(Wire.document([Wire.form(name, [], [("refresh", 30_000)])]))
      }
    }
    #expect(error.code == .limitReached)
    #expect(error.message.contains("within 1800 s"))
  }

  private actor Turns {
    private var isEven = false
    func next() -> Bool {
      isEven.toggle()
      return isEven
    }
  }

  @Test("A prompter that never answers what is needed comes to the limit")
  func patience() async throws {
    struct Silent: Prompter {
      func choose(_ forms: [Remediation], at step: Step) -> Reply { .cancel }
      func show(_ notice: Notice) async throws {}
      func ask(_ question: Question) async throws -> Reply { .nothing }
    }
    let step = try Wire.step(Wire.document(of: ["name": "code", "required": true]))
    let error = try await flowError {
      try await FormHandler(prompter: Silent()).decide(step)
    }
    #expect(error.code == .limitReached)
  }

  @Test("What a poll could carry is not asked for: its default is sent")
  func optionalFields() async throws {
    let step = try Wire.step(Wire.document([Self.poll]))
    let (_, person) = try await Wire.decide(step, [.cancel("challenge-poll")])
    #expect(FormHandler(prompter: person).poll(for: step) == step.remediation)
    #expect(await person.asked.isEmpty)
  }

  @Test("Of several forms of one name, a script means the one that offers its choice")
  func severalForms() async throws {
    func form(_ label: String) -> JSONValue {
      Wire.form(
        "pick", [["name": "it", "options": [["label": .string(label), "value": .string(label)]]]])
    }
    let handlers = try script([["step": "pick", "choose": "Phone"]])
    _ = try await run(handlers, from: Wire.document([form("Mail"), form("Phone")])) { request in
      #expect(request.json?["it"] == "Phone")
      return .json(Wire.document([]))
    }
  }

  @Test("A form that waits shows the key of the app that is set up")
  func appKey() async throws {
    let document = Wire.document(
      [Wire.form("enroll-poll", [], [("refresh", 4000)])],
      [
        (
          "currentAuthenticator",
          [
            "type": "object",
            "value": [
              "key": "okta_verify", "displayName": "Okta Verify",
              "contextualData": [
                "qrcode": ["type": "image/png", "href": "data:image/png;base64,iVBORw0KGgo="]
              ],
            ],
          ]
        )
      ])
    let (_, person) = try await Wire.decide(Wire.step(document), [.cancel("enroll-poll")])
    #expect(await person.apps.map(\.name) == ["Okta Verify"])
    #expect(await person.apps.first?.image != nil)
  }
}
