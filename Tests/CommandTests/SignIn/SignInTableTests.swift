import Expectations
import IDX
import IDXFlow
import SignInSupport
import Testing

@testable import idx_flow

/// The table of handlers that the command uses.
struct SignInTableTests {
  @Test(
    "Each of the five remediations of a sign-in is a row of its own, and none is left to the fallback",
    arguments: [
      .identify, .challengeAuthenticator, .selectAuthenticatorEnroll, .enrollAuthenticator, .skip,
    ] as [Remediation.Name])
  func rows(name: Remediation.Name) async throws {
    var call = CommandCall(options: CommandLineOptions())
    call.streams.program = ProgramLines()
    let handlers = try AnswerSource(
      call, DialogOptions(call), using: .none, fastPass: .never
    ).handlers
    let step = try Wire.step(Wire.document(of: ["name": "code"], name: name.rawValue))
    expectEqual(handlers.handlers(for: step).count, 2)
    let decision = try await handlers.handlers(for: step)[0].decide(step)
    if name == .skip {
      guard case .submit = decision else { throw NotExpected(decision: decision) }
    } else {
      guard case .ask(let screen, _) = decision else { throw NotExpected(decision: decision) }
      expectEqual(screen.step?.remediation.name, name)
    }
  }

  private struct NotExpected: Error {
    let decision: Decision
  }
}
