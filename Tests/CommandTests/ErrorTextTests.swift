import IDXOAuth
import IDXFlow
import IDXNetwork
import Testing

@testable import idx_flow

@Suite struct ErrorTextTests {
  @Test(
    "Every error has the exit status that scripts decide by",
    arguments: [
      (.invalidConfiguration, .usage), (.invalidAnswers, .usage), (.network, .network),
      (.hrefRefused, .unexpected), (.notSendable, .unexpected), (.notOffered, .refused),
      (.unexpectedResponse, .unexpected), (.serverFailed, .unexpected),
      (.rateLimited, .rateLimited), (.refused, .refused), (.noHandler, .inputNeeded),
      (.inputNeeded, .inputNeeded), (.scriptMismatch, .inputNeeded), (.limitReached, .refused),
      (.unreadableState, .unexpected), ("of a later version", .unexpected),
    ] as [(FlowError.Code, ExitCode)])
  func exitCodes(code: FlowError.Code, expected: ExitCode) {
    let failure = ErrorText.failure(for: FlowError(code, "It went wrong."))
    #expect(failure.exitCode == expected)
    #expect(failure.message == "It went wrong.")
  }

  @Test("A cancelled task is cancelled, whatever else is unexpected")
  func others() {
    #expect(ErrorText.failure(for: CancellationError()).exitCode == .cancelled)
    #expect(ErrorText.failure(for: CommandFailure(.usage, "So.")).message == "So.")
    let lost = TransportError(.timedOut, message: "Nobody came.", mayHaveArrived: false)
    #expect(ErrorText.failure(for: lost).exitCode == .unexpected)
  }

  @Test("What an error quotes of the server cannot steer the terminal")
  func clean() {
    let failure = ErrorText.failure(
      for: FlowError(
        .refused, "It said \u{1B}[2Jno\nand no\u{7}.", remediation: "identify", status: 400,
        requestID: "req-\u{9B}31m1"))
    #expect(failure.message == "It said no and no. (step identify, HTTP status 400, request req-1)")
  }

  @Test("The help lists every status once")
  func table() {
    let lines = ExitCode.table.split(separator: "\n")
    #expect(lines.count == ExitCode.allCases.count)
    for (line, code) in zip(lines, ExitCode.allCases) {
      #expect(line.contains(" \(code.rawValue)  \(code.meaning)"))
    }
  }
}
