public import Foundation
public import IDXFlow
import IDX
import IDXClassicAuth
import IDXDirectAuth
import IDXPages
public import IDXSimulatedOrg
public import IDXTesting
public import WebServer

/// A simulated org that a browser and other processes reach by HTTP, and the phone of its user.
///
/// It answers at the address of the site, because an org accepts passkeys only from its own pages.
public struct DemoOrg: Sendable {
  /// The org.
  public let org: SimulatedOrg
  private let login: String
  private let scenario: OrgScenario

  /// Creates the org of a scenario, with an issuer at this origin.
  public init(
    _ scenario: OrgScenario, origin: String, redirectURIs: [String], seed: UInt64? = nil,
    clock: @escaping @Sendable () -> Date = { Date() },
    onMessage: (@Sendable (Mailbox.Message) -> Void)? = nil
  ) {
    self.scenario = scenario
    login = scenario.users.first?.login ?? ""
    org = SimulatedOrg(
      issuer: origin + "/oauth2/default", redirectURIs: redirectURIs, users: scenario.users,
      policy: scenario.policy, seed: seed, clock: clock, onMessage: onMessage)
  }

  /// A client that reaches the org in memory, and asks for texts in a language.
  public func client(
    for signInProtocol: SignInProtocol, language: String = "en"
  ) -> any FlowClient {
    let transport = LanguageTransport(org, language: language)
    return switch signInProtocol {
    case .direct: DirectAuthClient(transport: transport, tokens: org.tokenClient)
    case .classic: ClassicAuthClient(transport: transport, tokens: org.tokenClient)
    default: IDXClient(transport: transport, tokens: org.tokenClient)
    }
  }

  /// The configuration of the app.
  public var configuration: FlowConfiguration {
    get throws {
      try FlowConfiguration(
        issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
    }
  }

  /// What a person needs to know to sign in, one line each.
  public var hints: [String] {
    let user = scenario.users.first
    return ["The user is \(login), the password \(user?.password.revealed ?? "")."] + scenario.hints
  }

  /// Answers a request to the org, a browser on one of its pages, or the phone.
  public func respond(to request: HTTPRequest) async -> HTTPResponse {
    if request.path.hasPrefix("/phone") { return await phone(request) }
    guard let url = URL(string: request.target, relativeTo: org.issuer)?.absoluteURL else {
      return HTTPResponse(status: 404)
    }
    if request.method == "GET", let returned = await org.visit(url) {
      return .seeOther(returned.absoluteString)
    }
    let usual = request.headers.map { name, value in
      (name.split(separator: "-").map(\.capitalized).joined(separator: "-"), value)
    }
    let sent = TransportRequest(
      method: request.method, url: url, headers: Dictionary(usual) { first, _ in first },
      body: request.body)
    guard let response = try? await org.send(sent) else { return HTTPResponse(status: 502) }
    return HTTPResponse(
      status: response.status, headers: response.headers.map { ($0.key, $0.value) },
      body: response.body)
  }

  // MARK: The computer

  /// Okta Verify on the user's computer, which listens at a port.
  public func oktaVerify(at port: Int) -> SimulatedOktaVerify {
    SimulatedOktaVerify(of: login, at: org, ports: [port: .answers])
  }

  /// Answers a request to Okta Verify.
  public static func respond(
    to request: HTTPRequest, as oktaVerify: SimulatedOktaVerify
  ) async -> HTTPResponse {
    guard let host = request.headers["host"],
      let url = URL(string: "http://\(host)\(request.target)")
    else { return HTTPResponse(status: 400) }
    let sent = TransportRequest(
      method: request.method, url: url, headers: request.headers, body: request.body)
    guard let response = try? await oktaVerify.send(sent) else { return HTTPResponse(status: 404) }
    return HTTPResponse(
      status: response.status, headers: response.headers.map { ($0.key, $0.value) },
      body: response.body)
  }

  // MARK: The phone

  /// What the user does on the phone: `/phone` shows messages and pushes, and the others act.
  private func phone(_ request: HTTPRequest) async -> HTTPResponse {
    let query = URLComponents(string: request.target)?.queryItems ?? []
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
    let message = await org.mailbox.messages.last
    switch request.path {
    case "/phone/code":
      let key = IDXAuthenticator.Key(rawValue: value("of") ?? "google_otp")
      return .text(await org.code(of: key, for: login) ?? "")
    case "/phone/approve": await org.approvePush(for: login, choosing: value("number"))
    case "/phone/reject": await org.rejectPush(for: login)
    case "/phone/set-up": await org.completeEnrollment(for: login)
    case "/phone/follow": if let message { await org.followLink(in: message) }
    case "/phone/open":
      // The link of an email, in the browser that signs in.
      guard let message, let url = await org.openLink(in: message) else { break }
      return .seeOther(url.absoluteString)
    default: break
    }
    let pushes = await org.pushes(for: login)
    let messages = await org.mailbox.messages.suffix(20)
    guard request.headers["accept"]?.contains("text/html") == true else {
      let lines = pushes.map { push in
        "push from \(push.authenticator)" + (push.number.map { ", number \($0)" } ?? "")
      }
      return .text(
        (lines + messages.map { "\($0.method) to \($0.recipient): \($0.text)" })
          .joined(separator: "\n"))
    }
    // Loading the page again must do nothing again.
    guard request.path == "/phone" else { return .seeOther("/phone") }
    return .page(200, PhonePage(pushes: pushes, messages: messages.reversed()).page)
  }
}

/// The phone of the demo's user, for a browser: pushes with their buttons, and messages.
private struct PhonePage {
  let pushes: [SimulatedOrg.Push]
  let messages: [Mailbox.Message]

  var page: RenderedPage {
    PageFrame(
      title: "Phone", words: Words.pages[0], style: PageStyle(name: "Demo phone"),
      isWide: true, reload: (5, "/phone")
    ).page(
      .tag("h1", [:], "Phone"),
      .tag("p", ["class": "lead"], "What the org of the demo sends to its user."),
      pushes.isEmpty && messages.isEmpty ? .tag("p", [:], "Nothing has arrived yet.") : nil,
      .tag(
        "ul", ["class": "cards"], .all(pushes.reversed().map(push)), .all(messages.map(message))))
  }

  private func push(_ push: SimulatedOrg.Push) -> HTML {
    .tag(
      "li", [:], .text("Did you try to sign in?"),
      .tag(
        "p", [:],
        link(
          push.number.map { "Yes, choose \($0)" } ?? "Yes, it's me",
          "/phone/approve" + (push.number.map { "?number=\($0)" } ?? ""), "main"),
        link("No, it's not me", "/phone/reject", "other")))
  }

  private func message(_ message: Mailbox.Message) -> HTML {
    .tag(
      "li", [:], .text("\(message.method.rawValue) to \(message.recipient): \(message.text)"),
      message.method == "email" && message == messages.first { $0.method == "email" }
        ? .tag("p", [:], link("Open its link in this browser", "/phone/open", "other")) : nil)
  }

  private func link(_ label: String, _ address: String, _ kind: String) -> HTML {
    .tag("a", ["class": "button \(kind)", "href": address], .text(label))
  }
}

extension HTTPResponse {
  fileprivate static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }
}
