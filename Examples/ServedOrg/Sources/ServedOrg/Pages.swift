import Foundation
import IDXBase
import IDXFlow
import IDXPages
import IDXSimulatedOrg
import WebServer

/// The page with the mailbox and the devices.
struct DevicesPage {
  /// The name of the field with the token against forged forms.
  static let token = "token"

  private let devices: Devices
  private let facts: [(name: String, value: String)]
  private let passwordSite: AccountPolicy.PasswordSite?
  private let formToken: String

  init(
    _ devices: Devices, facts: [(name: String, value: String)],
    passwordSite: AccountPolicy.PasswordSite?, token: String
  ) {
    self.devices = devices
    self.facts = facts
    self.passwordSite = passwordSite
    formToken = token
  }

  /// The page, which is loaded again if something is new.
  var page: RenderedPage {
    PageFrame(
      title: "Mailbox and devices", words: Words.pages[0], style: .simulatedOrg,
      isWide: true, reload: (5, "/")
    ).page(
      .tag("h1", [:], "Mailbox and devices"),
      .tag(
        "dl", ["class": "list"],
        .all(
          facts.flatMap {
            [.tag("dt", [:], .text($0.name)), .tag("dd", [:], .text($0.value))]
          })),
      .tag(
        "p", ["class": "hint"], .tag("a", ["href": "/"], "Reload"),
        " (by itself if something is new)"),
      .all(devices.users.map(section)), .tag("h2", [:], "Messages"),
      devices.messages.isEmpty
        ? .tag("p", [:], "No email, text message or call yet.")
        : .tag("ul", ["class": "cards"], .all(devices.messages.prefix(50).map(item))))
  }

  private func section(_ user: Devices.User) -> HTML {
    let codes = user.codes.map { entry in
      HTML.tag(
        "li", [:], .text(entry.name + ": "), .tag("code", ["class": "key"], .text(entry.code)))
    }
    // Only the newest push can be answered.
    let pushes = user.pushes.enumerated().map { index, push in
      HTML.tag(
        "li", [:], .text("\(Devices.name(of: push.authenticator)) asks: Did you try to sign in?"),
        push.number.map { .text(" The sign-in shows the number \($0).") },
        index == user.pushes.count - 1 ? answers(to: push, of: user.login) : nil)
    }
    let setUps = user.setUps.map { key in
      HTML.tag(
        "li", [:], .text("\(Devices.name(of: key)) waits for the phone."),
        button("Scan the code or open the link", "set-up", ["login": user.login]))
    }
    let site = passwordSite.map { site in
      HTML.tag(
        "li", [:], .text("Passwords are changed at \(site.name)."),
        button("Change the password there", "change-password", ["login": user.login]))
    }
    let items = codes + pushes + setUps + [site].compactMap(\.self)
    return .all([
      .tag("h2", [:], .text("Devices of \(user.login)")),
      items.isEmpty
        ? .tag("p", [:], "No codes, and nothing waits.")
        : .tag("ul", ["class": "cards"], .all(items)),
    ])
  }

  private func answers(to push: SimulatedOrg.Push, of login: String) -> HTML {
    let approvals =
      push.number.map { number in
        // A wrong number, so that a client can be tested with one.
        let other = String(10 + ((Int(number) ?? 0) + 27) % 90)
        return [number, other].map {
          button("Choose \($0)", "approve", ["login": login, "number": $0])
        }
      } ?? [button("Approve", "approve", ["login": login])]
    return .tag("div", [:], .all(approvals), button("Reject", "reject", ["login": login]))
  }

  private func item(_ entry: Devices.Message) -> HTML {
    let message = entry.message
    return .tag(
      "li", [:], .text("\(message.method.rawValue) to \(message.recipient): \(message.text)"),
      entry.link.map {
        .tag("p", [:], .tag("a", ["href": $0.absoluteString], "Open its link in this browser"))
      },
      entry.link.map { _ in
        button("Open its link in another browser", "follow", ["message": String(entry.index)])
      })
  }

