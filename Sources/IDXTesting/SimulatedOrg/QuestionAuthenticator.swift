import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A question and its answer, one of ours or in the user's own words.
struct QuestionAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.securityQuestion
  let type: IDXAuthenticator.Kind = "security_question"
  let displayName = "Security Question"
  let methods = [(label: "Security Question", value: "security_question")]
  let enrollmentPrefix = "qae"

  /// The questions to choose from.
  static let questions = [
    (key: "first_concert", text: "Whose concert was the first you went to?"),
    (key: "childhood_street", text: "On which street did you live as a child?"),
    (key: "favorite_teacher", text: "Which teacher did you like best?"),
  ]

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    let answer = OrgForm.text("answer", label: "Answer", secret: true)
    if ceremony.purpose == .challenge {
      let question = Self.question(of: user)
      let key = OrgForm.fixed(
        "questionKey", question?.key ?? "", label: question?.text, hidden: true)
      return OrgForm.nested("credentials", [key, answer])
    }
    let questions = Self.questions.map { (label: $0.text, value: $0.key) }
    return OrgForm.alternatives(
      "credentials",
      [
        OrgForm.option(
          label: "Choose a question",
          [
            OrgForm.choice("questionKey", label: "Question", required: true, questions), answer,
          ]),
        OrgForm.option(
          label: "Write a question",
          [
            OrgForm.fixed("questionKey", "custom"),
            OrgForm.text("question", label: "Question"), answer,
          ]),
      ])
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    if ceremony.purpose == .challenge {
      guard let question = Self.question(of: user) else { return [] }
      return [("contextualData", ["enrolledQuestion": Self.json(question)])]
    }
    let keys = Self.questions.map { JSONValue.string($0.key) }
    let data: JSONValue = [
      "questionKeys": .array(keys), "questions": .array(Self.questions.map(Self.json)),
    ]
    return [("contextualData", data)]
  }

  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    guard case .question(let key, let text, _) = detail else { return nil }
    return Self.json((key: key, text: text))
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let answer = Self.normalised(credentials["answer"]?.string ?? "")
    if ceremony.purpose == .enroll {
      guard answer.count < 4 else { return nil }
      return Rejection(
        status: 400, message: .shortAnswer, field: "credentials.answer", isAttempt: false)
    }
    if case .question(_, _, let right) = account.user.enrollment(of: key)?.detail,
      answer == Self.normalised(right.revealed)
    {
      return nil
    }
    return Rejection(status: 401, message: .wrongAnswer, field: "credentials.answer")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    guard ceremony.purpose == .enroll, let key = credentials["questionKey"]?.string,
      let answer = credentials["answer"]?.string
    else { return }
    let text =
      credentials["question"]?.string ?? Self.questions.first { $0.key == key }?.text ?? ""
    account.user.enrollments.append(
      .securityQuestion(key: key, question: text, answer: Secret(answer)))
  }

  private static func question(of user: SimulatedUser) -> (key: String, text: String)? {
    guard case .question(let key, let text, _) = user.enrollment(of: .securityQuestion)?.detail
    else { return nil }
    return (key, text)
  }

  private static func json(_ question: (key: String, text: String)) -> JSONValue {
    ["questionKey": .string(question.key), "question": .string(question.text)]
  }

  private static func normalised(_ answer: String) -> String {
    let isSpace: (Character) -> Bool = \.isWhitespace
    let start = answer.drop(while: isSpace)
    return String(String(start.reversed()).drop(while: isSpace).reversed()).lowercased()
  }
}
