import Foundation
import IDX
import IDXSimulatedOrg

/// A person who fills in any page with what its labels ask for, and uses a phone.
struct PlainPerson {
  /// How a sign-in ends.
  enum End: Equatable {
    case signedIn
    /// The last page of the server, without tokens.
    case ended
    /// Nothing on the page leads on, so the person quits.
    case stuck
  }

  let browser: PlainBrowser
  let scenario: OrgScenario
  /// The option to look for first.
  var goal: String?
  /// Whether the person first posts each form without what it needs.
  var isCareless = false
  /// The problems of such posts that do not belong to their controls.
  private(set) var lostProblems: [String] = []
  private(set) var trace: [String] = []

  private static let login = SimulatedUser.demo.login
  /// The names that a page with a code can have in its title; the classic API has one of its own.
  private static let names: [(key: IDXAuthenticator.Key, name: String)] =
    [(.googleAuthenticator, "Authenticator app"), (.yubiKey, "YubiKey")]
    + SimulatedOrg.authenticators

  init(_ browser: PlainBrowser, _ scenario: OrgScenario) {
    self.browser = browser
    self.scenario = scenario
    switch scenario.goal {
    case .recover?: goal = "recover"
    case .unlock?: goal = "unlock-account"
    case .register?: goal = "select-enroll-profile"
    default: goal = nil
    }
  }

  /// Goes from page to page until the end.
  mutating func signIn() async -> End {
    await browser.start()
    for _ in 0..<60 {
      let page = browser.page
      let role = page.mainButton?["data-role"]
      if role != "wait" { trace.append(page.title) }
      if page.title.hasPrefix("Signed in as") { return .signedIn }
      if page.action == "/start" || role == "start_over" { return .ended }
      // The same page five times leads nowhere.
      if trace.suffix(5).count == 5, Set(trace.suffix(5)).count == 1 { return .stuck }
      await act(on: page)
    }
    return .stuck
  }

  /// Posts a form without what it needs, which sends nothing, and looks for the problems.
  private mutating func leaveOut(on page: PageReader) async {
    let needed = Set(page.elements.filter { $0["required"] != nil }.compactMap { $0["name"] })
    guard !needed.isEmpty, trace.filter({ $0 == page.title }).count == 1 else { return }
    let sent = await browser.sentRequests
    await browser.post(nil, Dictionary(needed.map { ($0, "") }) { first, _ in first })
    guard await browser.sentRequests == sent else {
      lostProblems.append("\(page.title): it was sent")
      return
    }
    // The repetition of a password that is missing does not matter.
    for name in needed where !name.hasSuffix("#repetition") {
      let id = "\(name)-details"
      let control = browser.page.elements.first { $0["aria-describedby"] == id }
      let details = browser.page.elements.drop { $0["id"] != id }.dropFirst().first
      if control?["aria-invalid"] != "true" || details?["class"] != "problem" {
        lostProblems.append("\(page.title): \(name)")
      }
    }
    let focused = browser.page.elements.filter { $0["autofocus"] != nil }.compactMap { $0["name"] }
    if !needed.contains(focused.first ?? "") || !browser.page.documentTitle.hasPrefix("Error: ") {
      lostProblems.append("\(page.title): \(browser.page.documentTitle), \(focused)")
    }
  }

  private mutating func act(on page: PageReader) async {
    let options = page.options.compactMap { $0["value"] }
    if let wanted = goal, options.contains(wanted) {
      goal = nil
      return await browser.post(nil, ["choose": wanted])
    }
    // A password that is changed elsewhere can be changed later.
    if let link = page.link, page.mainButton == nil || link.hasPrefix(PlainBrowser.origin) {
      return await browser.open(target(of: link))
    }
    // Okta Verify needs JavaScript, as the page says.
    if page.mainButton?["data-role"] == "fast_pass" {
      return await browser.post(nil, ["choose": "cancel-polling"])
    }
    if options.contains("skip") { return await browser.post(nil, ["choose": "skip"]) }
    if page.mainButton?["data-role"] == "wait" {
      await usePhone()
      browser.demo.org.advance(by: 6)
      return await browser.post("/check", [:])
    }
    if page.inputs.isEmpty, page.choices.isEmpty, page.rows.isEmpty, options.contains("resend") {
      return await browser.post(nil, ["choose": "resend"])
    }
    let answers = await answers(to: page)
    if isCareless { await leaveOut(on: page) }
    await browser.post(nil, answers)
  }

