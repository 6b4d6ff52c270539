import Foundation
import IDXScreens
import Testing

@testable import SignInPages

@Suite("Pages of screens")
struct PageTests {
  private func screen(_ inputs: [Screen.Input] = []) -> Screen {
    var screen = Screen(
      title: "<b>Title</b>", host: "demo.okta.example",
      action: Screen.Option(id: "", label: "Next", role: .submit))
    screen.inputs = inputs
    return screen
  }

  private func reader(_ screen: Screen) -> PageReader {
    PageReader(ScreenPage(screen, token: "t", revision: 3).html.markup)
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
    let markup = ScreenPage(screen, token: "t", revision: 0).html.markup
    #expect(!markup.contains("<script>") && !markup.contains("<img") && !markup.contains("<b>"))
    #expect(!markup.contains("\" onfocus"))
    #expect(markup.contains("&amp;lt;"))
  }

  @Test("Every input has a label, and its problem is announced with it")
  func labels() throws {
    var input = Screen.Input(
      id: "credentials.passcode", kind: .secret, label: "Password", isRequired: true,
      suggestion: "never shown", contentType: .password)
    input.problem = "Enter an answer."
    input.rules = ["at least 8 characters"]
    let page = reader(screen([input]))
    let field = try #require(page.inputs.first)
    #expect(field["type"] == "password" && field["autocomplete"] == "current-password")
    #expect(field["value"] == nil && field["aria-invalid"] == "true" && field["required"] != nil)
    #expect(page.elements.contains { $0.name == "label" && $0["for"] == field["id"] })
    #expect(page.elements.contains { $0["id"] == field["aria-describedby"] })
    #expect(page.problems == ["Enter an answer."])
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
    #expect(Set(names).count == 2)
    // A control that is hidden must not stop the browser from sending the form.
    #expect(page.inputs.allSatisfy { $0["required"] == nil })
    let form = [names[0]: "first", names[1]: "second", "/authenticator": "a/b c", "token": "t"]
    #expect(
      FormFields.reply(in: form, words: .english)
        == .submit(["authenticator": "a/b c", "method": "first"]))
  }

  @Test("A required yes or no starts without an answer")
  func toggle() {
    let needed = Screen.Input(id: "consent", kind: .toggle, label: "Allow?", isRequired: true)
    #expect(reader(screen([needed])).choices.map(\.values) == [["true", "false"]])
    #expect(reader(screen([needed])).fields["/consent"] == nil)
    let optional = Screen.Input(id: "news", kind: .toggle, label: "News", isRequired: false)
    #expect(reader(screen([optional])).fields["/news"] == "false")
  }

  @Test("The first button is the main action, and the form has the token and the revision")
  func order() {
    var screen = screen()
    screen.options = [Screen.Option(id: "skip", label: "Skip", role: .skip)]
    let page = reader(screen)
    #expect(page.buttons.map(\.text) == ["Next", "Skip"])
    #expect(page.fields == ["token": "t", "revision": "3"])
    #expect(FormFields.reply(in: ["choose": "skip"], words: .english) == .choose("skip"))
    #expect(FormFields.reply(in: page.fields, words: .english) == .submit([:]))
  }

  @Test("A page at another program on the person's computer is not linked, and the reason is shown")
  func dangerousPage() throws {
    var screen = screen()
    for (address, isShown) in [
      ("https://idp.example/", true), ("http://127.0.0.1:631/", false), ("https://127.1/", false),
      ("https://idp.example@evil.example/", false),
    ] {
      let url = try #require(URL(string: address))
      screen.page = Screen.Page(url: url, redirectURI: "https://shop.example/callback")
      #expect(reader(screen).link == (isShown ? address : nil))
      #expect(reader(screen).problems.isEmpty == isShown)
      // The Enter key must not choose something else.
      #expect(reader(screen).options.isEmpty)
    }
  }

  @Test(
    "A damaged answer of a passkey becomes a sentence", arguments: ["NotAllowedError", "{}", "[1]"])
  func passkey(answer: String) {
    let reply = FormFields.reply(in: ["passkey": answer], words: Words.web[0])
    #expect(
      reply == .failed("The passkey was not used. Try again, or choose another way."))
  }

  @Test("Each language has all texts of the web site")
  func languages() {
    let keys = Words.web.map { words in
      Set(words.texts.keys.filter { $0.rawValue.hasPrefix("web.") })
    }
    #expect(keys.allSatisfy { $0 == keys[0] && $0.count > 10 })
  }
}
