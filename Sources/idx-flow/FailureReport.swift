import IDXBase
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
    var object = JSONValue.Object([
      JSONValue.Object.Member("status", "failed"),
      JSONValue.Object.Member(
        "exit_status", .number(JSONValue.Number(Int(failure.exitCode.rawValue)))),
      JSONValue.Object.Member("message", .string(failure.message)),
    ])
    object["code"] = failure.code.map(JSONValue.string)
    if let error = failure.cause {
      object["step"] = error.remediation.map { .string($0.rawValue) }
      object["http_status"] = error.status.map { .number(JSONValue.Number($0)) }
      object["request_id"] = error.requestID.map(JSONValue.string)
      object["retry_after"] = error.retryAfter.map {
        .number(JSONValue.Number(Int($0.components.seconds)))
      }
    }
    if let response = state?.response {
      let summary = ResponseSummary(response: response, showsFixedValues: false)
      object["messages"] = summary.json["messages"]
      if asks { object["asks"] = summary.json["remediations"] }
    }
    // The exit status tells it all the same where this cannot be written.
    try? streams.result(JSONValue.object(object).text)
    return failure.exitCode
  }
}
