import Expectations
import IDXFlow
import IDXBase
import IDXOAuth
import Testing

@testable import idx_flow

@Suite(.tags(.startsPrograms), .fewPrograms) struct CommandFailureTests {
  @Test("Every error code has an exit status; unknown errors are unexpected")
  func exitCodes() {
    for (code, expected) in [
      (.invalidConfiguration, .usage), (.invalidAnswers, .usage), (.network, .network),
      (.hrefRefused, .unexpected), (.notSendable, .unexpected), (.notOffered, .refused),
      (.unexpectedResponse, .unexpected), (.serverFailed, .network), (.answerUnconfirmed, .network),
      (.rateLimited, .rateLimited), (.refused, .refused), (.noHandler, .inputNeeded),
      (.inputNeeded, .inputNeeded), (.scriptMismatch, .inputNeeded), (.limitReached, .refused),
      (.unreadableState, .unexpected), ("of a later version", .unexpected),
    ] as [(FlowError.Code, ExitCode)] {
      let failure = CommandFailure(FlowError(code, "It went wrong."))
      expectEqual(failure.exitCode, expected, "\(code)")
      expectEqual(failure.message, "It went wrong.")
    }
    expectEqual(CommandFailure(CancellationError()).exitCode, .cancelled)
    expectEqual(CommandFailure(CommandFailure(.usage, "So.")).message, "So.")
    let lost = TransportError(.timedOut, message: "Nobody came.", mayHaveArrived: false)
    expectEqual(CommandFailure(lost).exitCode, .unexpected)
    let tooLarge = TransportError(.responseTooLarge, message: "Too long.", mayHaveArrived: true)
    expectEqual(
      CommandFailure(FlowError(.network, "Too long.", underlying: tooLarge)).exitCode, .unexpected)
  }

  @Test(
    "Control characters in an error and in the name of a file are removed",
    .promise("terminal-text"))
  func clean() throws {
    let failure = CommandFailure(
      FlowError(
        .refused, "It said \u{1B}[2Jno\nand no\u{7}.", remediation: "identify", status: 400,
        requestID: "req-\u{9B}31m1"))
    expectEqual(
      failure.message, "It said no and no. (step identify, HTTP status 400, request req-1)")
    for options in [["--demo", "--script"], ["--config"]] {
      let end = try Program.run(["signin"] + options + ["/nowhere\u{1B}[31mred\nx"])
      end.expect(status: 2)
      expectContains(end.errors, "/nowherered x")
      expect(!end.errors.contains("\u{1B}") && end.errors.split(separator: "\n").count == 1)
    }
  }
}
