import Expectations
import Foundation
import IDXFlow
import Testing

@testable import IDXPages

/// Pages of screens.
struct PageTests {
  private func screen(_ inputs: [Screen.Input] = []) -> Screen {
    var screen = Screen(
      title: "<b>Title</b>", host: "demo.okta.example",
      action: Screen.Option(id: "", label: "Next", role: .submit))
    screen.inputs = inputs
    return screen
  }

  private func reader(_ screen: Screen) -> PageReader {
    PageReader(ScreenPage(screen, token: "t", revision: 3).page.html.markup)
  }

  @Test("Texts of the server are shown only as text")
  func escaped() {
    var screen = screen([
      Screen.Input(
        id: "a\" onfocus=\"alert(1)", kind: .text, label: "<script>", isRequired: true,
        suggestion: "\"><img src=x>")
    ])
    screen.messages = [Screen.Message(.error, "<img src=x onerror=alert(1)>")]
    screen.notes = ["&lt;"]
    let markup = ScreenPage(screen, token: "t", revision: 0).page.html.markup
    expect(!markup.contains("<script>") && !markup.contains("<img") && !markup.contains("<b>"))
    expect(!markup.contains("\" onfocus"))
    expectContains(markup, "&amp;lt;")
  }

  @Test("Every input has a label, and its problem and rules are announced with it")
  func labels() throws {
    var input = Screen.Input(
      id: "credentials.passcode", kind: .secret, label: "Password", isRequired: true,
      suggestion: "never shown", contentType: .password)
    input.problem = "Enter an answer."
    input.rules = ["at least 8 characters"]
    let page = reader(screen([input]))
    let field = try require(page.inputs.first)
    expect(field["type"] == "password" && field["autocomplete"] == "current-password")
    expect(field["value"] == nil && field["aria-invalid"] == "true" && field["required"] != nil)
    expect(page.elements.contains { $0.name == "label" && $0["for"] == field["id"] })
    expect(page.elements.contains { $0["id"] == field["aria-describedby"] })
    expectEqual(page.problems, ["Enter your password."])

    var new = Screen.Input(
      id: "new", kind: .secret, label: "New password", isRequired: true, contentType: .newPassword)
    new.rules = ["at least 8 characters", "a digit"]
    let other = reader(screen([new]))
    let details = other.elements.drop { $0["id"] != other.inputs[0]["aria-describedby"] }
    let rules = details.dropFirst().prefix { ["ul", "li"].contains($0.name) }.map(\.text)
    expectEqual(rules, ["", "At least 8 characters", "A digit"])
  }

  @Test(
    "Each page says who is signing in, and tells it password managers where a password is asked for"
  )
  func person() throws {
    let password = Screen.Input(
      id: "credentials.passcode", kind: .secret, label: "Password", isRequired: true,
      contentType: .password)
    var screen = screen([password])
    screen.person = Screen.Person(username: "<ada>@example.com", changeID: "cancel")
    let page = reader(screen)
    expectContains(page.text, "<ada>@example.com Not you?")
    let change = try require(page.options.first)
    expect(change["value"] == "cancel" && change.text == "Not you?")
    // The Enter key chooses the first button of the form with the fields.
    let form = page.elements.drop { $0["id"] != "sign-in" }
    expectEqual(form.first { $0.name == "button" }?.text, "Next")
    let username = try require(form.first { $0["autocomplete"] == "username" })
    expect(username["value"] == "<ada>@example.com" && username["type"] == "text")
    expect(username["readonly"] != nil && username["hidden"] != nil && username["name"] == nil)
    screen.inputs = []
    expect(!reader(screen).elements.contains { $0["autocomplete"] == "username" })
    screen.person = Screen.Person(username: "ada@example.com")
    expect(reader(screen).options.isEmpty && reader(screen).text.contains("ada@example.com"))
  }

