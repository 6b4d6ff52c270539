import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

@testable import IDXPages

/// Looks and words of pages.
struct LookTests {
  private func screen(_ inputs: [Screen.Input] = [], words: Words = Words.pages[0]) -> Screen {
    var screen = Screen(
      title: "Title", host: "demo.okta.example",
      action: Screen.Option(id: "", label: "Next", role: .submit), words: words)
    screen.inputs = inputs
    return screen
  }

  private func reader(
    _ screen: Screen, confirmation: String? = nil, style: PageStyle = PageStyle()
  ) -> PageReader {
    PageReader(
      ScreenPage(screen, token: "t", revision: 3, confirmation: confirmation, style: style)
        .page.html.markup)
  }

  private static let code = Screen.Input(
    id: "code", kind: .text, label: "Code", isRequired: true, contentType: .oneTimeCode)

  // MARK: Sentences and words

  @Test(
    "A page says in one sentence what to do, and an address that it has is left out of the title")
  func sentence() {
    var screen = screen([Self.code])
    screen.guidance = "Enter the code."
    expectEqual(reader(screen).elements.first { $0["class"] == "lead" }?.text, "Enter the code.")
    screen.wait = Screen.Wait(text: "Waiting", number: "85", instruction: "Choose 85 in the app.")
    let page = reader(screen)
    expectEqual(page.elements.first { $0["class"] == "lead" }?.text, "Choose 85 in the app.")
    expectEqual(page.elements.first { $0["class"] == "number" }?.text, "85")

    screen.wait = nil
    (screen.title, screen.guidance) = ("Your email (a@b.example)", "The code is at a@b.example.")
    expectEqual(reader(screen).title, "Your email")
    screen.guidance = "The code is there."
    expectEqual(reader(screen).title, "Your email (a@b.example)")
  }

  @Test(
    "The sentence of a step says where a code is, or what happens next",
    arguments: [
      (
        "email", "Verify with your email (a***a@example.com)",
        "Open the link in the email that was sent to a***a@example.com, or enter its code."
      ),
      (
        "google", "Verify with Google Authenticator",
        "Open Google Authenticator on your phone, and enter the code that it shows."
      ),
      (
        "security-question", "Verify with a security question",
        "Enter the answer that you chose when you set up this question."
      ),
      ("consent", "Demo app asks for access", "Allow this only if you trust the app."),
    ])
  func sentences(scenario: String, title: String, sentence: String) async throws {
    let page = try await page(of: scenario, until: title)
    expectEqual(page.elements.first { $0["class"] == "lead" }?.text, sentence)
  }

  @Test("What was just done is in the title, and describes the field with the focus")
  func confirmation() throws {
    let page = reader(screen([Self.code]), confirmation: "Sent again.")
    expect(page.documentTitle == "Sent again. Title" && page.title == "Title")
    expectEqual(page.inputs[0]["aria-describedby"], "confirmation")
    let status = page.elements.drop { $0["id"] != "confirmation" }
    expectEqual(status.dropFirst().first?.text, "Sent again.")
    expectEqual(reader(screen([Self.code])).inputs[0]["aria-describedby"], nil)
  }

  @Test(
    "Where not all fields are needed, each says whether it is, and an empty answer which one it is")
  func needs() {
    let nickname = Screen.Input(id: "name", kind: .text, label: "Name", isRequired: false)
    let needs = reader(screen([Self.code, nickname])).elements.filter { $0["class"] == "need" }
    expectEqual(needs.map(\.text), ["required", "optional"])
    expect(!reader(screen([Self.code])).elements.contains { $0["class"] == "need" })

    var name = Screen.Input(
      id: "firstName", kind: .text, label: "Vorname", isRequired: true, contentType: .givenName)
    name.problem = Words.english["problem.missing"]
    var other = Screen.Input(id: "city", kind: .text, label: "City", isRequired: true)
    other.problem = Words.english["problem.missing"]
    other.rules = ["at least 2 characters"]
    let page = reader(screen([name, other]))
    expectEqual(page.problems, ["Enter your first name.", "“City” is empty."])
    expectEqual(page.inputs.map { $0["data-missing"] }, page.problems)
    other.problem = "It must have at least 2 characters."
    expect(reader(screen([other])).text.contains("At least 2 characters"))
  }

  @Test("The rules of a new password are a list, which the script ticks")
  func rules() async throws {
    let page = try await page(of: "recover", until: "Choose a new password")
    let items = page.elements.filter { $0.name == "li" && $0["data-rule"] != nil }
    expectEqual(items.map(\.text).first, "At least 8 characters")
    expectEqual(items.compactMap { $0["data-rule"] }.prefix(2), ["length 8", "lower 1"])
    let list = try require(page.elements.first { $0["class"] == "rules" })
    expectEqual(list["data-username"], SimulatedUser.demo.login)
  }

