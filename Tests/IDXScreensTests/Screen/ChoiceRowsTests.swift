import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import Testing

@Suite("Choices as rows")
@MainActor
struct ChoiceRowsTests {
  /// Signs in up to the first screen with rows.
  private func screenWithRows(_ model: SignInModel, at org: SimulatedOrg) async throws -> Screen {
    model.start(org.configuration)
    var screen = try await require(model.next())
    while screen.choiceRows == nil {
      for input in screen.inputs {
        model[input.id] = input.kind == .secret ? "Analytical-1843" : "ada@example.com"
      }
      model.submit(screen)
      screen = try await require(model.next(after: screen))
    }
    return screen
  }

  @Test("One press chooses a phone and a text message to it, and sends the answer")
  func pick() async throws {
    let org = SimulatedOrg(OrgScenario["choose-factor"])
    let model = SignInModel(client: org.client)
    let screen = try await screenWithRows(model, at: org)
    let rows = try require(screen.choiceRows)
    expectEqual(rows.inputID, "authenticator")
    let row = try require(rows.rows.first { $0.picks.last?.choice == "sms" })
    expectEqual(row.picks.map(\.choice), ["phone_number", "sms"])
    expectEqual(row.authenticator, .phone)
    expectEqual(row.inputs, [])
    model.pick(row, on: screen)
    let code = try await require(model.next(after: screen))
    expectEqual(code.inputs.map(\.contentType), [.oneTimeCode])
    // A second press on the old screen must not answer this one.
    model.pick(row, on: screen)
    expectEqual(model[rows.inputID], "")
    expect(model.isAsking)
    model.cancel()
    await model.end()
  }

  @Test("A way that needs a page of others cannot be pressed, unless the app has a handler for it")
  func duo() async throws {
    for hasHandler in [false, true] {
      let org = SimulatedOrg(OrgScenario["enroll-all"])
      var handlers = Handlers.showing()
      if hasHandler { handlers.on(.enrollAuthenticator, .duo) { _ in .decline } }
      let model = SignInModel(client: org.client, handlers: handlers)
      let screen = try await screenWithRows(model, at: org)
      let row = try require(screen.choiceRows?.rows.first { $0.authenticator == .duo })
      expectEqual(row.isUsable, hasHandler)
      expectEqual(row.detail == nil, hasHandler)
      model.pick(row, on: screen)
      expectEqual(model.isAsking, !hasHandler)
      expectEqual(screen.pageOptions.map(\.role), [.skip, .quit])
      expect(!screen.isFirst)
      model.cancel()
      await model.end()
    }
  }

  @Test("There are no rows beside another question, after a problem, or for too many choices")
  func none() {
    let number = Screen.Input(id: "number", kind: .text, label: "Number", isRequired: true)
    func input(_ count: Int, _ inner: [Screen.Input] = []) -> Screen.Input {
      let choices = (0..<count).map {
        Screen.Choice(
          id: "\($0)", label: "Choice \($0)", inputs: $0 == 0 ? inner : [], position: $0)
      }
      return Screen.Input(id: "way", kind: .choice(choices), label: "Way", isRequired: true)
    }
    func count(_ inputs: Screen.Input...) -> Int? {
      var screen = Screen(
        title: "Title", host: "org.example",
        action: Screen.Option(id: "", label: "Next", role: .submit))
      screen.inputs = inputs
      return screen.choiceRows?.rows.count
    }
    expectEqual(count(input(1)), 1)
    expectEqual(count(input(14)), 14)
    expectEqual(count(input(15)), nil)
    expectEqual(count(input(2), number), nil)
    expectEqual(count(input(2, [number])), 2)
    // The only row would first have to be opened.
    expectEqual(count(input(1, [number])), nil)
    var wrong = number
    wrong.problem = "Too short"
    expectEqual(count(input(2, [wrong])), nil)
  }
}
