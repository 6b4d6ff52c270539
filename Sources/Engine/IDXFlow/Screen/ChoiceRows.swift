public import IDX
import IDXBase

extension Screen {
  /// A choice as a row with two lines and perhaps a symbol, which a person presses.
  public struct ChoiceRow: Sendable, Hashable {
    /// The first line, such as “Email”.
    public var name: String
    /// The second line, such as “A code to a***a@example.com”; nil if the name is enough.
    ///
    /// It also says what cannot be used here.
    public var detail: String?
    /// The authenticator, for a symbol; nil if it is none.
    public var authenticator: IDXAuthenticator.Key?
    /// What a press on the row chooses: one choice, or one after the other, such as the phone and a text message to it.
    public var picks: [Pick] = []
    /// Whether a press leads on; false for a way that needs something that cannot be shown here, so that a front-end must
    /// not let it be pressed.
    public var isUsable = true
    /// What has to be filled in before the answer can be sent; empty if a press is enough.
    public var inputs: [Input] = []

    /// A choice of an input.
    public struct Pick: Sendable, Hashable {
      /// The input.
      public var input: Input.ID
      /// Its choice.
      public var choice: Choice.ID
    }
  }

  /// The only question of a screen as rows, so that one press answers it.
  public struct ChoiceRows: Sendable, Hashable {
    /// The ID of the input that asks.
    public var inputID: Input.ID
    /// The rows, at most 14.
    public var rows: [ChoiceRow]
  }

  /// The only question as rows; nil if there are others, after a problem with what was filled in, and if there are too
  /// many choices.
  ///
  /// ``SignInModel/pick(_:on:)`` answers with a row.
  public var choiceRows: ChoiceRows? {
    let asked = inputs.filter { $0.kind != .toggle || $0.isRequired }
    guard asked.count == 1, let input = asked.first,
      (1...Self.mostRows).contains(input.choices.count),
      input.id != consent?.inputID, !Self.hasProblem(input.choices)
    else { return nil }
    let rows = input.choices.flatMap { self.rows(for: $0, of: input) }
    guard rows.contains(where: \.isUsable) else { return nil }
    // A person would first have to open the only row.
    guard rows.count <= Self.mostRows, rows.count > 1 || rows[0].inputs.isEmpty else { return nil }
    return ChoiceRows(inputID: input.id, rows: rows)
  }

  /// As many as a person can compare.
  private static let mostRows = 14

  private static func hasProblem(_ choices: [Choice]) -> Bool {
    choices.contains { $0.inputs.contains { $0.problem != nil || hasProblem($0.choices) } }
  }

  /// The row of a choice, or those of the choices that it leads to.
  private func rows(for choice: Choice, of input: Input) -> [ChoiceRow] {
    var row = row(for: choice, of: input)
    row.picks = [ChoiceRow.Pick(input: input.id, choice: choice.id)]
    guard let way = choice.inputs.first, choice.inputs.count == 1, !way.choices.isEmpty,
      way.choices.allSatisfy(\.inputs.isEmpty)
    else {
      row.inputs = choice.inputs
      return [row]
    }
    return way.choices.map { choice in
      var own = row
      own.picks.append(ChoiceRow.Pick(input: way.id, choice: choice.id))
      if way.choices.count > 1 {
        own.name = "\(row.name): \(choice.label)"
        // It would say what can be chosen.
        if row.authenticator == .oktaVerify { own.detail = nil }
      }
      return own
    }
  }

  /// A choice as a row; its ``Choice/label`` says the same in one line.
  private func row(for choice: Choice, of input: Input) -> ChoiceRow {
    guard let step, let authenticator = input.option(of: choice)?.authenticator,
      let key = authenticator.key
    else { return ChoiceRow(name: choice.label) }
    let detail = (authenticator.nickname ?? authenticator.phoneNumber ?? authenticator.email)?.brief
    let name = detail.map { choice.label.replacing(" (\($0))", with: "") } ?? choice.label
    // A handler of the app may show what is not shown here.
    let isOwn = [Remediation.Name.challengeAuthenticator, .enrollAuthenticator].contains { name in
      step.context.routes.contains(Route(name: name, key))
        || step.context.routes.contains(Route(name: name))
    }
    let values = ["detail": detail ?? ""]
    var text = detail.flatMap { _ in words.text(.choice("\(key).to"), values) }
    // A name such as “Phone, by SMS” says more than the usual text.
    if text == nil, name == words.text(.name(key)) { text = words.text(.choice("\(key)")) }
    var row = ChoiceRow(name: name, detail: text, authenticator: key)
    if key == .duo {
      row.isUsable = isOwn
      row.detail = isOwn ? nil : words.text(.choice("duo"))
    }
    return row
  }
}

extension Words.Key {
  /// What an authenticator is, for somebody who chooses one, such as `choice.okta_email`.
  fileprivate static func choice(_ name: String) -> Self { Self(rawValue: "choice.\(name)") }
}