  @Test(
    "A button says what it does",
    arguments: [
      ("password", "Enter your password", ["Sign in"]),
      ("keep-me-signed-in", "Stay signed in?", ["Yes, stay signed in", "No"]),
      ("email-consent", "Did you try to sign in?", ["Yes, it's me", "No, it's not me"]),
      ("progressive-profile", "Complete your profile", ["Continue"]),
      ("enroll-passkey", "Set up a passkey or security key", ["Create a passkey"]),
    ])
  func labels(scenario: String, title: String, buttons: [String]) async throws {
    let page = try await page(of: scenario, until: title)
    let own = page.buttons.filter { $0["class"] == "main" || $0["class"] == "other" }
    expectEqual(own.map(\.text), buttons)
  }

  @Test("There is one way out, whose meaning is explained, and none on the first page")
  func wayOut() {
    var screen = screen([Self.code])
    screen.options = [
      Screen.Option(id: "resend", label: "Send it again", role: .resend),
      Screen.Option(id: "cancel", label: "Start over", role: .startOver),
      Screen.Option(id: Screen.quitID, label: "Quit", role: .quit),
    ]
    let page = reader(screen)
    expectEqual(page.options.map(\.text), ["Send it again", "Cancel"])
    expectEqual(page.options.last?["aria-describedby"], "leave")
    expectContains(page.text, "You leave without signing in.")
    // Beside a yes or no, it would be a third answer, which the server does not learn.
    screen.consent = Screen.Consent(inputID: Self.code.id, allow: "Yes", deny: "No")
    expectEqual(reader(screen).options.map(\.text), ["Send it again"])
  }

  // MARK: Rows

  @Test("A choice is a row with a name, a description and a symbol, and one press answers it")
  func rows() async throws {
    let page = try await page(of: "choose-factor", until: "Choose how to verify")
    let row = try require(page.rows.first { $0.fields.values.contains("okta_email") })
    expectContains(page.text, "Email A code to")
    expect(page.elements.contains { $0.name == "svg" } && page.choices.isEmpty)
    let sms = try require(page.rows.first { $0.fields.values.contains("sms") })
    expect(sms.fields["/authenticator"] == "phone_number" && sms.fields.count == 2)
    let reply = FormFields.reply(in: ["pick": sms.value, "token": "t"], words: .english)
    guard case .submit(let values) = reply else {
      Issue.record("\(reply)")
      return
    }
    expect(Set(values.values.map(\.revealed)).isSuperset(of: ["phone_number", "sms"]))
    expect(row.fields == ["/authenticator": "okta_email"] || row.fields.count == 2)
    // What cannot be used here says so before it is chosen.
    expectEqual(page.text.contains("Needs a page of Duo"), page.text.contains("Duo Security"))
  }

  @Test(
    "A row that needs more opens, and its form sends only its own answers; a damaged row answers nothing"
  )
  func openRow() throws {
    let number = Screen.Input(id: "number", kind: .text, label: "Number", isRequired: true)
    let input = Screen.Input(
      id: "way",
      kind: .choice([
        Screen.Choice(id: "a", label: "A", position: 0),
        Screen.Choice(id: "b", label: "B", inputs: [number], position: 1),
      ]), label: "Way", isRequired: true)
    let page = reader(screen([input]))
    expect(page.elements.contains { $0.name == "summary" } && page.rows.count == 2)
    let form = ["pick": page.rows[1].value, "/way/b/number": "7"]
    expectEqual(FormFields.reply(in: form, words: .english), .submit(["way": "b", "number": "7"]))
    expectEqual(
      FormFields.reply(in: form.merging(["pick": page.rows[0].value]) { $1 }, words: .english),
      .submit(["way": "a"]))

    for value in ["", "%2Fway", "=", "%2Fway=a=b", "%FF=%FF"] {
      expectEqual(
        FormFields.reply(in: ["pick": value], words: .english), .submit([:]), "\(value)")
    }
  }

  // MARK: The brand

  @Test("Each page has the name with a letter or a logo, an icon, and the host if it may")
  func brand() throws {
    let page = reader(screen(), style: PageStyle(name: "<shop>"))
    expectEqual(page.elements.first { $0["class"] == "letter" }?.text, "S")
    let icon = try require(page.elements.first { $0["rel"] == "icon" }?["href"])
    expect(icon.hasPrefix("data:image/svg+xml,") && !icon.contains("<"))
    expect(page.text.contains("<shop>") && page.text.contains("You sign in at demo.okta.example."))
    let other = reader(screen(), style: PageStyle(showsHost: false))
    expect(!other.text.contains("demo.okta.example"))
  }

  @Test("Only Arabic, Hebrew and other languages of this kind are written from the right")
  func direction() {
    for (language, direction) in [("ar-EG", "rtl"), ("he", "rtl"), ("de", nil), ("en", nil)] {
      let page = reader(screen(words: Words(language: language, [:])))
      expectEqual(page.elements.first { $0.name == "html" }?["dir"], direction)
    }
    let style = Self.text(of: "/sign-in.css")
    for word in ["margin-left", "padding-left", "text-align: left", "right:", "left:"] {
      expect(!style.contains(word), "\(word)")
    }
  }

