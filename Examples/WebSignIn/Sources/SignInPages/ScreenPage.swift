public import IDXScreens

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

  /// Creates a page; the form contains the token and the revision, so that forged and old pages are noticed.
  public init(
    _ screen: Screen, token: String, revision: Int, confirmation: String? = nil,
    address: String = "/sign-in"
  ) {
    self.screen = screen
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
      title: screen.title, words: screen.words,
      usesScript: screen.wait != nil || screen.passkey != nil || screen.deviceChallenge != nil,
      reloads: isIdle ? screen.wait.map { Int($0.interval.components.seconds) + 1 } : nil)
    return frame.html(
      .tag("p", ["class": "host"], .text(screen.host)),
      .tag("h1", [:], .text(screen.title)),
      .tag(
        "div", ["role": "status"], confirmation.map { .tag("p", ["class": "done"], .text($0)) }),
      messages, screen.unsupported.map { .tag("p", ["class": "unsupported"], .text($0)) },
      .all(screen.notes.map { .tag("p", ["class": "note"], .text($0)) }),
      screen.setUp.map { AppKeyView(app: $0, words: screen.words).html }, wait, form)
  }

  // MARK: What is shown

  private var messages: HTML {
    .tag(
      "div", ["aria-live": "assertive"],
      .all(
        screen.messages.map { message in
          let kind = message.kind == .error ? "error" : "info"
          return .tag("p", ["class": "message \(kind)"], .text(message.text))
        }),
      screen.dangerOfPage.map { .tag("p", ["class": "message error"], .text($0)) })
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
        "method": "post", "action": address, "data-poll": poll,
        "data-passkey": screen.passkey?.json, "data-fastpass": screen.deviceChallenge?.json,
        "data-start": screen.startsByItself ? "" : nil,
      ],
      .tag("input", ["type": "hidden", "name": FormFields.token, "value": token]),
      .tag(
        "input", ["type": "hidden", "name": FormFields.revision, "value": String(revision)]),
      scripted(screen.passkey != nil, FormFields.passkey, .needsScript),
      scripted(screen.deviceChallenge != nil, FormFields.fastPass, .oktaVerifyNeedsScript),
      screen.deviceChallenge.map { _ in
        .tag(
          "p", ["class": "waiting", "data-waiting": "", "hidden": "", "role": "status"],
          .text(words(.oktaVerifyWaits)))
      },
      InputsView(inputs: screen.inputs, words: screen.words).html, mainAction, options)
  }

  /// A field that a script fills in, and what to show without scripts; nil if it is not needed.
  private func scripted(_ isNeeded: Bool, _ name: String, _ note: Words.Key) -> HTML? {
    guard isNeeded else { return nil }
    return .all(
      [
        .tag("input", ["type": "hidden", "name": name, "value": ""]),
        .tag("noscript", [:], .tag("p", ["class": "message info"], .text(words(note)))),
      ])
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
    return .tag(
      "button",
      [
        "class": isWait ? "quiet" : "main", "formaction": isWait ? "/check" : nil,
        "data-role": screen.action.role.rawValue,
      ],
      .text(isWait ? words(.check) : screen.action.label))
  }

  private var options: HTML? {
    guard !screen.options.isEmpty else { return nil }
    let prominent = screen.options.filter(\.isProminent)
    let others = screen.options.filter { !$0.isProminent }
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

  private func words(_ key: Words.Key) -> String { screen.words.web(key) }
}
