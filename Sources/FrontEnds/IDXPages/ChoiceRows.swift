import IDXFlow

/// One choice as rows: a press on a row sends the form.
///
/// A row can answer two inputs at once, such as the phone and a text message to it, so its button has a name of its own,
/// and its value is what the form would send (``FormFields/picked``). A row that needs more opens, and has a form.
struct ChoiceRows {
  private struct Entry {
    let row: Screen.ChoiceRow
    let symbol: Symbol
    let fields: [(name: String, value: String)]
    /// What has to be filled in, and the start of its names; nil if a press is enough.
    var inner: (inputs: [Screen.Input], prefix: String)?
  }

  private let entries: [Entry]
  private let input: Screen.Input

  /// How many rows a person can compare.
  private static let limit = 14

  /// The rows of the only input that has to be answered; nil if there are others, or after a problem with what was filled
  /// in.
  init?(_ screen: Screen) {
    let asked = screen.inputs.filter { $0.kind != .toggle || $0.isRequired }
    guard asked.count == 1, let input = asked.first, input.choices.count > 0,
      input.id != screen.consent?.inputID, !Self.hasProblem(input.choices)
    else { return nil }
    let name = FormFields.name(of: input.id, in: "")
    var entries: [Entry] = []
    for choice in input.choices {
      let row = screen.row(for: choice, of: input)
      let own = [(name: name, value: choice.id)]
      let prefix = FormFields.prefix(of: choice.id, in: name)
      let symbol = Symbol(row.authenticator, method: choice.id)
      guard let way = choice.inputs.first else {
        entries.append(Entry(row: row, symbol: symbol, fields: own))
        continue
      }
      guard choice.inputs.count == 1, !way.choices.isEmpty, way.choices.allSatisfy(\.inputs.isEmpty)
      else {
        entries.append(
          Entry(row: row, symbol: symbol, fields: own, inner: (choice.inputs, prefix)))
        continue
      }
      for choice in way.choices {
        var row = row
        if way.choices.count > 1 {
          row.name = "\(row.name): \(choice.label)"
          // It would say what can be chosen.
          if row.authenticator == .oktaVerify { row.detail = nil }
        }
        let fields = own + [(FormFields.name(of: way.id, in: prefix), choice.id)]
        entries.append(
          Entry(
            row: row, symbol: Symbol(row.authenticator, method: choice.id), fields: fields))
      }
    }
    // A person would first have to open the only row.
    guard entries.count <= Self.limit, entries.count > 1 || entries[0].inner == nil else {
      return nil
    }
    (self.entries, self.input) = (entries, input)
  }

  private static func hasProblem(_ choices: [Screen.Choice]) -> Bool {
    choices.contains { $0.inputs.contains { $0.problem != nil || hasProblem($0.choices) } }
  }

  /// The ID of the input.
  var inputID: Screen.Input.ID { input.id }

  /// The rows, outside of the form whose ID is `form`.
  ///
  /// - Parameters:
  ///   - form: The form that a press on a row sends.
  ///   - address: Where the forms in rows lead.
  ///   - marks: What each form brings back.
  ///   - action: The button of a form in a row.
  ///   - words: The words of the page.
  func html(
    sending form: String, to address: String, marks: HTML, action: String, words: Words
  ) -> HTML {
    let view = InputsView(inputs: [input], words: words)
    let name = FormFields.name(of: input.id, in: "")
    return .tag(
      "fieldset",
      [
        "aria-describedby": view.descriptionID(of: input, name),
        "aria-invalid": input.problem == nil ? nil : "true",
      ],
      .tag("legend", ["class": "away"], .text(input.label)), view.description(of: input, name),
      .tag(
        "ul", ["class": "rows"],
        .all(
          entries.map { entry in
            let value = FormFields.value(picking: entry.fields)
            guard let inner = entry.inner else {
              let row = button(value, form: form, "row", face(of: entry))
              return .tag("li", [:], row)
            }
            let fields = InputsView(inputs: inner.inputs, words: words, prefix: inner.prefix)
            return .tag(
              "li", [:],
              .tag(
                "details", [:], .tag("summary", ["class": "row"], face(of: entry)),
                .tag(
                  "form", ["method": "post", "action": address], marks, fields.html,
                  button(value, form: nil, "main", .text(action)))))
          })))
  }

  private func button(_ value: String, form: String?, _ kind: String, _ content: HTML) -> HTML {
    .tag(
      "button",
      ["class": kind, "form": form, "name": FormFields.picked, "value": value], content)
  }

  private func face(of entry: Entry) -> HTML {
    .all([
      entry.symbol.html,
      .tag(
        "span", [:], .text(entry.row.name),
        entry.row.detail.map { .tag("small", [:], .text($0)) }),
    ])
  }
}
