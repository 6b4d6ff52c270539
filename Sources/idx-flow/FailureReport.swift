import IDX
import IDXFlow

/// Says why a command failed: to the person, and as an object where JSON was asked for.
struct FailureReport {
  let streams: Streams
  let asJSON: Bool

  /// Tells, and returns the exit status; `state` is where a sign-in stood, `asks` whether its forms
  /// are to be listed.
  func tell(
    _ failure: CommandFailure, at state: FlowState? = nil, asks: Bool = false
  ) -> ExitCode {
    streams.note("idx-flow: \(failure.message)")
    guard asJSON else { return failure.exitCode }
    var object = JSON.Object([
      JSON.Object.Member("status", "failed"),
      JSON.Object.Member("exit_status", .number(JSON.Number(Int(failure.exitCode.rawValue)))),
      JSON.Object.Member("message", .string(failure.message)),
    ])
    object["code"] = failure.code.map(JSON.string)
    if let error = failure.cause {
      object["step"] = error.remediation.map { .string($0.rawValue) }
      object["http_status"] = error.status.map { .number(JSON.Number($0)) }
      object["request_id"] = error.requestID.map(JSON.string)
      object["retry_after"] = error.retryAfter.map {
        .number(JSON.Number(Int($0.components.seconds)))
      }
    }
    if let response = state?.response {
      let summary = ResponseSummary(response: response, showsFixedValues: false)
      object["messages"] = summary.json["messages"]
      if asks { object["asks"] = summary.json["remediations"] }
    }
    // The exit status tells it all the same where this cannot be written.
    try? streams.result(JSON.object(object).text)
    return failure.exitCode
  }
}
