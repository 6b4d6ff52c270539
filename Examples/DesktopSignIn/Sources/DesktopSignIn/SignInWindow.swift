import CGTK
import Foundation
import IDXFlow
import IDXScreens
import Observation

/// A window that shows the screens of a sign-in, and who is signed in afterwards.
@MainActor
final class SignInWindow {
  private let app: DesktopApp
  private let window: Widget = gtk_window_new()
  private let content = column(12)
  /// The number of the screen that is drawn.
  private var drawn = 0
  private let spinner: Widget = gtk_spinner_new()
  private let time = label("", "dim-label")

  init(_ app: DesktopApp) {
    self.app = app
    let scroll: Widget = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(scroll.opaque, content)
    gtk_window_set_child(window.cast(), scroll)
    gtk_window_set_title(window.cast(), "Sign in")
    gtk_window_set_default_size(window.cast(), 480, 760)
    gtk_widget_set_margin_start(content, 24)
    gtk_widget_set_margin_end(content, 24)
    gtk_widget_set_margin_top(content, 24)
    gtk_widget_set_margin_bottom(content, 24)
    window.on("close-request") { [app] in app.close() }
    // They outlive the screens that show them.
    for widget in [spinner, time] { g_object_ref_sink(widget) }
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
    if let screen = model.screen {
      // While the same screen is shown, the fields keep their focus.
      if screen.number != drawn { draw(screen) }
      gtk_widget_set_sensitive(content, model.isAsking ? 1 : 0)
      let isBusy = !model.isAsking || screen.wait != nil
      gtk_spinner_set_spinning(spinner.opaque, isBusy ? 1 : 0)
      gtk_widget_set_visible(spinner, isBusy ? 1 : 0)
    } else {
      drawn = 0
      gtk_widget_set_sensitive(content, 1)
      drawEnd(model.phase)
    }
  }

  private func clear(_ title: String) {
    content.removeAll()
    gtk_window_set_title(window.cast(), title)
    content.add(label(title, "title-2"))
  }

  // MARK: A screen

  private func draw(_ screen: Screen) {
    drawn = screen.number
    clear(screen.title)
    content.add(label(screen.host, "dim-label"))
    if let confirmation = app.signIn.confirmation { content.add(label(confirmation, "success")) }
    for message in screen.messages {
      content.add(label(message.text, message.kind == .error ? "error" : "heading"))
    }
    for text in screen.notes + [screen.unsupported].compactMap(\.self) { content.add(label(text)) }
    if let setUp = screen.setUp { draw(setUp) }
    if let wait = screen.wait { draw(wait) }
    let fields = column(12)
    content.add(fields)
    draw(screen.visibleInputs(with: app.signIn.values), of: screen, in: fields)
    if screen.action.role != .wait {
      content.add(control(screen.action, "suggested-action") { [app] in app.act(on: screen) })
    }
    for option in screen.options where option.isProminent { content.add(self.option(option, screen)) }
    let others = column(0)
    for option in screen.options where !option.isProminent { others.add(self.option(option, screen)) }
    content.add(others)
    content.add(spinner)
    app.show(screen)
  }

  private func option(_ option: Screen.Option, _ screen: Screen) -> Widget {
    control(option, option.isProminent ? "regular" : "flat") { [app] in
      app.signIn.choose(option.id, on: screen)
    }
  }

  private func control(
    _ option: Screen.Option, _ style: String, _ act: @escaping @MainActor () -> Void
  ) -> Widget {
    button([option.question, option.label].compactMap(\.self).joined(separator: " "), style, act)
  }

  private func draw(_ setUp: AuthenticatorApp) {
    if let code = setUp.qrCodePNG(scale: 6), let picture = picture(code) { content.add(picture) }
    guard let uri = setUp.uri else { return }
    if let key = setUp.keyInGroups {
      let label = label(key, "title-4")
      gtk_label_set_selectable(label.opaque, 1)
      content.add(label)
    }
    content.add(label(uri.account, "dim-label"))
  }

