import IDX
import IDXBase

struct QuestionCheck: Check {
  let classicAnswer = ["answer"]

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let answer = Field("answer", label: "Answer", isRequired: true, isSecret: true)
    guard challenge.purpose == .enroll else {
      let question = question(of: challenge, document.user)
      let key = Field(fixed: "questionKey", .string(question?.key ?? ""))
        .adding("label", question.map { .string($0.text) })
      return Field("credentials", form: [key, answer])
    }
    let choices = SecurityQuestion.all.map { (label: $0.text, value: $0.key) }
    let known = Field("questionKey", label: "Choose a security question", choices: choices)
    let custom = Field(fixed: "questionKey", "custom", isVisible: true)
    let text = Field("question", label: "Create a security question", isRequired: true)
    return Field(
      "credentials",
      options: [
        .init("Choose a security question", form: [known, answer]),
        .init("Create my own security question", form: [custom, text, answer]),
      ])
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    if challenge.purpose == .enroll {
      let all = SecurityQuestion.all
      let keys = JSONValue.array(all.map { .string($0.key) })
      return ["contextualData": ["questionKeys": keys, "questions": .array(all.map(\.json))]]
    }
    guard let question = question(of: challenge, document.user) else { return [:] }
    return ["contextualData": ["enrolledQuestion": question.json]]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let text = answer["answer"] ?? ""
    if answer.challenge.purpose == .enroll {
      try require(
        Self.normalized(text).count >= 4,
        else: Rejection(.shortAnswer, status: 400, field: "credentials.answer", isAttempt: false))
      let key = answer["questionKey"] ?? ""
      let known = SecurityQuestion.all.first { $0.key == key }
      let custom = SecurityQuestion(key: key, text: answer["question"] ?? "")
      return .question(known ?? custom, answer: Secret(text))
    }
    guard case .question(_, let right) = answer.enrolled,
      Self.normalized(text) == Self.normalized(right.revealed)
    else { throw Rejection(.wrongAnswer, field: "credentials.answer") }
    return nil
  }

  private func question(
    of challenge: AuthenticatorChallenge, _ user: SimulatedUser
  ) -> SecurityQuestion? {
    guard case .question(let question, _) = challenge.enrollment(of: user)?.detail else {
      return nil
    }
    return question
  }

  private static func normalized(_ answer: String) -> String {
    answer.trimmed().lowercased()
  }
}
