import IDX
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The buttons of a page: the main one or two answers, other ways, and the way out.
struct PageButtons {
  private let screen: Screen

  init(_ screen: Screen) { self.screen = screen }

  /// The main action, or the two answers to a question; nil if rows are pressed in place of it, or if a page must not be
  /// opened.
  ///
  /// The inputs have the problems of the page.
  func main(_ inputs: [Screen.Input], hasRows: Bool) -> HTML? {
    consentButtons(inputs) ?? (hasRows ? nil : mainAction)
  }

  private func consentButtons(_ inputs: [Screen.Input]) -> HTML? {
    guard let consent = screen.consent,
      let input = inputs.first(where: { $0.id == consent.inputID })
    else { return nil }
    let name = FormFields.name(of: input.id, in: "")
    func button(_ label: String, _ value: String, _ kind: String) -> HTML {
      .tag("button", ["class": kind, "name": name, "value": value], .text(label))
    }
    let names: [Remediation.Name] = [
      .emailChallengeConsent, .keepMeSignedIn, .consent, .adminConsent,
    ]
    // The title of these pages is the question.
    let asksInTitle = screen.step.map { names.contains($0.remediation.name) } ?? false
    let view = InputsView(inputs: [input], words: screen.words)
    return .tag(
      "fieldset",
      [
        "aria-describedby": view.descriptionID(of: input, name),
        "aria-invalid": input.problem == nil ? nil : "true",
      ],
      .tag(
        "legend", ["class": asksInTitle ? "away" : nil],
        .text(asksInTitle ? screen.title : input.label)),
      view.description(of: input, name),
      // Whoever did not ask for the email should refuse as easily.
      button(
        consent.allow, "true",
        screen.step?.remediation.name == .emailChallengeConsent ? "other" : "main"),
      button(consent.deny, "false", "other"))
  }

  /// A page at which a password is changed that is not kept in the org; nil if there is none that may be opened.
  var otherPage: URL? {
    guard let step = screen.step, let link = UnsupportedStep(step)?.link.flatMap(URL.init(string:)),
      screen.mayOpen(link)
    else { return nil }
    return link
  }

  /// A link if a page is to be opened, so that the browser goes there; otherwise a button.
  ///
  /// Nil if the page must not be opened.
  private var mainAction: HTML? {
    if let otherPage {
      let host = otherPage.host ?? ""
      return .all([
        link(otherPage, screen.words.page(.changePasswordAt, ["host": host])),
        action("other", screen.action),
      ])
    }
    if let page = screen.page {
      // The server chooses the address, which may be that of a program on the person's computer.
      return screen.dangerOfPage == nil ? link(page.url, screen.action.label) : nil
    }
    if let address = screen.link { return link(address, screen.action.label) }
    guard screen.action.role == .wait else {
      return action("main", screen.action, label: restartLabel)
    }
    // The script asks for news by itself.
    return .tag(
      "noscript", [:],
      .tag(
        "button", ["class": "main", "formaction": "/check", "data-role": "wait"],
        .text(words(.check))))
  }

  private func link(_ url: URL, _ label: String) -> HTML {
    .tag("a", ["class": "button main", "href": url.absoluteString], .text(label))
  }

  private func action(_ kind: String, _ action: Screen.Option, label: String? = nil) -> HTML {
    // Only a script can do it, so only a script shows it.
    let needsScript = screen.passkey != nil || screen.deviceChallenge != nil
    return .tag(
      "button",
      [
        "class": kind, "hidden": needsScript ? "" : nil, "data-role": action.role.rawValue,
      ], .text(label ?? action.label))
  }

  /// What the button of the last page says.
  private var restartLabel: String? {
    // Only the last page of a sign-in has no step.
    screen.step == nil && screen.action.role == .startOver ? words(.signInAgain) : nil
  }

  /// The identity providers, as links to their pages.
  var providers: HTML? {
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

  // MARK: Other ways, and the way out

  /// Help and other ways; those that many people look for come first.
  var options: HTML? {
    let shown = screen.pageOptions.filter { $0.page == nil && $0.role != .quit }
    guard !shown.isEmpty else { return nil }
    return .tag(
      "section", ["class": "options", "aria-label": words(.options)],
      .all(shown.map(option)))
  }

  private func option(_ option: Screen.Option) -> HTML {
    .tag(
      "p", [:], option.reason.map { .tag("span", [:], .text($0)) },
      .tag(
        "button",
        [
          "name": FormFields.choice, "value": option.id, "formnovalidate": "",
          "data-role": option.role.rawValue,
        ], .text(option.label)))
  }

  /// The one way out.
  var leave: HTML? {
    guard let quit = screen.pageOptions.first(where: { $0.role == .quit }) else { return nil }
    return .tag(
      "section", ["class": "leave"],
      .tag(
        "button",
        [
          "name": FormFields.choice, "value": quit.id, "formnovalidate": "",
          "data-role": quit.role.rawValue, "aria-describedby": "leave",
        ], .text(words(.cancel))),
      .tag("p", ["id": "leave"], .text(words(.cancelMeans))))
  }

  private func words(_ key: Words.Key) -> String { screen.words.page(key) }
}
