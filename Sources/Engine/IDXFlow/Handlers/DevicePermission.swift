import IDX

/// Whether something of the person's device may be used in a sign-in: Okta Verify on it (``Screens/fastPass``), or the
/// memory of the org for it (``Screens/rememberDevice``).
public enum DevicePermission: String, Sendable, Hashable, CaseIterable {
  /// It is not used, and the person is not asked.
  case never
  /// The person is asked.
  case asks = "ask"
  /// It is used, and the person is not asked, because they have agreed before.
  case always
}

// Whether the org may remember the device (“Keep me signed in”), where it offers that.
extension DevicePermission {
  /// The fields with which a server asks, in forms for the username and for a second factor.
  private static let fields: Set = ["rememberMe", "rememberDevice"]

  /// The fields that a screen does not show.
  var omittedFields: Set<String> { self == .asks ? [] : Self.fields }

  /// A decision about a step, with the answer if the person is not asked.
  ///
  /// Without it, the server's own default would be sent.
  package func completed(_ decision: Decision, at step: Step?) -> Decision {
    guard self != .asks, case .submit(let answers, let other) = decision,
      let form = other ?? step?.remediation
    else { return decision }
    return .submit(answers.adding(self.answers(to: form)), to: other)
  }

  /// The answers to a form about which the person is not asked.
  func answers(to form: Remediation) -> Answers {
    var answers = Answers()
    guard self != .asks else { return answers }
    for name in Self.fields {
      guard let field = form[name], field.type == .boolean, !field.isFixed else { continue }
      if self == .always || field.hasDefault { answers[name] = .value(.bool(self == .always)) }
    }
    return answers
  }
}

extension Answers {
  /// These answers, and others for paths that have none.
  func adding(_ others: Answers) -> Answers {
    Answers(entries.merging(others.entries) { own, _ in own })
  }
}
