import IDXBase
import IDX

/// What libFuzzer calls with bytes of its making; built and run by `.ci/fuzz`.
///
/// Whatever the bytes are, they are read or refused: nothing traps and nothing is read twice with two
/// results. A broken rule ends the program, which libFuzzer reports with the bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let json = try? JSONValue(parsing: bytes) else {
    precondition(
      (try? IDXResponse(parsing: bytes)) == nil, "What is no JSON was read as a response.")
    return 0
  }
  precondition(
    (try? JSONValue(parsing: json.bytes)) == json, "What was written is not what was read.")
  guard let response = try? IDXResponse(parsing: bytes) else { return 0 }
  precondition(response.raw.json == json, "The response is not the text that it was read from.")
  precondition(
    (try? JSONValue(parsing: response.raw.bytes)) == json, "The bytes of the response are others.")
  check(response)
  return 0
}

private func check(_ response: IDXResponse) {
  var sink = Sink()
  sink.read(response)
  sink.resolve(response)
  if let form = AnsweredForm(response) { _ = try? form.encode() }
  for form in response.allForms {
    precondition(form == form && form.raw.json.object != nil, "A form is not itself.")
    for input in form.form.inputs() {
      _ = form.form.fields(at: input.path)
      _ = input.field.problem(with: "1", at: input.path)
    }
  }
  for authenticator in response.authenticators {
    _ = authenticator.oneTimePassword
    _ = authenticator.passwordRules
    _ = authenticator.questions
    _ = authenticator.enrolledQuestion
    precondition(
      response.authenticators(in: authenticator.container).contains(authenticator),
      "An authenticator is not where it says.")
  }
}
