import Foundation
import IDXBase
import IDXSimulatedOrg
import IDXPages
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

  var html: HTML {
    .all([
      .tag("h1", [:], "Simulated org"),
      .tag(
        "dl", [:],
        .all(
          facts.flatMap {
            [.tag("dt", [:], .text($0.name)), .tag("dd", [:], .text($0.value))]
          })),
      .tag("p", [:], .tag("a", ["href": "/"], "Reload"), " (every 5 seconds by itself)"),
      .all(devices.users.map(section)),
      .tag("h2", [:], "Messages"),
      devices.messages.isEmpty
        ? .tag("p", [:], "No email, text message or call yet.")
        : .tag("ul", [:], .all(devices.messages.prefix(50).map(item))),
    ])
  }

  private func section(_ user: Devices.User) -> HTML {
    let codes = user.codes.map { entry in
      HTML.tag(
        "li", [:], .text(entry.name + ": "), .tag("code", [:], .text(entry.code)))
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
        ? .tag("p", [:], "No codes, and nothing waits.") : .tag("ul", [:], .all(items)),
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
  /// The code that the address contains; nil if it contains none.
  let userCode: String?
  let logins: [String]
  let token: String

  var html: HTML {
    .all([
      .tag("h1", [:], .text(title)), .tag("p", [:], .text(explanation)),
      .all(
        logins.map {
          button("\(kind == .page ? "Continue" : "Sign in") as \($0)", login: $0)
        }),
      button("Refuse", login: nil),
    ])
  }

  private var title: String {
    kind == .page ? "A page of the simulated org" : "Sign in to the simulated org"
  }

  private var explanation: String {
    switch kind {
    case .signIn: "An app asks who you are."
    case .page: "A sign-in has opened this page, and waits for it."
    case .userCode: "Enter the code that your other device shows. Does it show the same code?"
    }
  }

  private func button(_ label: String, login: String?) -> HTML {
    .tag(
      "form", ["method": "post", "action": "/browser"], .hidden(DevicesPage.token, token),
      .hidden("target", target), login.map { .hidden("login", $0) },
      kind == .userCode
        ? .tag(
          "input",
          ["name": "user_code", "value": userCode ?? "", "aria-label": "Code", "required": ""])
        : nil,
      .tag("button", [:], .text(label)))
  }
}

// MARK: - Responses

extension HTML {
  fileprivate static func hidden(_ name: String, _ value: String) -> HTML {
    .tag("input", ["type": "hidden", "name": name, "value": value])
  }
}

extension HTTPResponse {
  /// A page; nil as `formAction` lets its forms lead to any site.
  static func html(
    _ content: HTML, status: Int = 200, formAction: String? = nil, reloads: Bool = false
  ) -> HTTPResponse {
    let document = HTML.document(
      .tag(
        "html", ["lang": "en"],
        .tag(
          "head", [:], .tag("meta", ["charset": "utf-8"]),
          .tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
          reloads ? .tag("meta", ["http-equiv": "refresh", "content": "5; url=/"]) : nil,
          .tag("title", [:], "Simulated org"),
          .tag("link", ["rel": "stylesheet", "href": "/style.css"]),
          .tag("link", ["rel": "icon", "href": "data:,"])),
        .tag("body", [:], .tag("main", [:], content))))
    let policy =
      "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
      + (formAction.map { "; form-action \($0)" } ?? "")
    return HTTPResponse(
      status: status,
      headers: headers("text/html; charset=utf-8") + [
        ("Content-Security-Policy", policy), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
      ], body: Array(document.markup.utf8))
  }

  /// A page that only says what happened.
  static func notice(_ status: Int, _ text: String) -> HTTPResponse {
    .html(.tag("h1", [:], .text(text)), status: status)
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

  static let stylesheet = HTTPResponse(
    status: 200, headers: headers("text/css; charset=utf-8"),
    body: Array(
      """
      :root { color-scheme: light dark; }
      body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
      main { max-width: 44rem; margin: 0 auto; overflow-wrap: anywhere; }
      h1 { font-size: 1.5rem; }
      h2 { font-size: 1.15rem; margin-top: 1.5rem; }
      dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; }
      dt { color: light-dark(#59606e, #a8afbd); }
      dd { margin: 0; }
      ul { padding: 0; list-style: none; }
      li { padding: 0.5rem 0; border-top: 1px solid light-dark(#d5d9e2, #3a404c); }
      li p { margin: 0; }
      li form { display: inline-block; margin: 0.25rem 0.5rem 0.25rem 0; }
      code { font-size: 1.2rem; letter-spacing: 0.05em; }
      main > form { margin: 0.75rem 0; }
      button { font: inherit; padding: 0.35rem 0.9rem; }

      """.utf8))
}
