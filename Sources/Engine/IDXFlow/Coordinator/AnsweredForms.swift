import IDX

/// The forms that handlers have answered since a person was last asked, to notice a sign-in that goes in a circle.
///
/// In a circle, no form is new, so each new form starts the counts again. A person who replies to screens may go back and
/// forth; ``FlowLimits/steps`` ends that.
struct AnsweredForms: Sendable {
  /// What makes a form the same in another response: it asks for the same about the same authenticator.
  private struct Form: Sendable, Equatable {
    let name: Remediation.Name
    let authenticator: IDXAuthenticator.Key?
    let fields: [String]

    init(_ form: Remediation, _ authenticator: IDXAuthenticator?) {
      name = form.name
      self.authenticator = authenticator?.key
      fields = form.form.fields.map(\.name)
    }
  }

  private var answered: [(form: Form, count: Int)] = []

  var isEmpty: Bool { answered.isEmpty }

  /// Counts an answer that the server has accepted; a poll that brought news is no answer, but may be new.
  mutating func add(
    _ form: Remediation, about authenticator: IDXAuthenticator?, isPoll: Bool = false
  ) {
    let form = Form(form, authenticator)
    if let index = answered.firstIndex(where: { $0.form == form }) {
      if !isPoll { answered[index].count += 1 }
    } else {
      for index in answered.indices { answered[index].count = 0 }
      answered.append((form, isPoll ? 0 : 1))
    }
  }

  /// How often a form was answered since the last new one.
  func count(of form: Remediation, about authenticator: IDXAuthenticator?) -> Int {
    let form = Form(form, authenticator)
    return answered.first { $0.form == form }?.count ?? 0
  }

  /// The names of the forms in the circle, in the order in which they were first answered.
  var circle: [Remediation.Name] { answered.filter { $0.count > 0 }.map(\.form.name) }
}
