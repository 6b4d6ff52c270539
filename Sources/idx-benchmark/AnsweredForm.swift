import IDX

/// The first form of a response, with answers that it takes.
struct AnsweredForm {
  let bytes: [UInt8]
  private let form: Remediation
  private let answers: Answers

  /// Nil where the form asks nothing, or where simple answers do not do.
  init?(_ response: IDXResponse) {
    guard let form = response.remediations.first, form.href != nil else { return nil }
    var answers = Answers()
    for _ in 0..<8 {
      for input in form.form.inputs(answering: answers) where answers[input.path] == nil {
        let isChoice = !input.field.choices.isEmpty
        answers[input.path] =
          isChoice
          ? .option(0) : input.field.type == .boolean ? true : "a1a1a1a1a1a1a1a1"
      }
    }
    guard !answers.entries.isEmpty, (try? form.body(answering: answers)) != nil else { return nil }
    bytes = Array(response.raw.bytes)
    self.form = form
    self.answers = answers
  }

  /// How long the body is.
  func encode() throws -> Int { try form.body(answering: answers).bytes.count }
}
