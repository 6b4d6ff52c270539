/// Why the classic API refuses a request (protocol section 8).
///
/// The codes are the server's, the wording is ours.
struct ClassicRefusal: Error {
  let reply: OrgReply

  init(_ reply: OrgReply) { self.reply = reply }

  init(_ code: String, _ summary: String, status: Int, causes: [String] = []) {
    reply = .classicError(code, summary, status: status, causes: causes)
  }
}

extension ClassicRefusal {
  static let authenticationFailed = ClassicRefusal(
    "E0000004", "These credentials do not sign anyone in.", status: 401)
  static let unknownToken = ClassicRefusal(
    "E0000011", "The token is unknown or expired.", status: 401)
  static let notOffered = ClassicRefusal(
    "E0000079", "The state in which this sign-in is offers no such request.", status: 403)
  static let locked = ClassicRefusal(
    "E0000069", "That was wrong too often. The account is locked.", status: 403)
  static let bodyNotJSON = ClassicRefusal(
    "E0000003", "The body is not a JSON object.", status: 400)
  static let noSuchAddress = ClassicRefusal(
    .classicError("E0000007", "There is nothing at this address.", status: 404))

  /// What is wrong with a body, by the names of its members.
  static func invalid(_ problems: [FormCheck.Problem]) -> ClassicRefusal {
    invalid(problems.first?.path ?? "body", problems.map { $0.message.text })
  }

  static func invalid(_ name: String, _ causes: [String]) -> ClassicRefusal {
    ClassicRefusal("E0000001", "Api validation failed: \(name)", status: 400, causes: causes)
  }

  /// An answer that does not prove what it should.
  static func wrongAnswer(_ message: OrgMessage) -> ClassicRefusal {
    // Where a message has a code of this API, it is that.
    guard message != .nextCode else {
      return ClassicRefusal("E0000113", message.text, status: 403)
    }
    return ClassicRefusal(
      "E0000068", "Invalid Passcode/Answer", status: 403, causes: [message.text])
  }

  /// A password that does not do.
  static func refusedPassword(_ cause: String) -> ClassicRefusal {
    ClassicRefusal("E0000014", "The password is not changed.", status: 403, causes: [cause])
  }

  /// What this API cannot do for the sign-in.
  static func impossible(_ summary: String) -> ClassicRefusal {
    ClassicRefusal("E0000006", summary, status: 403)
  }
}
