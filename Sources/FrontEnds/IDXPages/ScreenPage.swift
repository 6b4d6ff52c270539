public import IDXBase
public import IDXFlow
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A screen as a page with one form; it shows any screen, also of steps that it has never seen.
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
  private let rows: ChoiceRowsView?
  private let buttons: PageButtons

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
    rows = ChoiceRowsView(screen)
    buttons = PageButtons(screen)
  }

  /// The page of an open sign-in.
  public init(_ page: OpenSignInPage, style: PageStyle = PageStyle()) {
    self.init(
      page.screen, token: page.formToken, revision: page.revision,
      confirmation: page.confirmation, style: style)
  }

  /// The last page of a sign-in, whose button starts another one.
  public init(end screen: Screen, address: String, style: PageStyle = PageStyle()) {
    var screen = screen
    screen.options = []
    self.init(screen, token: "", revision: 0, address: address, style: style)
  }

  /// The page.
  public var page: RenderedPage {
    // What is typed would be lost if the page was loaded again.
    let isIdle = screen.wait != nil && screen.inputs.isEmpty
    let frame = PageFrame(
      title: title, words: screen.words, style: style, host: screen.host,
      scripts: scripts,
      reload: isIdle
        ? screen.wait.map { (Int($0.interval.components.seconds) + 1, "/check") } : nil)
    return frame.page(
      requesting: screen.deviceChallenge?.localAddresses.map(\.absoluteString) ?? [],
      .tag("h1", [:], .text(heading)),
      lead.map { .tag("p", ["class": "lead"], .text($0)) }, person,
      .tag(
        "div", ["role": "status", "id": "confirmation"],
        confirmation.map { .tag("p", ["class": "done"], .text($0)) }),
      messages, screen.unsupported.map { .tag("p", ["class": "message info"], .text($0)) },
      notes, lists,
      screen.setUp.map {
        AppKeyView(app: $0, words: screen.words, asksForCode: !screen.inputs.isEmpty).html
      }, wait, picks, form)
  }

  /// The paths of the scripts that only this kind of page needs.
  private var scripts: [String] {
    let needs = [
      ("/passkey.js", screen.passkey != nil || screen.autoFillPasskey != nil),
      ("/okta-verify.js", screen.deviceChallenge != nil),
      ("/rules.js", inputsView.visible.contains { $0.input.contentType == .newPassword }),
    ]
    return needs.filter(\.1).map(\.0)
  }

  /// The title in the browser, which a screen reader says first: it begins with a problem, or with what was just done.
  private var title: String {
    if hasProblem { return screen.words.page(.titleOfProblem, ["title": heading]) }
    return confirmation.map { "\($0) \(heading)" } ?? heading
  }

  /// The title of the screen, without an address or a number that is in the sentence below.
  private var heading: String {
    if isMaintenance { return words(.maintenance) }
    guard let detail = screen.title.firstMatch(of: /\ \(([^()]+)\)$/), let lead,
      lead.contains(detail.output.1)
    else { return screen.title }
    return String(screen.title[..<detail.range.lowerBound])
  }

  /// Whether the server waits for nobody: it is under maintenance, as its message says.
  private var isMaintenance: Bool {
    screen.step?.remediation.name == .poll && screen.step?.authenticator == nil
  }

  /// What to do, in one sentence.
  private var lead: String? {
    // The key of an app has steps of its own.
    guard screen.unsupported == nil, screen.setUp == nil else { return nil }
    return screen.wait?.number == nil ? screen.guidance : screen.wait?.instruction
  }

  // MARK: Problems and the focus

  /// The inputs; one of them has the messages that the server has sent about it.
  private var inputs: [Screen.Input] {
    screen.inputs.map { input in
      guard input.id == screen.messageInputID else { return input }
      var input = input
      let texts = screen.messages.filter { $0.kind == .error }.map(\.text)
      let problems = texts + [input.problem].compactMap(\.self)
      if !problems.isEmpty { input.problem = problems.joined(separator: "\n") }
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
      || inputs.contains { isPressed($0) && $0.problem != nil }
  }

  /// The inputs that are fields, and not buttons.
  private var inputsView: InputsView {
    let fields = inputs.filter { !isPressed($0) }.map { input in
      guard input.id == "authenticator" else { return input }
      var input = input
      input.label = screen.words[.field("methodType")] ?? input.label
      return input
    }
    return InputsView(inputs: fields, words: screen.words)
  }

  /// Whether an input is answered by a press on a button.
  private func isPressed(_ input: Screen.Input) -> Bool {
    input.id == screen.consent?.inputID || input.id == rows?.inputID
  }

  /// Whether the focus is at the messages, because they explain what is wrong and no input does.
  private var focusesMessages: Bool {
    messagesOfNoInput.contains { $0.kind == .error }
      && !inputsView.visible.contains { $0.input.problem != nil }
  }

  /// The name of the control that has the focus: the first one with a problem, or the first one to fill in.
  private var focus: String? {
    let visible = inputsView.visible
    // A switch below rows is not the first thing to do.
    // So is a field below the steps that set up an app, which would scroll away.
    let isBelow = rows != nil || screen.setUp != nil
    if focusesMessages || isBelow && visible.allSatisfy({ $0.input.problem == nil }) {
      return nil
    }
    let first =
      visible.first { $0.input.problem != nil }
      ?? visible.first { !$0.input.isKept && $0.input.suggestion == nil }
      ?? visible.first { !$0.input.isKept }
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
        "form", ["method": "post", "action": address], marks,
        .person(
          person.username,
          // Beside a yes or no, it would be a third answer, which the server does not learn.
          (screen.consent == nil ? person.changeID : nil).map {
            .tag("button", ["name": FormFields.choice, "value": $0], .text(words(.notYou)))
          }))
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
          let isDone = screen.step == nil && !hasProblem
          let kind = message.kind == .error ? "message error" : isDone ? "done" : "message info"
          let links = message.links.map { link in
            HTML.tag(
              "a", ["href": link.url.absoluteString, "rel": "noreferrer"], .text(link.text))
          }
          guard !links.isEmpty else { return .tag("p", ["class": kind], .text(message.text)) }
          return .tag(
            "div", ["class": kind], .tag("p", [:], .text(message.text)), .all(links))
        }))
  }

  /// What to know about the step; not where to change a password, which is the main action then.
  private var notes: HTML {
    let own = buttons.otherPage?.absoluteString
    let notes = screen.notes.filter { note in own.map { !note.contains($0) } ?? true }
    // Who asked for an email, and from where.
    let facts = notes.compactMap { $0.firstMatch(of: /^([^:.]{1,30}): (.+)$/)?.output }
    guard facts.count == notes.count, facts.count > 1 else {
      return .all(notes.map { .tag("p", ["class": "note"], .text($0)) })
    }
    return .tag(
      "dl", ["class": "list"],
      .all(
        facts.flatMap {
          [.tag("dt", [:], .text(String($0.1))), .tag("dd", [:], .text(String($0.2)))]
        }))
  }

  /// What is a list; not what can be allowed one by one, because each has a switch.
  private var lists: HTML {
    let hasSwitches = inputs.contains { $0.kind == .toggle && $0.id.hasPrefix("optedScopes.") }
    return .all(
      (hasSwitches ? [] : screen.lists).map { list in
        .tag(
          "div", ["class": "list"], .tag("p", [:], .text(list.title)),
          .tag("ul", [:], .all(list.items.map { .tag("li", [:], .text($0)) })))
      })
  }

  /// What the server waits for; beside a field, the sentence at the top says that.
  private var wait: HTML? {
    screen.wait.flatMap { wait in
      guard screen.inputs.isEmpty || wait.number != nil || screen.guidance == nil else {
        return nil
      }
      return .tag(
        "section", ["class": "wait", "aria-live": "polite"],
        wait.number.map { .tag("p", ["class": "number"], .text($0)) },
        .tag(
          "p", ["class": "waiting"],
          .text(isMaintenance ? words(.maintenanceWaits) : wait.text + "…")))
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
      scripted(screen.passkey != nil, FormFields.passkey, .needsScript),
      scripted(screen.passkey == nil && screen.autoFillPasskey != nil, FormFields.passkey),
      scripted(screen.deviceChallenge != nil, FormFields.fastPass, .oktaVerifyNeedsScript),
      inputsToFillIn, main, buttons.providers,
      buttons.options,
      buttons.leave)
  }

  private var inputsToFillIn: HTML {
    var view = inputsView
    view.focus = focus
    view.focusDescription = confirmation.map { _ in "confirmation" }
    view.passwordRules = screen.step?.passwordRules?.checkable ?? []
    view.username = screen.person?.username
    if screen.autoFillPasskey != nil { view.usernameHint = "webauthn" }
    return view.html
  }

  /// The rows of the only choice; nil if there is none.
  private var picks: HTML? {
    rows?.html(
      sending: "sign-in", to: address, marks: marks, action: screen.action.label,
      words: screen.words)
  }

  /// The main action; while a script does it, a line in its place says so.
  private var main: HTML? {
    let button = buttons.main(inputs, hasRows: rows != nil)
    guard screen.passkey != nil || screen.deviceChallenge != nil else { return button }
    let text = words(screen.passkey == nil ? .oktaVerifyWaits : .passkeyWaits)
    return .tag(
      "div", ["class": "stack"], button,
      .tag("p", ["class": "waiting", "hidden": "", "role": "status"], .text(text)))
  }

  /// A field that a script fills in, and what to show without scripts; nil if it is not needed.
  private func scripted(
    _ isNeeded: Bool, _ name: String, _ note: Words.Key? = nil
  ) -> HTML? {
    guard isNeeded else { return nil }
    return .all(
      [
        .tag("input", ["type": "hidden", "name": name, "value": ""]),
        note.map { .tag("noscript", [:], .tag("p", ["class": "message info"], .text(words($0)))) },
      ].compactMap(\.self))
  }

  private func words(_ key: Words.Key) -> String { screen.words.page(key) }
}

// The form has the token of the sign-in.
extension ScreenPage: Redacted {
  /// The screen.
  public var description: String { "page of \(screen)" }
}
