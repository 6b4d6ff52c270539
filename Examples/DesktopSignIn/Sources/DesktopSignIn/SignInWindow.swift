import CGTK
import Foundation
import IDXFlow
import Observation

/// A window that shows the screens of a sign-in, and who is signed in afterwards.
@MainActor
final class SignInWindow {
  private let app: DesktopApp
  private let window: Widget = gtk_window_new()
  private let content = column(16)
  private let spinner: Widget = gtk_spinner_new()
  /// The number of the screen that is drawn.
  private var drawn = 0

  /// What the theme has not: large numbers and keys, and quiet text that can still be read well.
  private static let style = """
    .number { font-size: 52px; font-weight: bold; }
    .key { font-family: monospace; font-size: 20px; font-weight: bold; }
    .quiet { opacity: 0.8; }
    .row { padding: 10px 14px; }
    .option { padding: 2px 0; font-weight: normal; }
    """

  init(_ app: DesktopApp) {
    self.app = app
    add_style(window, Self.style)
    let page = column(12)
    page.setMargins(24)
    // One column, also in a wide window.
    gtk_widget_set_halign(page, GTK_ALIGN_CENTER)
    gtk_widget_set_size_request(page, 400, -1)
    page.add(content)
    gtk_widget_set_halign(spinner, GTK_ALIGN_START)
    page.add(spinner)
    let scroll: Widget = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(scroll.opaque, page)
    gtk_window_set_child(window.cast(), scroll)
    gtk_window_set_default_size(window.cast(), 480, 760)
    window.onCloseRequest { [app, window] in
      gtk_widget_set_visible(window, 0)
      app.close()
    }
    update()
    gtk_window_present(window.cast())
  }

  /// Draws what the models say, now and whenever they change.
  private func update() {
    withObservationTracking {
      draw()
    } onChange: { [weak self] in
      Task { @MainActor in self?.update() }
    }
  }

  private func draw() {
    let model = app.signIn
    // A wait has a spinner of its own.
    let isBusy = !model.isAsking && !model.phase.isEnd && model.phase != .idle
    gtk_spinner_set_spinning(spinner.opaque, isBusy ? 1 : 0)
    gtk_widget_set_sensitive(content, model.screen == nil || model.isAsking ? 1 : 0)
    guard let screen = model.screen else { return drawEnd(model.phase) }
    // A screen that is drawn already keeps its focus.
    if screen.number != drawn { draw(screen) }
  }

  private func begin(_ title: String, _ number: Int = 0) {
    drawn = number
    content.removeAll()
    gtk_window_set_title(window.cast(), title)
    content.add(label(title, "title-2"))
  }

  // MARK: A screen

  private func draw(_ screen: Screen) {
    begin(screen.title, screen.number)
    if let guidance = screen.guidance { content.add(label(guidance)) }
    if let person = screen.person { draw(person, of: screen) }
    if let confirmation = app.signIn.confirmation { content.add(label(confirmation, "success")) }
    for message in screen.messages where screen.messageInputID == nil || message.kind != .error {
      content.add(label(message.text, message.kind == .error ? "error" : "body"))
      for link in message.links { content.add(label(link.text)) }
    }
    for note in [screen.unsupported].compactMap(\.self) + screen.notes { content.add(label(note)) }
    for list in screen.lists {
      content.add(label(([list.title] + list.items.map { "• \($0)" }).joined(separator: "\n")))
    }
    if let setUp = screen.setUp { draw(setUp, of: screen.person) }
    if let wait = screen.wait { draw(wait) }
    let fields = column(16)
    content.add(fields)
    if let consent = screen.consent {
      draw(consent, of: screen)
    } else if let rows = screen.pressableRows {
      draw(rows, of: screen)
    } else if screen.action.role != .wait {
      let main = button(screen.action.label, "suggested-action") { [app] in app.act(on: screen) }
      content.add(main)
      if screen.inputs.isEmpty { gtk_widget_grab_focus(main) }
    }
    let options = screen.pageOptions
    for option in options where option.page != nil {
      content.add(button(option.label, "text-button") { [app] in app.choose(option, on: screen) })
    }
    draw(options.filter { $0.page == nil }, of: screen)
    // The server chooses all other texts, so only the host says who asks.
    content.add(
      app.words.text("app.host", ["host": screen.host]).map { label($0, "quiet") })
    draw(in: fields, screen)
    app.show(screen)
  }