  @Test("The problem of each kind of input belongs to its control, and the first one has the focus")
  func problems() throws {
    let choices = [
      Screen.Choice(id: "a", label: "A", position: 0), .init(id: "b", label: "B", position: 1),
    ]
    let many = (0..<9).map { Screen.Choice(id: "\($0)", label: "\($0)", position: $0) }
    let kinds: [(Screen.Input.Kind, String, String)] = [
      (.text, "input", "text"), (.secret, "input", "password"), (.toggle, "input", "checkbox"),
      (.choice(choices), "fieldset", "radiogroup"), (.choice(many), "select", ""),
    ]
    for (kind, element, type) in kinds {
      let first = Screen.Input(id: "first", kind: .text, label: "First", isRequired: true)
      var input = Screen.Input(id: "second", kind: kind, label: "Second", isRequired: false)
      let fine = reader(screen([first, input]))
      expect(!fine.elements.contains { $0["aria-invalid"] != nil })
      expectEqual(fine.elements.first { $0["autofocus"] != nil }?["name"], "/first")
      expectEqual(fine.documentTitle, "<b>Title</b>")
      input.problem = "Choose one."
      let page = reader(screen([first, input]))
      let control = try require(page.elements.first { $0["aria-invalid"] == "true" })
      expect(control.name == element && [control["type"], control["role"], ""].contains(type))
      let details = page.elements.drop { $0["id"] != control["aria-describedby"] }
      expectEqual(details.dropFirst().first?.text, "Choose one.")
      let focused = page.elements.filter { $0["autofocus"] != nil }
      expectEqual(focused.map { $0["name"] }, ["/second"])
      expectEqual(page.documentTitle, "Error: <b>Title</b>")
    }
  }

  @Test(
    "A problem inside a choice that is not chosen has no focus, and one without an input has it")
  func focus() throws {
    var inner = Screen.Input(id: "number", kind: .text, label: "Number", isRequired: true)
    inner.problem = "Enter an answer."
    let choices = [
      Screen.Choice(id: "a", label: "A", inputs: [inner], position: 0),
      Screen.Choice(id: "b", label: "B", inputs: [inner], position: 1),
    ]
    var input = Screen.Input(
      id: "way", kind: .choice(choices), label: "Way", isRequired: true, suggestion: "b")
    func focused(_ screen: Screen) -> PageReader.Element? {
      reader(screen).elements.first { $0["autofocus"] != nil }
    }
    expectEqual(focused(screen([input]))?["name"], "/way/b/number")
    input.suggestion = nil
    expectEqual(focused(screen([input]))?["name"], "/way")
    expectEqual(focused(screen([input]))?["value"], "a")
    var failed = screen([input])
    failed.messages = [Screen.Message(.error, "The passkey was not used.")]
    expect(focused(failed)?.name == "div" && focused(failed)?["tabindex"] == "-1")
    expectEqual(
      PageReader(ScreenPage(failed, token: "", revision: 0).page.html.markup).documentTitle,
      "Error: <b>Title</b>")
    failed.messages = [Screen.Message(.info, "A code was sent.")]
    expectEqual(focused(failed)?["name"], "/way")
  }

  @Test("Codes have a keyboard with digits, and the controls of the script have words")
  func keyboards() throws {
    var code = Screen.Input(
      id: "code", kind: .text, label: "Code", isRequired: true, contentType: .oneTimeCode)
    expectEqual(reader(screen([code])).inputs[0]["inputmode"], nil)
    expectEqual(reader(screen([code])).inputs[0]["autocomplete"], "one-time-code")
    code.contentType = .telephone
    expectEqual(reader(screen([code])).inputs[0]["inputmode"], "tel")
    let secret = Screen.Input(id: "secret", kind: .secret, label: "Secret", isRequired: true)
    expectEqual(reader(screen([secret])).inputs[0]["data-show-name"], "Show what is typed: Secret")
  }

  @Test("A yes or no that answers the whole page has two buttons in place of the main one")
  func consent() {
    let input = Screen.Input(id: "consent", kind: .toggle, label: "Allow it?", isRequired: true)
    var screen = screen([input])
    screen.consent = Screen.Consent(inputID: "consent", allow: "Allow", deny: "Refuse")
    screen.lists = [Screen.List(title: "The app wants:", items: ["your <name>", "your email"])]
    let page = reader(screen)
    expectEqual(page.buttons.map(\.text), ["Allow", "Refuse"])
    expectEqual(page.buttons.map { $0["name"] }, ["/consent", "/consent"])
    expectEqual(page.buttons.map { $0["value"] }, ["true", "false"])
    expect(page.choices.isEmpty && page.text.contains("Allow it?"))
    screen.inputs[0].problem = "Choose one."
    expectEqual(reader(screen).problems, ["Choose one."])
    expect(reader(screen).documentTitle.hasPrefix("Error: "))
    expectEqual(
      page.elements.filter { $0.name == "li" }.map(\.text), ["your <name>", "your email"])
    expectEqual(
      FormFields.reply(in: ["/consent": "false"], words: .english), .submit(["consent": "false"]))
  }

