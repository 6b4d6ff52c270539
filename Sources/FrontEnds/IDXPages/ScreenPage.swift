public import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A screen as a page with one form; it names no step, so it shows any screen.
///
/// The first button of the form is the main action, so that the Enter key chooses it. Without JavaScript,
/// everything works except passkeys and Okta FastPass; a page that waits is loaded again from time to time.
public struct ScreenPage {
  private let screen: Screen
  private let token: String
  private let revision: Int
  private let confirmation: String?
  private let address: String
  private let style: PageStyle

  /// Creates a page; the form contains the token and the revision, so that forged and old pages are noticed.
  public init(
    _ screen: Screen, token: String, revision: Int, confirmation: String? = nil,
    address: String = "/sign-in", style: PageStyle = PageStyle()
  ) {
    self.screen = screen
    self.style = style
    self.address = address
    self.token = token
    self.revision = revision
    self.confirmation = confirmation
  }

  /// The page.
  public var html: HTML {
    // What is typed would be lost if the page was loaded again.
    let isIdle = screen.wait != nil && screen.inputs.isEmpty
    let frame = PageFrame(
      title: hasProblem
        ? words(.titleOfProblem).replacing("{title}", with: screen.title) : screen.title,
      words: screen.words, style: style, usesScript: true,
      reloads: isIdle ? screen.wait.map { Int($0.interval.components.seconds) + 1 } : nil)
    return frame.html(
      .tag("p", ["class": "host"], .text(screen.host)),
      .tag("h1", [:], .text(screen.title)), person,
      .tag(
        "div", ["role": "status"], confirmation.map { .tag("p", ["class": "done"], .text($0)) }),
      messages, screen.unsupported.map { .tag("p", ["class": "unsupported"], .text($0)) },
      .all(screen.notes.map { .tag("p", ["class": "note"], .text($0)) }), lists,
      screen.setUp.map { AppKeyView(app: $0, words: screen.words).html }, wait, form)
  }

  // MARK: Problems and the focus

  /// The inputs; one of them has the messages that the server has sent about it.
  private var inputs: [Screen.Input] {
    screen.inputs.map { input in
      guard input.id == screen.messageInputID else { return input }
      var input = input
      let texts = screen.messages.filter { $0.kind == .error }.map(\.text)
      input.problem = (texts + [input.problem].compactMap(\.self)).joined(separator: "\n")
      return input
    }
  }

  /// The messages that belong to no input, and why a page must not be opened.
  private var messagesOfNoInput: [Screen.Message] {
    screen.messages.filter { screen.messageInputID == nil || $0.kind != .error }
      + (screen.dangerOfPage.map { [Screen.Message(.error, $0)] } ?? [])
  }

  private var hasProblem: Bool {
    messagesOfNoInput.contains { $0.kind == .error }
      || inputsView.visible.contains { $0.input.problem != nil }
      || inputs.contains { $0.id == screen.consent?.inputID && $0.problem != nil }
  }

  private var inputsView: InputsView {
    InputsView(
      inputs: inputs.filter { $0.id != screen.consent?.inputID }, words: screen.words)
  }

  /// Whether the focus is at the messages, because they explain what is wrong and no input does.
  private var focusesMessages: Bool {
    messagesOfNoInput.contains { $0.kind == .error }
      && !inputsView.visible.contains { $0.input.problem != nil }
  }

  /// The name of the control that has the focus: the first one with a problem, or the first one to fill in.
  private var focus: String? {
    let visible = inputsView.visible
    if focusesMessages { return nil }
    let first =
      visible.first { $0.input.problem != nil } ?? visible.first { !$0.input.isKept }
      ?? visible.first
    return first?.name
  }

  // MARK: What is shown

  /// Who is signing in, with a button for somebody else.
  ///
  /// It has a form of its own, so that the Enter key in a field does not choose its button.
  private var person: HTML? {
    screen.person.map { person in
      .tag(
        "form", ["method": "post", "action": address, "class": "person"], marks,
        .tag("span", [:], .text(person.username)),
        person.changeID.map {
          .tag("button", ["name": FormFields.choice, "value": $0], .text(words(.notYou)))
        })
    }
  }

  /// The username of the person whose password the page asks for, for the programs that fill it in.
  ///
  /// They ignore inputs of the type `hidden`. Without a name, it is not sent.
  private var usernameForPasswordManagers: HTML? {
    guard let person = screen.person, InputsView.asksForSecret(screen.inputs) else { return nil }
    return .tag(
      "input",
      [
        "id": "username", "type": "text", "autocomplete": "username", "value": person.username,
        "readonly": "", "hidden": "",
      ])
  }

  /// What each form of the page brings back.
  private var marks: HTML {
    .all([
      .tag("input", ["type": "hidden", "name": FormFields.token, "value": token]),
      .tag("input", ["type": "hidden", "name": FormFields.revision, "value": String(revision)]),
    ])
  }

  private var messages: HTML? {
    guard !messagesOfNoInput.isEmpty else { return nil }
    return .tag(
      "div", ["tabindex": "-1", "autofocus": focusesMessages ? "" : nil, "role": "alert"],
      .all(
        messagesOfNoInput.map { message in
          let kind = message.kind == .error ? "error" : "info"
          return .all(
            [.tag("p", ["class": "message \(kind)"], .text(message.text))]
              + message.links.map { link in
                .tag(
                  "p", ["class": "message link"],
                  .tag(
                    "a", ["href": link.url.absoluteString, "rel": "noreferrer"], .text(link.text)))
              })
        }))
  }

  private var lists: HTML {
    .all(
      screen.lists.map { list in
        .tag(
          "div", ["class": "list"], .tag("p", [:], .text(list.title)),
          .tag("ul", [:], .all(list.items.map { .tag("li", [:], .text($0)) })))
      })
  }