  private func button(
    _ label: String, _ action: String, _ values: KeyValuePairs<String, String>
  ) -> HTML {
    .tag(
      "form", ["method": "post", "action": "/devices"], .hidden(Self.token, formToken),
      .hidden("action", action), .all(values.map { .hidden($0.key, $0.value) }),
      .tag("button", [:], .text(label)))
  }
}

/// A page that a person opens in the browser, or an app for them.
struct BrowserPage {
  enum Kind: Sendable {
    /// The org's sign-in page.
    case signIn
    /// A page of an identity provider, or one that is opened once.
    case page
    /// The page for the code of a sign-in on another device.
    case userCode
  }

  /// The path and the query of the page.
  let target: String
  let kind: Kind
  /// The code that the address contains, or that was typed; nil if there is none.
  let userCode: String?
  let logins: [String]
  let token: String
  /// Why the code was refused; nil if it was not.
  var problem: String?

  /// The page, whose form may redirect to an app on any host.
  var page: RenderedPage {
    PageFrame(
      title: problem == nil ? title : "Error: \(title)", words: Words.pages[0],
      style: .simulatedOrg, usesScript: false, formAction: nil
    ).page(
      .tag("h1", [:], .text(title)), .tag("p", ["class": "lead"], .text(explanation)),
      .tag(
        "form", ["method": "post", "action": "/browser"], .hidden(DevicesPage.token, token),
        .hidden("target", target), kind == .userCode ? codeField : nil,
        .all(
          logins.enumerated().map { index, login in
            .tag(
              "button",
              ["class": index == 0 ? "main" : "other", "name": "login", "value": login],
              .text("\(kind == .page ? "Continue" : "Sign in") as \(login)"))
          }), .tag("button", ["class": "other", "formnovalidate": ""], "Refuse")))
  }

  private var codeField: HTML {
    .tag(
      "div", ["class": "field"], .tag("label", ["for": "code"], "Code"),
      .tag(
        "input",
        [
          "id": "code", "name": "user_code", "value": userCode ?? "", "required": "",
          "autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false",
          "autofocus": "", "aria-invalid": problem == nil ? nil : "true",
          "aria-describedby": problem == nil ? nil : "problem",
        ]), problem.map { .tag("p", ["class": "problem", "id": "problem"], .text($0)) })
  }

  private var title: String {
    switch kind {
    case .signIn: "Sign in to the simulated org"
    case .page: "A page of the simulated org"
    case .userCode: "Connect a device"
    }
  }

  private var explanation: String {
    switch kind {
    case .signIn: "An app asks who you are."
    case .page: "A sign-in has opened this page, and waits for it."
    case .userCode: "Enter the code that your other device shows."
    }
  }
}

extension PageStyle {
  /// The look of the pages of the simulated org.
  static let simulatedOrg = PageStyle(name: "Simulated org")
}

// MARK: - Responses

extension HTML {
  fileprivate static func hidden(_ name: String, _ value: String) -> HTML {
    .tag("input", ["type": "hidden", "name": name, "value": value])
  }
}

extension HTTPResponse {
  static func page(_ page: RenderedPage, status: Int = 200) -> HTTPResponse {
    // No other site may load it as a part of its own.
    HTTPResponse(
      status: status,
      headers: page.headers + [("Cross-Origin-Resource-Policy", "same-origin")], body: page.body)
  }

  /// A page that only says what happened.
  static func notice(_ status: Int, _ title: String, _ text: String) -> HTTPResponse {
    let notice = NoticePage(
      title, text: text, words: Words.pages[0], style: .simulatedOrg, isProblem: status != 200,
      action: nil)
    return .page(notice.page, status: status)
  }

  static func json(_ value: JSONValue) -> HTTPResponse {
    HTTPResponse(status: 200, headers: headers("application/json"), body: value.bytes)
  }

  static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: headers("text/plain; charset=utf-8"),
      body: Array((text + "\n").utf8))
  }

  static func redirect(_ status: Int, to address: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: [("Location", address), ("Cache-Control", "no-store")])
  }

  private static func headers(_ type: String) -> [(name: String, value: String)] {
    [
      ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
  }

  /// The style of the pages.
  static func file(_ file: StaticFile) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: file.headers + [("Cross-Origin-Resource-Policy", "same-origin")], body: file.bytes)
  }
}