  @Test("Identity providers are links to their pages, and no other option is one")
  func providers() throws {
    var screen = screen()
    var google = Screen.Option(id: "redirect-idp", label: "Google", role: .identityProvider)
    google.page = URL(string: "https://google.example/?a=1&b=2")
    let unsafe = Screen.Option(id: "redirect-idp#2", label: "Other", role: .identityProvider)
    screen.options = [google, unsafe]
    let page = reader(screen)
    let link = try require(page.elements.first { $0.name == "a" })
    expect(link["href"] == "https://google.example/?a=1&b=2" && link.text == "Google")
    expectEqual(page.options.map { $0["value"] }, ["redirect-idp#2"])
  }

  @Test("The button of a page that only a script can use is hidden without one")
  func scripts() throws {
    var screen = screen()
    expectEqual(reader(screen).mainButton?["hidden"], nil)
    screen.passkey = .sign(try Self.passkey)
    let page = reader(screen)
    expect(page.mainButton?["hidden"] != nil)
    expect(page.elements.contains { $0.name == "noscript" })
    expectEqual(page.fields["passkey"], "")
  }

  @Test("A passkey that can be used in place of the username is offered in its field")
  func autofill() throws {
    let username = Screen.Input(
      id: "identifier", kind: .text, label: "Username", isRequired: true, contentType: .username)
    var screen = screen([username])
    expectEqual(reader(screen).inputs[0]["autocomplete"], "username")
    screen.autoFillPasskey = try Self.passkey
    let page = reader(screen)
    expectEqual(page.inputs[0]["autocomplete"], "username webauthn")
    let form = try require(page.elements.first { $0["id"] == "sign-in" })
    expect(form["data-autofill"]?.contains("challenge") == true && form["data-passkey"] == nil)
    expect(page.fields["passkey"] == "" && page.mainButton?["hidden"] == nil)
    // Without a passkey, the form sends what was typed.
    expectEqual(
      FormFields.reply(in: ["passkey": "", "/identifier": "ada"], words: .english),
      .submit(["identifier": "ada"]))
  }

  private static var passkey: PasskeyRequestOptions {
    get throws {
      let issuer = try require(URL(string: "https://shop.example" + "/"))
      return PasskeyRequestOptions(site: "shop.example", issuer: issuer, challenge: [1, 2, 3])
    }
  }