  private var wait: HTML? {
    screen.wait.map { wait in
      .tag(
        "section", ["class": "wait", "aria-live": "polite"],
        wait.number.map { .tag("p", ["class": "number"], .text($0)) },
        wait.instruction.map { .tag("p", [:], .text($0)) },
        .tag("p", ["class": "waiting"], .text(wait.text + "…")))
    }
  }

  // MARK: The form

  private var form: HTML {
    let poll = screen.wait.map { String(Int($0.interval / .milliseconds(1))) }
    return .tag(
      "form",
      [
        "id": "sign-in", "method": "post", "action": address, "data-poll": poll,
        "data-passkey": screen.passkey?.json, "data-fastpass": screen.deviceChallenge?.json,
        "data-autofill": screen.autoFillPasskey.map { Screen.PasskeyRequest.sign($0).json },
        "data-start": screen.startsByItself ? "" : nil,
      ],
      marks, usernameForPasswordManagers,
      scripted(screen.passkey != nil, FormFields.passkey, note: .needsScript),
      scripted(screen.passkey == nil && screen.autoFillPasskey != nil, FormFields.passkey),
      scripted(screen.deviceChallenge != nil, FormFields.fastPass, note: .oktaVerifyNeedsScript),
      screen.deviceChallenge.map { _ in
        .tag(
          "p", ["class": "waiting", "data-waiting": "", "hidden": "", "role": "status"],
          .text(words(.oktaVerifyWaits)))
      },
      inputsToFillIn, consent ?? mainAction, providers, options)
  }

  private var inputsToFillIn: HTML {
    var view = inputsView
    view.focus = focus
    if screen.autoFillPasskey != nil { view.usernameHint = "webauthn" }
    return view.html
  }

  /// A field that a script fills in, and what to show without scripts; nil if it is not needed.
  private func scripted(_ isNeeded: Bool, _ name: String, note: Words.Key? = nil) -> HTML? {
    guard isNeeded else { return nil }
    return .all(
      [
        .tag("input", ["type": "hidden", "name": name, "value": ""]),
        note.map { .tag("noscript", [:], .tag("p", ["class": "message info"], .text(words($0)))) },
      ].compactMap(\.self))
  }

  /// The two buttons of a yes or no that answers the whole page; nil if there is none.
  private var consent: HTML? {
    guard let consent = screen.consent,
      let input = inputs.first(where: { $0.id == consent.inputID })
    else { return nil }
    let name = FormFields.name(of: input.id, in: "")
    func button(_ label: String, _ value: String, _ kind: String) -> HTML {
      .tag("button", ["class": kind, "name": name, "value": value], .text(label))
    }
    return .tag(
      "div", ["role": "group", "aria-labelledby": "consent"],
      .tag("p", ["id": "consent", "class": "question"], .text(input.label)),
      inputsView.description(of: input, name), button(consent.allow, "true", "main"),
      button(consent.deny, "false", "other"))
  }

  /// The addresses outside of the site that the script of the page requests.
  public var requestedOrigins: [String] {
    screen.deviceChallenge?.localAddresses.map(\.absoluteString) ?? []
  }

  /// A link if a page is to be opened, so that the browser goes there; otherwise a button.
  ///
  /// Nil if the page must not be opened.
  private var mainAction: HTML? {
    if let page = screen.page {
      // The server chooses the address, which may be that of a program on the person's computer.
      guard screen.dangerOfPage == nil else { return nil }
      return .tag(
        "a", ["class": "button main", "href": page.url.absoluteString],
        .text(screen.action.label))
    }
    if let link = screen.link {
      return .tag(
        "a", ["class": "button main", "href": link.absoluteString], .text(screen.action.label))
    }
    let isWait = screen.action.role == .wait
    // Only a script can do it, so only a script shows it.
    let needsScript = screen.passkey != nil || screen.deviceChallenge != nil
    return .tag(
      "button",
      [
        "class": isWait ? "quiet" : "main", "formaction": isWait ? "/check" : nil,
        "hidden": needsScript ? "" : nil,
        "data-role": screen.action.role.rawValue,
      ],
      .text(isWait ? words(.check) : screen.action.label))
  }

  /// The identity providers, as links to their pages.
  private var providers: HTML? {
    let links = screen.options.compactMap { option in
      option.page.map { page in
        HTML.tag(
          "a", ["class": "button", "href": page.absoluteString], .text(option.label))
      }
    }
    guard !links.isEmpty else { return nil }
    return .tag(
      "section", ["class": "providers", "aria-label": words(.providers)], .all(links))
  }

  private var options: HTML? {
    // On the first page, there is nothing to leave or to start over.
    let isFirst = screen.number == 1 && inputs.contains { $0.contentType == .username }
    let shown = screen.options.filter { option in
      option.page == nil && !(isFirst && [.startOver, .quit].contains(option.role))
    }
    guard !shown.isEmpty else { return nil }
    let prominent = shown.filter(\.isProminent)
    let others = shown.filter { !$0.isProminent }
    return .tag(
      "section", ["class": "options", "aria-label": words(.options)],
      .all(prominent.map { option($0, "prominent") }), .all(others.map { option($0, "quiet") }))
  }

  private func option(_ option: Screen.Option, _ kind: String) -> HTML {
    .tag(
      "p", [:], option.reason.map { .tag("span", [:], .text($0)) },
      .tag(
        "button",
        [
          "class": kind, "name": FormFields.choice, "value": option.id, "formnovalidate": "",
          "data-role": option.role.rawValue,
        ], .text(option.label)))
  }

  private func words(_ key: Words.Key) -> String { screen.words.page(key) }
}