  /// Other ways, and the one way out.
  private func draw(_ options: [Screen.Option], of screen: Screen) {
    let list = column(2)
    for option in options {
      let own = option.role == .quit ? text("app.cancel") : option.label
      let text = [option.reason, own].compactMap(\.self).joined(separator: " ")
      list.add(link(text) { [app] in app.choose(option, on: screen) })
    }
    if !options.isEmpty { content.add(list) }
  }

  private func draw(_ person: Screen.Person, of screen: Screen) {
    let line = row(12)
    line.add(label(person.username, "heading"))
    if let change = person.changeID, screen.consent == nil {
      line.add(link(text("app.not-you")) { [app] in app.signIn.choose(change, on: screen) })
    }
    content.add(line)
  }

  /// Two buttons in place of the main one.
  private func draw(_ consent: Screen.Consent, of screen: Screen) {
    let question = screen.inputs.first { $0.id == consent.inputID }?.label
    content.add(question.map { label($0, "heading") })
    for (text, value, style) in [
      (consent.allow, "true", "suggested-action"), (consent.deny, "false", "text-button"),
    ] {
      content.add(
        button(text, style) { [app] in
          app.signIn[consent.inputID] = value
          app.signIn.submit(screen)
        })
    }
  }

  private func draw(_ rows: Screen.ChoiceRows, of screen: Screen) {
    let input = screen.inputs.first { $0.id == rows.inputID }
    content.add(input.flatMap { problem(of: $0, screen) }.map { label($0, "error") })
    let buttons = rows.rows.map { row in
      let button = button("", "row") { [app] in app.signIn.pick(row, on: screen) }
      let lines = column(2)
      lines.add(label(row.name, "heading"))
      lines.add(row.detail.map { label($0, "quiet") })
      gtk_button_set_child(button.cast(), lines)
      gtk_widget_set_sensitive(button, row.isUsable ? 1 : 0)
      set_name(button, [row.name, row.detail].compactMap(\.self).joined(separator: ". "))
      return button
    }
    for button in buttons { content.add(button) }
    if let first = rows.rows.firstIndex(where: \.isUsable) { gtk_widget_grab_focus(buttons[first]) }
  }

  private func draw(_ setUp: AuthenticatorApp, of person: Screen.Person?) {
    content.add(
      setUp.qrCodePNG().flatMap { picture($0, "\(text("app.qr-code")): \(setUp.name)") })
    guard let key = setUp.keyInGroups, let uri = setUp.uri else { return }
    content.add(label(text("app.cannot-scan"), "quiet"))
    let line = row(12)
    let shown = label(key, "key")
    gtk_label_set_selectable(shown.opaque, 1)
    line.add(shown)
    let copied = label("", "success")
    line.add(
      link(text("app.copy-key")) { [window, text] in
        gdk_clipboard_set_text(gtk_widget_get_clipboard(window), uri.secret.revealed)
        gtk_label_set_text(copied.opaque, text("app.copied"))
      })
    line.add(copied)
    content.add(line)
    if uri.account != person?.username { content.add(label(uri.account, "quiet")) }
  }

  private func draw(_ wait: Screen.Wait) {
    if let number = wait.number { content.add(label(number, "number")) }
    let line = row(8)
    let turning: Widget = gtk_spinner_new()
    gtk_spinner_set_spinning(turning.opaque, 1)
    line.add(turning)
    line.add(label(wait.instruction ?? wait.text))
    content.add(line)
    guard let end = wait.end else { return }
    let time = label("", "quiet")
    content.add(time)
    Task { [weak self, screen = drawn] in
      while let self, drawn == screen {
        let left = max(Int(end.timeIntervalSinceNow), 0)
        let text = String(format: "%d:%02d", left / 60, left % 60)
        gtk_label_set_text(time.opaque, app.words.text("app.left", ["time": text]) ?? text)
        try await Task.sleep(for: .seconds(1))
      }
    }
  }

  // MARK: Inputs

