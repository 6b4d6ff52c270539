#if canImport(SwiftUI)
  import Foundation
  import IDX
  import IDXFlow
  import SwiftUI

  /// Any screen of a sign-in.
  struct ScreenView: View {
    let model: SignInModel
    let screen: Screen
    let pages: any WebPages
    @FocusState private var focus: Screen.Input.ID?
    @Environment(\.openURL) private var openURL
    @Environment(\.signInStyle) private var style

    init(model: SignInModel, screen: Screen, pages: any WebPages) {
      (self.model, self.screen, self.pages) = (model, screen, pages)
    }

    var body: some View {
      Form {
        head
        if let setUp = screen.setUp { AuthenticatorAppView(app: setUp, words: screen.words) }
        if let wait = screen.wait { WaitView(wait: wait) }
        Section {
          inputs
          ForEach(pressedProblems, id: \.self) { ProblemText($0) }
          if let rows = screen.pressableRows {
            ForEach(rows.rows, id: \.self) { row in
              ChoiceRowView(row: row) { model.pick(row, on: screen) }
            }
          }
        }
        Section { buttons }.listRowInsets(EdgeInsets()).listRowBackground(Color.clear)
        Section {
          ForEach(options) { option in
            OptionView(option: option, words: screen.words) { model.choose($0, on: screen) }
          }
        } footer: {
          if style.showsHost { Text(screen.words.app("app.host", ["host": screen.host])) }
        }
      }
      .formStyle(.grouped)
      .disabled(!model.isAsking)
      .overlay {
        if !model.isAsking, screen.wait == nil {
          BusyView(words: screen.words) { model.cancel() }
        }
      }
      .announcing(news)
      .onAppear { focus = firstField }
      .task { if screen.startsByItself, screen.page != nil { await act() } }
    }

    // MARK: What is shown

    private var head: some View {
      Section {
        if let logo = style.logo { logo.accessibilityHidden(true) }
        Text(screen.title).font(.title2).accessibilityAddTraits(.isHeader)
        if let guidance = screen.guidance { Text(guidance) }
        if let person = screen.person {
          HStack {
            username(person.username)
            if let change = person.changeID, screen.consent == nil {
              Button(screen.words.app("app.not-you")) { model.choose(change, on: screen) }
            }
          }
        }
        if let confirmation = model.confirmation {
          Text(confirmation).foregroundStyle(.green)
        }
        ForEach(screen.messages, id: \.self) { message in
          if message.kind == .error { ProblemText(message.text) } else { Text(message.text) }
          ForEach(message.links, id: \.self) { Link($0.text, destination: $0.url) }
        }
        if let reason = screen.unsupported { Text(reason) }
        ForEach(screen.lists, id: \.self) { list in
          VStack(alignment: .leading) {
            Text(list.title)
            ForEach(list.items, id: \.self) { Text("• \($0)" as String) }
          }
        }
        ForEach(screen.notes, id: \.self) { Text($0) }
      }
    }

    /// The username, which password managers save with the password of the screen.
    @ViewBuilder private func username(_ name: String) -> some View {
      if visibleInputs.contains(where: { $0.kind == .secret }) {
        TextField("" as String, text: .constant(name)).textContentType(.username).disabled(true)
          .accessibilityLabel(Text(name))
      } else {
        Text(name)
      }
    }

    /// What assistive technologies say when the screen appears.
    private var news: [String] {
      let said: [String?] =
        [model.confirmation] + screen.messages.map(\.text) + visibleInputs.map(\.problem)
        + [screen.wait?.instruction]
      return said.compactMap(\.self)
    }

    private var visibleInputs: [Screen.Input] { screen.visibleInputs(with: model.values) }

    /// What is wrong with an answer that is given with a button.
    private var pressedProblems: [String] {
      let pressed = screen.pressedInputIDs
      return screen.inputs.filter { pressed.contains($0.id) }.compactMap(\.problem)
    }

    // MARK: Inputs

    private var inputs: some View {
      let pressed = screen.pressedInputIDs
      return ForEach(visibleInputs.filter { !pressed.contains($0.id) }) { input in
        InputView(
          model: model, input: input, words: screen.words, isLast: input.id == fields.last,
          focus: $focus
        )
        .onSubmit { submit(after: input.id) }
      }
    }

    /// The options; a sheet has no other way out than Cancel.
    private var options: [Screen.Option] {
      let shown = screen.pageOptions
      return shown + screen.options.filter { $0.role == .quit && !shown.contains($0) }
    }

    /// The IDs of the inputs in which a person types.
    private var fields: [Screen.Input.ID] {
      visibleInputs.filter { [.text, .secret].contains($0.kind) }.map(\.id)
    }

    /// The field with a problem, or the first empty one.
    private var firstField: Screen.Input.ID? {
      visibleInputs.first { $0.problem != nil && fields.contains($0.id) }?.id
        ?? fields.first { model[$0].isEmpty } ?? fields.first
    }

    /// Goes to the next field, or does the main action after the last one.
    private func submit(after id: Screen.Input.ID) {
      if let index = fields.firstIndex(of: id), index + 1 < fields.count {
        focus = fields[index + 1]
      } else {
        Task { await act() }
      }
    }

    // MARK: Actions

    @ViewBuilder private var buttons: some View {
      if let consent = screen.consent {
        MainButton(label: consent.allow) { answer(consent, "true") }
        WideButton(label: consent.deny) { answer(consent, "false") }.buttonStyle(.bordered)
      } else if screen.pressableRows == nil, screen.action.role != .wait {
        MainButton(label: screen.action.label) { Task { await act() } }
      }
    }

    private func answer(_ consent: Screen.Consent, _ value: String) {
      model[consent.inputID] = value
      model.submit(screen)
    }

    /// Does the main action of the screen.
    private func act() async {
      if let link = screen.link { openURL(link) }
      guard let page = screen.page else { return model.submit(screen) }
      if let danger = screen.dangerOfPage { return model.reply(.failed(danger), to: screen) }
      do { model.reply(.returned(try await open(page)), to: screen) } catch is CancellationError {
      } catch { model.reply(.failed(error.localizedDescription), to: screen) }
    }

    /// Opens a page, and closes it if another screen follows meanwhile.
    private func open(_ page: Screen.Page) async throws -> URL {
      let opening = Task { try await pages.open(page.url, returningTo: page.redirectURI) }
      let news = Task {
        _ = await model.next(after: screen)
        opening.cancel()
      }
      defer { news.cancel() }
      return try await withTaskCancellationHandler {
        try await opening.value
      } onCancel: {
        opening.cancel()
      }
    }
  }

  /// A request that is under way; if it takes long, the person can quit.
  struct BusyView: View {
    let words: Words
    /// Nil if there is nothing to cancel.
    let cancel: (@MainActor () -> Void)?
    @State private var isLong = false

    var body: some View {
      VStack {
        ProgressView().accessibilityLabel(Text(words.app("app.busy")))
        if isLong, let cancel {
          Button(words.app("app.cancel"), role: .cancel, action: cancel)
        }
      }
      .task {
        // The second click of a double click must not cancel.
        try? await Task.sleep(for: .seconds(2))
        isLong = !Task.isCancelled
      }
    }
  }

  /// Something else that the person can do, with the question that leads to it.
  struct OptionView: View {
    let option: Screen.Option
    let words: Words
    let choose: @MainActor (Screen.Option.ID) -> Void

    var body: some View {
      VStack(alignment: .leading) {
        if let reason = option.reason {
          Text(reason).font(.caption).foregroundStyle(.secondary)
        }
        if option.role == .quit {
          Button(words.app("app.cancel"), role: .cancel) { choose(option.id) }
        } else {
          Button(option.label) { choose(option.id) }
        }
      }
    }
  }

  /// The main button of a screen.
  struct MainButton: View {
    let label: String
    let action: @MainActor () -> Void

    var body: some View {
      WideButton(label: label, action: action).buttonStyle(.borderedProminent)
    }
  }

  /// A large button, as wide as the form.
  struct WideButton: View {
    let label: String
    let action: @MainActor () -> Void

    var body: some View {
      Button(action: action) { Text(label).frame(maxWidth: .infinity) }.controlSize(.large)
    }
  }

  /// A choice that one press answers with.
  struct ChoiceRowView: View {
    let row: Screen.ChoiceRow
    let action: @MainActor () -> Void

    var body: some View {
      Button(action: action) {
        VStack(alignment: .leading) {
          Text(row.name)
          if let detail = row.detail {
            Text(detail).font(.caption).foregroundStyle(.secondary)
          }
        }
        .frame(maxWidth: .infinity, alignment: .leading)
      }
      .disabled(!row.isUsable)
    }
  }

  /// What the server waits for.
  struct WaitView: View {
    let wait: Screen.Wait

    var body: some View {
      Section {
        if let number = wait.number { Text(number).font(.largeTitle) }
        HStack {
          ProgressView()
          Text(wait.instruction ?? wait.text)
        }
        if let end = wait.end {
          // It stands still at the end.
          Text(timerInterval: min(.now, end)...end).foregroundStyle(.secondary)
        }
      }
    }
  }
#endif