  @Test(
    "The site's own name, logo and colour are on the page, and only in a colour that can be read")
  func style() throws {
    let accent = try PageStyle.Accent(light: "#7a1fa2", dark: "#d9a8f5")
    let style = PageStyle(name: "<Shop>", logo: "https://cdn.example/logo.svg", accent: accent)
    let page = PageReader(
      ScreenPage(screen(), token: "t", revision: 3, style: style).page.html.markup)
    expectEqual(page.documentTitle, "<b>Title</b> – <Shop>")
    let logo = try require(page.elements.first { $0.name == "img" })
    expect(logo["src"] == "https://cdn.example/logo.svg" && logo["alt"] == "<Shop>")
    let sheets = page.elements.filter { $0["rel"] == "stylesheet" }.compactMap { $0["href"] }
    expectEqual(sheets.map { $0.prefix { $0 != "?" } }, ["/sign-in.css", "/site.css"])
    let file = try require(StaticFile(at: "/site.css", style: style))
    expect(
      String(decoding: file.bytes, as: UTF8.self).contains("dark) { :root { --accent: #d9a8f5"))
    expectEqual(style.imageSource, "https://cdn.example")
    expectEqual(PageStyle(logo: "/logo.svg").imageSource, "'self'")
    expectEqual(PageStyle(logo: "https://a.example;script-src *").imageSource, "https://a.example")
    expect(StaticFile(at: "/site.css") == nil && PageStyle().imageSource == nil)
    for (light, dark) in [("#ffff00", "#d9a8f5"), ("#7a1fa2", "#7a1fa2"), ("red", "#d9a8f5")] {
      #expect(throws: PageStyle.Accent.Refused.self) {
        try PageStyle.Accent(light: light, dark: dark)
      }
    }
  }

  @Test("The links of a message are on the page, with their whole addresses")
  func links() throws {
    var screen = screen()
    var message = Screen.Message(.error, "Update the system.")
    let address = try require(URL(string: "https://help.example/?a=1&b=%22%3E"))
    message.links = [IDXMessage.Link(url: address, label: "<Help>")]
    screen.messages = [message]
    let page = reader(screen)
    let link = try require(page.elements.first { $0.name == "a" && $0["rel"] == "noreferrer" })
    expectEqual(link["href"], address.absoluteString)
    expectEqual(link.text, "<Help>: https://help.example/?a=1&b=%22%3E")
  }

  @Test("Inputs with the same ID in several choices are kept apart, and only the chosen one counts")
  func nested() {
    let inner = Screen.Input(id: "method", kind: .text, label: "Method", isRequired: true)
    let input = Screen.Input(
      id: "authenticator",
      kind: .choice([
        Screen.Choice(id: "a/b c", label: "A", inputs: [inner], position: 0),
        Screen.Choice(id: "d", label: "D", inputs: [inner], position: 1),
      ]), label: "Authenticator", isRequired: true)
    let page = reader(screen([input]))
    let names = page.inputs.compactMap { $0["name"] }
    expectEqual(Set(names).count, 2)
    // A control that is hidden must not stop the browser from sending the form.
    expect(page.inputs.allSatisfy { $0["required"] == nil })
    let form = [names[0]: "first", names[1]: "second", "/authenticator": "a/b c", "token": "t"]
    expectEqual(
      FormFields.reply(in: form, words: .english),
      .submit(["authenticator": "a/b c", "method": "first"]))
  }

  @Test("A required yes or no starts without an answer")
  func toggle() {
    let needed = Screen.Input(id: "consent", kind: .toggle, label: "Allow?", isRequired: true)
    expectEqual(reader(screen([needed])).choices.map(\.values), [["true", "false"]])
    expectEqual(reader(screen([needed])).fields["/consent"], nil)
    let optional = Screen.Input(id: "news", kind: .toggle, label: "News", isRequired: false)
    expectEqual(reader(screen([optional])).fields["/news"], "false")
  }

  @Test("The first button is the main action, and the form has the token and the revision")
  func order() {
    var screen = screen()
    screen.options = [Screen.Option(id: "skip", label: "Skip", role: .skip)]
    let page = reader(screen)
    expectEqual(page.buttons.map(\.text), ["Next", "Skip"])
    expectEqual(page.fields, ["token": "t", "revision": "3"])
    expectEqual(FormFields.reply(in: ["choose": "skip"], words: .english), .choose("skip"))
    expectEqual(FormFields.reply(in: page.fields, words: .english), .submit([:]))
  }

  @Test("A page at another program on the person's computer is not linked, and the reason is shown")
  func dangerousPage() throws {
    var screen = screen()
    for (address, isShown) in [
      ("https://idp.example/", true), ("http://127.0.0.1:631/", false), ("https://127.1/", false),
      ("https://idp.example@evil.example/", false),
    ] {
      let url = try require(URL(string: address))
      screen.page = Screen.Page(url: url, redirectURI: "https://shop.example/callback")
      expectEqual(reader(screen).link, (isShown ? address : nil))
      expectEqual(reader(screen).problems.isEmpty, isShown)
      // The Enter key must not choose something else.
      expect(reader(screen).options.isEmpty)
    }
  }

  @Test(
    "A damaged answer of a passkey becomes a sentence", arguments: ["NotAllowedError", "{}", "[1]"])
  func passkey(answer: String) {
    let reply = FormFields.reply(in: ["passkey": answer], words: Words.pages[0])
    expectEqual(reply, .failed("The passkey was not used. Try again, or choose another way."))
  }

  @Test("Each language has all texts of the web site")
  func languages() {
    let keys = Words.pages.map { words in
      Set(words.texts.keys.filter { $0.rawValue.hasPrefix("page.") })
    }
    expect(keys.allSatisfy { $0 == keys[0] && $0.count > 10 })
  }
}
