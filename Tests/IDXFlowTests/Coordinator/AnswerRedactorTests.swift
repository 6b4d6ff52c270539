import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import SignInSupport
import Testing

/// Secrets that the server repeats.
struct AnswerRedactorTests {
  private static let fields: [JSONValue] = [
    ["name": "identifier"],
    ["name": "credentials", "form": ["value": [["name": "passcode"]]]],
    ["name": "pin", "secret": true],
  ]

  /// A sign-in that sends the answers at the first step, and cancels when they are refused.
  private func states(
    _ answers: Answers, _ replies: [TransportResponse], fields: [JSONValue] = fields
  ) async throws -> (states: [FlowState], result: Result<Outcome, any Error>) {
    let rest = Locked(replies[...])
    let server = StubServer(document: Wire.document([Wire.form("identify", fields)])) { _ in
      rest.withLock { $0.popFirst() } ?? .json(Wire.document([]))
    }
    var handlers = Handlers()
    handlers.on(.identify) { $0.attempt == 1 ? .submit(answers) : .submit([:]) }
    let states = Locked<[FlowState]>([])
    let result: Result<Outcome, any Error>
    do {
      result = .success(
        try await server.run(
          handlers,
          observe: { event in
            if case .received(let state) = event { states.withLock { $0.append(state) } }
          }))
    } catch { result = .failure(error) }
    return (states.withLock { $0 }, result)
  }

  private func message(_ text: String) -> JSONValue {
    ["value": [["message": .string(text), "class": "ERROR", "i18n": ["key": .string(text)]]]]
  }

  @Test(
    "A password, code or PIN is removed from messages, and from their keys and severity if it is long",
    .promise("repeated-secret"),
    arguments: [
      ("credentials.passcode", "difference engine 2", true),
      ("credentials.passcode", "123456", true),
      ("pin", "2718", false), ("pin", "correcthorsebattery", false),
    ])
  func messages(path: String, secret: String, isLong: Bool) async throws {
    let repeated = "Not “\(secret)”."
    let field = Self.fields[0].setting("messages", message(repeated))
    let document = Wire.document(
      [Wire.form("identify", [field] + Self.fields.dropFirst())],
      [("messages", message(repeated)), ("echo", .string(secret))])
    let (states, _) = try await states([path: .text(secret)], [.json(document, status: 401)])
    let response = try require(states.dropFirst().first?.response)
    expectEqual(response.allMessages.count, 2)
    for message in response.allMessages {
      expectEqual(message.text, "Not “\(Secret(secret))”.")
      expectEqual(message.key?.rawValue, (isLong ? message.text : repeated))
      expect(message.isError)
    }
    expectEqual(response.raw["echo"], .string(secret))
  }

  @Test(
    "A username, a word of ordinary messages, and an answer of fewer than four characters are kept",
    .promise("repeated-secret"))
  func harmless() async throws {
    for (answers, text) in [
      (["credentials.passcode": "wrong"], "The code is wrong."),
      (
        ["identifier": "ada@example.com", "credentials.passcode": "12"],
        "ada@example.com has 12 attempts."
      ),
    ] as [(Answers, String)] {
      let document = Wire.document(
        [Wire.form("identify", Self.fields)], [("messages", message(text))])
      let (states, _) = try await states(answers, [.json(document, status: 401)])
      expectEqual(states.dropFirst().first?.response.allMessages.first?.text, text)
    }
  }

  @Test(
    "A secret of an earlier step is removed too, from messages, errors and what they name",
    .promise("repeated-secret"))
  func later() async throws {
    let step = Wire.document([Wire.form("identify", Self.fields)], [("messages", message("No."))])
    let echo: JSONValue = [
      "value": [["message": "It was Analytical-1843.", "class": "Analytical-1843"]]
    ]
    let answers: Answers = ["credentials.passcode": "Analytical-1843"]
    let end = Wire.document([], [("messages", echo)])
    let (states, _) = try await states(answers, [.json(step), .json(end)])
    expectEqual(states.last?.response.messages.first?.text, "It was \(Secret("")).")
    expectEqual(states.last?.response.messages.first?.kind?.rawValue, "\(Secret(""))")

    let refused = TransportResponse.json(
      ["errorSummary": "Analytical-1843?"], status: 400,
      headers: ["X-Okta-Request-Id": "id-Analytical\u{7F}-1843"])
    let (_, refusal) = try await self.states(answers, [.json(step), refused])
    let error = #expect(throws: FlowError.self) { try refusal.get() }
    expectEqual(error?.message.contains("\(Secret(""))?"), true)
    expectEqual(error?.message.contains("Analytical"), false)
    expectEqual(error?.requestID, "id-\(Secret(""))")

    let next = Wire.document([Wire.form("Analytical-1843", [["name": "x", "required": true]])])
    let (_, unanswered) = try await self.states(answers, [.json(step), .json(next)])
    let other = #expect(throws: FlowError.self) { try unanswered.get() }
    expectEqual(other.map { "\($0)\($0.stepName ?? "")".contains("Analytical") }, false)
  }

  @Test(
    "Numbers, answers in objects, hidden fields and fields with the name of a secret count too",
    .promise("repeated-secret"),
    arguments: [
      ("credentials.passcode", .number(.init(482_913))), ("passcode", "482913"),
      ("password", "482913"), ("answer", "482913"), ("PIN", "482913"),
      ("credentials.hidden", "482913"), ("secrets", ["password": "482913"]),
      ("credentials", ["list": [["482913"], 7]]),
    ] as [(String, JSONValue)])
  func leaves(path: String, value: JSONValue) async throws {
    let hidden: JSONValue = [
      "name": "credentials", "form": ["value": [["name": "hidden", "visible": false]]],
    ]
    let names = ["passcode", "password", "answer", "PIN"]
    let plain: [JSONValue] = names.map { ["name": .string($0)] }
    let fields: [JSONValue]
    switch path {
    case "credentials", "secrets": fields = [["name": .string(path), "type": "object"]]
    case "credentials.hidden": fields = [hidden]
    case "credentials.passcode": fields = Self.fields
    default: fields = plain
    }
    let document = Wire.document([], [("messages", message("Not 482913."))])
    let (states, _) = try await states([path: .value(value)], [.json(document)], fields: fields)
    expectEqual(states.last?.response.messages.first?.text, "Not \(Secret("")).")
  }
}