  private func draw(_ wait: Screen.Wait) {
    if let number = wait.number { content.add(label(number, "title-1")) }
    content.add(label(wait.instruction ?? wait.text))
    content.add(time)
    guard let end = wait.end else { return }
    Task { [weak self, number = drawn] in
      while let self, drawn == number {
        let left = max(Int(end.timeIntervalSinceNow), 0)
        gtk_label_set_text(time.opaque, String(format: "%d:%02d", left / 60, left % 60))
        try await Task.sleep(for: .seconds(1))
      }
    }
  }

  // MARK: Inputs

  private func draw(_ inputs: [Screen.Input], of screen: Screen, in fields: Widget) {
    fields.removeAll()
    let first =
      inputs.first { $0.problem != nil } ?? inputs.first { app.signIn.values[$0.id] == nil }
    for input in inputs {
      let box = column(4)
      if input.kind != .toggle { box.add(label(input.label, "heading")) }
      let field = field(input) { [weak self] in
        self?.draw(screen.visibleInputs(with: self?.app.signIn.values ?? [:]), of: screen, in: fields)
      } submit: { [app] in
        app.act(on: screen)
      }
      box.add(field)
      for hint in [input.hint].compactMap(\.self) + input.rules { box.add(label(hint, "dim-label")) }
      if let problem = input.problem { box.add(label(problem, "error")) }
      fields.add(box)
      if input == first { gtk_widget_grab_focus(field) }
    }
  }

  private func field(
    _ input: Screen.Input, redraw: @escaping @MainActor () -> Void,
    submit: @escaping @MainActor () -> Void
  ) -> Widget {
    let model = app.signIn
    let value = model.values[input.id] ?? ""
    switch input.kind {
    case .toggle:
      let check: Widget = gtk_check_button_new_with_label(input.label)
      gtk_check_button_set_active(check.cast(), value == "true" ? 1 : 0)
      check.on("toggled") {
        model.values[input.id] = gtk_check_button_get_active(check.cast()) == 1 ? "true" : "false"
      }
      return check
    case .choice(let choices):
      let list = column(2)
      var group: Widget?
      for choice in choices {
        let check: Widget = gtk_check_button_new_with_label(choice.label)
        gtk_check_button_set_group(check.cast(), group?.cast())
        gtk_check_button_set_active(check.cast(), value == choice.id ? 1 : 0)
        group = check
        check.on("toggled") {
          guard gtk_check_button_get_active(check.cast()) == 1 else { return }
          model.values[input.id] = choice.id
          // A choice can have inputs of its own. Redrawn later, because this widget is still at work.
          if choices.contains(where: { !$0.inputs.isEmpty }) { Task { redraw() } }
        }
        list.add(check)
      }
      return list
    default:
      let entry: Widget = input.kind == .secret ? gtk_password_entry_new() : gtk_entry_new()
      gtk_editable_set_text(entry.opaque, value)
      entry.on("changed") {
        model.values[input.id] = String(cString: gtk_editable_get_text(entry.opaque))
      }
      entry.on("activate", submit)
      return entry
    }
  }

  // MARK: Before and after

  private func drawEnd(_ phase: FlowPhase) {
    let isSignedIn = [.valid, .expiring].contains(app.credentials.status)
    switch phase {
    case _ where isSignedIn:
      clear("You are signed in.")
      content.add(label(app.credentials.credential?.username ?? ""))
    case .authenticating, .authorized: return clear("Connecting…")
    case .done(let state):
      clear("Done")
      for message in state.response.allMessages { content.add(label(message.text ?? "")) }
    case .failed(let failure):
      clear("The sign-in failed")
      content.add(label(failure.message, "error"))
    default: clear("You are not signed in.")
    }
    if let problem = app.credentials.problem { content.add(label(problem, "error")) }
    content.add(
      isSignedIn
        ? button("Sign out") { [app] in app.signOut() }
        : button("Sign in", "suggested-action") { [app] in app.start() })
  }
}