  @Test(
    "The style needs only what browsers of 2023 have; it and the scripts have at most 15,900 bytes")
  func olderBrowsers() {
    let style = Self.text(of: "/sign-in.css")
    for word in ["light-dark(", ":has(", "color-mix(", "&"] { expect(!style.contains(word)) }

    func size(_ path: String) -> Int { StaticFile(at: path)?.bytes.count ?? 0 }
    let both = size("/sign-in.css") + size("/sign-in.js")
    let others = ["/passkey.js", "/okta-verify.js", "/rules.js"].map(size)
    expect(both <= 13_400 && both + (others.max() ?? 0) <= 15_900, "\(both) \(others)")
    expect(others.allSatisfy { $0 > 1000 })
  }

  @Test("The addresses of all files of a page have one version, and lead to the files")
  func version() {
    let addresses = reader(screen()).elements.compactMap { $0["src"] ?? $0["href"] }
      .filter { $0.hasPrefix("/") }
    expect(addresses.count == 2 && addresses.allSatisfy { StaticFile(at: $0) != nil })
    let versions = Set(addresses.compactMap { $0.split(separator: "?").last })
    expect(versions.count == 1 && versions.first?.count == 8, "\(addresses)")
  }

  private static func text(of path: String) -> String {
    String(decoding: StaticFile(at: path)?.bytes ?? [], as: UTF8.self)
  }

  // MARK: Protection

  @Test("The policy of a page lets in its own files and the logo, and nothing else")
  func policy() throws {
    let style = PageStyle(logo: "https://cdn.example/logo.svg")
    let page = ScreenPage(screen(), token: "t", revision: 3, style: style).page
    let policy = try require(page.headers.first { $0.name == "Content-Security-Policy" }).value
    expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'; "))
    expectContains(policy, "img-src data: https://cdn.example; connect-src 'self'; ")
    expectContains(policy, "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
    expect(page.headers.contains { $0 == ("Cache-Control", "no-store") })
  }

  @Test("A visitor reads what to do about a failure, and nothing of the request")
  func problems() {
    let text = "POST 127.0.0.1:44301/oauth2/default/v1/interact failed: the connection was refused"
    let errors: [(any Error, SignInProblem.Kind, Int)] = [
      (FlowError(.network, text), .unreachable, 503),
      (FlowError(.serverFailed, text, status: 500), .busy, 503),
      (FlowError(.invalidConfiguration, text), .setup, 502),
      (FlowError(.unreadableState, text), .expired, 400),
      (CancellationError(), .internalError, 503),
    ]
    for (error, kind, status) in errors {
      for words in Words.pages {
        let problem = SignInProblem(error)
        let action = NoticePage.Action("Try again", to: "/start")
        let shown = ProblemPage(problem, words: words, action: action)
        expect(problem.kind == kind && shown.status == status)
        let page = PageReader(shown.page.html.markup)
        expect(page.title == problem.title(in: words) && !page.title.isEmpty)
        expect(page.documentTitle.hasSuffix(": \(page.title)"))
        expectEqual(page.elements.first { $0["autofocus"] != nil }?.name, "h1")
        expect(page.text.contains(problem.reference) && problem.reference.count == 9)
        for word in ["127.0.0.1", "interact", "refused", "proxy", "POST"] {
          expect(!page.text.contains(word) && !problem.notice(in: words).contains(word))
        }
      }
    }
  }

  // MARK: Sign-ins

  /// The page with a title, in a sign-in of a scenario.
  private func page(of scenario: String, until title: String) async throws -> PageReader {
    let org = SimulatedOrg(OrgScenario[scenario])
    var screens = Screens(words: Words.pages[0])
    screens.canUsePasskeys = true
    let signIns = OpenSignIns(
      client: org.client,
      configuration: try FlowConfiguration(
        issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI),
      handlers: .showing(screens),
      now: { org.now })
    let login = SimulatedUser.demo.login
    var result = try await signIns.start(goal: OrgScenario[scenario].goal)
    for _ in 0..<12 {
      guard case .page(let page) = result else { break }
      if page.screen.title == title {
        return PageReader(ScreenPage(page).page.html.markup)
      }
      let asked = page.screen.inputs
      var values: [Screen.Input.ID: Secret] = [:]
      for input in asked {
        switch input.contentType {
        case .username?: values[input.id] = Secret(login)
        case .password?: values[input.id] = await org.user(login)?.password
        case .oneTimeCode?: values[input.id] = Secret(await org.mailbox.messages.last?.code ?? "")
        default:
          if let choice = input.choices.first { values[input.id] = Secret(choice.id) }
        }
      }
      result = try await signIns.reply(.submit(values), to: page.id, revision: page.revision)
    }
    throw FlowError(.notOffered, "The page “\(title)” did not come: \(result)")
  }
}
