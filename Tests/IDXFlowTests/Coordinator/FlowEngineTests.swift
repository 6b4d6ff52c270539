import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXFlow

/// The next question, and the moves that lead to it.
struct FlowEngineTests {
  /// The form that somebody has to answer, after all moves that need nobody.
  private func form(
    _ progress: inout FlowProgress, _ engine: FlowEngine
  ) async throws -> Remediation? {
    while true {
      switch try progress.next() {
      case .move(let move): if try await engine.make(move, in: &progress) != nil { return nil }
      case .ask(let forms): return forms.first
      case .failure, .end: return nil
      }
    }
  }

  private func decision(_ answers: Answers, at form: Remediation, _ progress: FlowProgress) throws
    -> FlowMove
  { .decide(.submit(answers), at: try progress.nextStep(for: form)) }

  @Test("A server without screens drives a sign-in, and saves it between two answers")
  func withoutScreens() async throws {
    let test = try TestSignIn()
    let engine = FlowEngine(client: test.client)
    var progress = try await engine.begin(test.configuration)
    let answers: [Answers] = [
      ["identifier": .text(TestSignIn.login)],
      ["credentials.passcode": "Wrong-1843"],
      ["credentials.passcode": .text(TestSignIn.password)],
    ]
    for answer in answers {
      let form = try await require(form(&progress, engine))
      let move = try decision(answer, at: form, progress)
      try await expect(engine.make(move, in: &progress) == nil)
      progress = try FlowProgress(snapshot: progress.snapshot(), for: test.configuration)
    }
    guard case .move(.redeem) = try progress.next() else {
      Issue.record("The tokens are not due.")
      return
    }
    let outcome = try await engine.make(.redeem, in: &progress)
    expectEqual(outcome?.signIn?.credential.username, TestSignIn.login)
  }

  @Test("Asking what comes next changes nothing, however often")
  func stable() async throws {
    let test = try TestSignIn(try require(OrgScenario.named("recover")))
    let engine = FlowEngine(client: test.client)
    var progress = try await engine.begin(test.configuration, goal: .recover)
    let identify = try await require(form(&progress, engine))
    _ = try await engine.make(
      decision(["identifier": .text(TestSignIn.login)], at: identify, progress), in: &progress)
    let steps = await test.transport.steps
    for _ in 0..<2 {
      guard case .move(.decide(_, let step)) = try progress.next() else {
        Issue.record("The goal is not due.")
        return
      }
      expectEqual(step.remediation.name, .recover)
    }
    await expectEqual(test.transport.steps, steps)
    // The move reaches the goal, so it is not due again.
    let next = try await require(form(&progress, engine))
    expect(next.name != .recover)
  }

  @Test(
    "Answers that could not be sent are a failure until somebody decides; those that do not fit are not sent"
  )
  func failure() async throws {
    let test = try TestSignIn()
    let engine = FlowEngine(client: test.client)
    var progress = try await engine.begin(test.configuration)
    let identify = try await require(form(&progress, engine))
    await test.org.inject(.unreachable, at: "identify")
    let answers: Answers = ["identifier": .text(TestSignIn.login)]
    _ = try await engine.make(decision(answers, at: identify, progress), in: &progress)
    for _ in 0..<2 {
      guard case .failure(let error, let step) = try progress.next() else {
        Issue.record("There is no failure.")
        return
      }
      expect(error.code == .network && step.attempt == 2 && step.previous == answers)
    }
    let step = try progress.nextStep(for: identify)
    _ = try await engine.make(.decide(.choose(identify, notice: "Again."), at: step), in: &progress)
    guard case .ask(let forms) = try progress.next(), let form = forms.first else {
      Issue.record("The form is not asked for again.")
      return
    }
    try expectEqual(progress.nextStep(for: form).notice, "Again.")

    let other = try TestSignIn()
    let second = FlowEngine(client: other.client)
    var next = try await second.begin(other.configuration)
    let asked = try await require(self.form(&next, second))
    _ = try await second.make(decision(["other": "x"], at: asked, next), in: &next)
    let listed = try next.nextStep(for: asked)
    expectEqual(listed.problems.map(\.path).sorted(), ["identifier", "other"])
    await expectEqual(other.transport.count(of: "identify"), 0)
  }

  @Test("A submission shows no answer, also after it was encoded")
  func description() async throws {
    let form = Wire.form("challenge-authenticator", [["name": "credentials.passcode"]])
    let state = try Wire.state(Wire.document([form]))
    let answers: Answers = ["credentials.passcode": "Very-long-password-1843"]
    let submission = try Submission(state.response.remediations[0], answers).checked()
    expect(!printedTexts(of: submission).contains("1843"))
    expectEqual(submission, Submission(state.response.remediations[0], answers))
    try expectEqual(submission.body()["credentials.passcode"], "Very-long-password-1843")
  }

  @Test("An error of a move contains no secret that was sent")
  func redaction() async throws {
    let password = "Very-long-password-1843"
    let form = Wire.form(
      "challenge-authenticator", [["name": "credentials.passcode", "secret": true]])
    let server = StubServer(document: Wire.document([form])) { _ in
      .json(["errorSummary": .string("No \(password)")], status: 403)
    }
    let engine = FlowEngine(client: server.client)
    var progress = FlowProgress(try await server.start())
    let asked = try await require(self.form(&progress, engine))
    let move = try decision(["credentials.passcode": .text(password)], at: asked, progress)
    let error = try await requireError(FlowError.self) { [progress] in
      var progress = progress
      _ = try await engine.make(move, in: &progress)
    }
    expect(!"\(error)".contains(password))
  }
}