  private func draw(in fields: Widget, _ screen: Screen) {
    fields.removeAll()
    let values = app.signIn.values
    let pressed = screen.pressedInputIDs
    let inputs = screen.visibleInputs(with: values).filter { !pressed.contains($0.id) }
    let first =
      inputs.first { problem(of: $0, screen) != nil }
      ?? (screen.pressableRows == nil ? inputs.first { values[$0.id] == nil } : nil)
    for input in inputs {
      let field = field(input, in: fields, screen)
      let group = column(4)
      if input.kind != .toggle {
        let name = label(input.label, "heading")
        gtk_label_set_mnemonic_widget(name.opaque, field)
        set_label(field, name)
        group.add(name)
      }
      group.add(field)
      let hints = [input.hint].compactMap(\.self) + input.rules.map { "• \($0)" }
      for hint in hints { group.add(label(hint, "quiet")) }
      let problem = problem(of: input, screen)
      if let problem { group.add(label(problem, "error")) }
      fields.add(group)
      let details = [problem].compactMap(\.self) + hints
      if !details.isEmpty { set_description(field, details.joined(separator: " ")) }
      if input == first { gtk_widget_child_focus(field, GTK_DIR_TAB_FORWARD) }
    }
  }

  /// Why the last answer was refused, also if the server has said so for the whole response.
  private func problem(of input: Screen.Input, _ screen: Screen) -> String? {
    guard input.id == screen.messageInputID else { return input.problem }
    return screen.messages.filter { $0.kind == .error }.map(\.text).joined(separator: "\n")
  }

  private func field(_ input: Screen.Input, in fields: Widget, _ screen: Screen) -> Widget {
    let model = app.signIn
    switch input.kind {
    case .toggle:
      return check(gtk_check_button_new_with_label(input.label), model[isOn: input.id]) {
        model[isOn: input.id] = $0
      }
    case .choice(let choices):
      let list: Widget = radio_group(2)
      var group: Widget?
      for choice in choices {
        let check = check(radio_button(choice.label), model[input.id] == choice.id) { isOn in
          guard isOn else { return }
          model[input.id] = choice.id
          // Drawn later, because the signal of this widget has not ended.
          if choices.contains(where: { !$0.inputs.isEmpty }) {
            Task { if self.drawn == screen.number { self.draw(in: fields, screen) } }
          }
        }
        gtk_check_button_set_group(check.cast(), group?.cast())
        group = check
        list.add(check)
      }
      return list
    default:
      let entry: Widget = input.kind == .secret ? gtk_password_entry_new() : gtk_entry_new()
      if input.kind == .secret {
        gtk_password_entry_set_show_peek_icon(entry.opaque, 1)
        // GTK gives the icon no name.
        if let icon = gtk_widget_get_last_child(entry) { set_name(icon, text("app.show-secret")) }
      }
      gtk_editable_set_text(entry.opaque, model[input.id])
      entry.on("changed") {
        model[input.id] = String(cString: gtk_editable_get_text(entry.opaque))
      }
      entry.on("activate") { [app] in app.act(on: screen) }
      return entry
    }
  }

  private func check(
    _ check: Widget, _ isOn: Bool, _ change: @escaping @MainActor (Bool) -> Void
  ) -> Widget {
    gtk_check_button_set_active(check.cast(), isOn ? 1 : 0)
    check.on("toggled") { change(gtk_check_button_get_active(check.cast()) == 1) }
    return check
  }

  // MARK: Before and after

  private func text(_ key: Words.Key) -> String { app.words.text(key) ?? "" }

  private func drawEnd(_ phase: FlowPhase) {
    let credentials = app.credentials
    let isSignedIn = [.valid, .expiring].contains(credentials.status)
    var texts = [credentials.problem].compactMap(\.self)
    switch phase {
    case _ where isSignedIn:
      begin(text("app.signed-in"))
      texts.append(credentials.credential?.username ?? "")
    case .authenticating:
      begin(text("app.busy"))
      return content.add(link(text("app.cancel")) { [app] in app.signIn.cancel() })
    case .signedIn: return begin(text("app.busy"))
    case .completed(let state):
      begin(text("app.done"))
      texts += state.response.allMessages.compactMap(\.text)
    case .failed:
      let problem = app.signIn.problem
      begin(problem?.title(in: app.words) ?? "")
      texts += [problem?.text(in: app.words), problem?.referenceText(in: app.words)]
        .compactMap(\.self)
    default: begin(text("app.signed-out"))
    }
    for text in texts { content.add(label(text)) }
    guard !isSignedIn else {
      return content.add(button(text("app.sign-out"), "text-button") { [app] in app.signOut() })
    }
    let again: Words.Key = app.signIn.problem == nil ? "app.sign-in" : "app.try-again"
    let main = button(text(again), "suggested-action") { [app] in app.start() }
    content.add(main)
    gtk_widget_grab_focus(main)
  }
}