  private func target(of link: String) -> String {
    link.hasPrefix(PlainBrowser.origin) ? String(link.dropFirst(PlainBrowser.origin.count)) : "/"
  }

  private func usePhone() async {
    await browser.demo.org.completeEnrollment(for: Self.login)
    guard scenario.name != "push-timeout" else { return }
    let number = await browser.demo.org.pushes(for: Self.login).last?.number
    await browser.demo.org.approvePush(for: Self.login, choosing: number)
  }

  // MARK: Answers

  private func answers(to page: PageReader) async -> [String: String] {
    var answers: [String: String] = [:]
    // Two buttons in place of the main one; the first one says yes.
    if let button = page.buttons.first(where: { $0["name"]?.hasPrefix("/") == true }) {
      answers[button["name"] ?? ""] = button["value"]
    }
    for choice in page.choices { answers[choice.name] = choose(among: choice.values) }
    if let row = row(among: page.rows) { answers["pick"] = row }
    for input in page.inputs {
      guard let name = input["name"] else { continue }
      let value = await value(for: input, named: name, on: page)
      if !value.isEmpty { answers[name] = value }
    }
    for box in page.elements where box["type"] == "checkbox" {
      if let name = box["name"] { answers[name] = "true" }
    }
    return answers
  }

  private var ways: [String] {
    scenario.name == "okta-verify-code" ? ["totp"] : ["push", "sms", "qrcode"]
  }

  /// The value of the row to press; nil without rows.
  private func row(among rows: [(value: String, fields: [String: String])]) -> String? {
    let wanted = rows.flatMap { $0.fields.values }
    let first = choose(among: wanted.filter { !ways.contains($0) })
    let own = rows.filter { $0.fields.values.contains(first) }
    let row =
      own.first { $0.fields.values.contains(where: ways.contains) } ?? own.first
      ?? rows.first { $0.fields.values.contains(where: ways.contains) } ?? rows.first
    return row?.value
  }

  private func choose(among values: [String]) -> String {
    let own = scenario.users.flatMap(\.enrollments).map(\.authenticator.rawValue)
    // Duo needs a frame, and Okta Verify on this computer JavaScript.
    let others = ["duo", "okta_verify_fastpass"]
    return values.first(where: ways.contains)
      ?? values.first { own.contains($0) && !others.contains($0) }
      ?? values.first ?? ""
  }

  private func value(
    for input: PageReader.Element, named name: String, on page: PageReader
  ) async -> String {
    switch input["autocomplete"] {
    case "username": return Self.login
    case "new-password": return "Mechanism-1831"
    case "current-password":
      return await browser.demo.org.user(Self.login)?.password.revealed ?? ""
    case "email": return "mary@example.com"
    case "tel": return "+15550100188"
    default: break
    }
    let field = name.split(whereSeparator: { "./".contains($0) }).last ?? ""
    switch field {
    case "oldPassword": return SimulatedUser.demo.password.revealed
    case "userCode": return "WDJB-MJHT"
    case "credentialId": return SimulatedUser.demo.symantecCredentialID
    case "answer":
      return scenario.name.hasPrefix("recover") ? "Difference" : "Algebraic patterns"
    case "passcode", "totp", "nextPasscode":
      let ahead = field == "nextPasscode" ? 1 : 0
      for (key, name) in Self.names where page.title.contains(name) {
        if let code = await browser.demo.org.code(of: key, for: Self.login, ahead: ahead) {
          return code
        }
      }
      return await browser.demo.org.mailbox.messages.last?.code ?? "31415"
    default: return input["required"] == nil ? "" : "Mary"
    }
  }
}
