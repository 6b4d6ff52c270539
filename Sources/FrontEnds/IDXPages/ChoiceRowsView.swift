import IDXFlow

/// The rows of a screen as buttons that send the form.
///
/// A row can answer two inputs at once, so its button has a name of its own, and its value is what the form would send
/// (``FormFields/picked``). A row that needs more opens, and has a form.
struct ChoiceRowsView {
  private let rows: [Screen.ChoiceRow]
  private let input: Screen.Input

  /// Nil if the screen has no rows.
  init?(_ screen: Screen) {
    guard let rows = screen.choiceRows,
      let input = screen.inputs.first(where: { $0.id == rows.inputID })
    else { return nil }
    (self.rows, self.input) = (rows.rows, input)
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
          rows.map { row in
            let (fields, prefix) = FormFields.picking(row.picks)
            let value = FormFields.value(picking: fields)
            if !row.isUsable {
              return .tag(
                "li", [:], .tag("div", ["class": "row off"], face(of: row, inButton: false)))
            }
            guard !row.inputs.isEmpty else {
              return .tag(
                "li", [:], button(value, form: form, "row", face(of: row, inButton: true)))
            }
            let inner = InputsView(inputs: row.inputs, words: words, prefix: prefix)
            return .tag(
              "li", [:],
              .tag(
                "details", [:], .tag("summary", ["class": "row"], face(of: row, inButton: false)),
                .tag(
                  "form", ["method": "post", "action": address], marks, inner.html,
                  button(value, form: nil, "main", .text(action)))))
          })))
  }

  private func button(_ value: String, form: String?, _ kind: String, _ content: HTML) -> HTML {
    .tag(
      "button",
      ["class": kind, "form": form, "name": FormFields.picked, "value": value], content)
  }

  private func face(of row: Screen.ChoiceRow, inButton: Bool) -> HTML {
    .all([
      Symbol(row.authenticator, method: row.picks.last?.choice ?? "").html(inButton: inButton),
      .tag(
        "span", [:], .text(row.name),
        row.detail.map { .tag("small", [:], .text($0)) }),
    ])
  }
}
