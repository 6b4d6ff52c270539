import Expectations
import IDX
@testable import IDXFlow
import IDXOAuth
import Testing

struct WordsTests {
  @Test(
    "Every language has every text, with the same names in braces, and one sentence for each step",
    arguments: Words.all)
  func complete(words: Words) {
    expectEqual(Set(words.texts.keys), Set(Words.english.texts.keys))
    // Why a request is tried again matters little, and would be English.
    for (key, text) in words.texts where key != "error.network.retry" {
      let names = Set(text.matches(of: /\{[a-z0-9]+\}/).map { String($0.output) })
      let english = Words.english.texts[key] ?? ""
      expectEqual(
        names, Set(english.matches(of: /\{[a-z0-9]+\}/).map { String($0.output) }), "\(key)")
    }

    let sentences = words.texts.filter { $0.key.rawValue.hasPrefix("guidance.") }
    expect(sentences.count > 40)
    for (key, text) in sentences {
      let ends = text.replacing("{detail}", with: "").count { $0 == "." }
      expect(text.hasSuffix(".") && ends == 1 && text.count <= 120, "\(key)")
    }
  }

  @Test(
    "The first language of the person that there is a table for is used",
    arguments: [
      (["de-AT", "en"], "de"), (["fr", "de_DE.UTF-8"], "de"), (["fr"], "en"), (["C"], "en"),
      ([], "en"), (["den"], "en"), (["DE"], "de"),
    ])
  func preferred(languages: [String], expected: String) {
    expectEqual(Words.preferred(languages).language, expected)
  }

  @Test("An error has a sentence in the language of the person, before its message in English")
  func errors() {
    let error = FlowError(.network, "POST a.example/x failed.")
    expectEqual(Words.english.text(of: error), "POST a.example/x failed.")
    expectEqual(
      Words.german.text(of: .error(error)),
      "Der Server ist nicht erreichbar: POST a.example/x failed.")
    expectEqual(Words(language: "fr", [:]).text(of: error), "POST a.example/x failed.")
    struct Other: Error {}
    expectEqual(Words.german.text(of: .error(Other())), "Die Anmeldung ist gescheitert.")
    expectEqual(
      Words.english.text(of: .error(Other())), FlowPhase.Failure.error(Other()).message)
  }

  @Test("An app replaces texts, and gets the English one for those that it has not")
  func replaced() {
    var words = Words(language: "fr", [.title(of: .identify): "Connexion à {org}"])
    expectEqual(words.text(.title(of: .identify), ["org": "{app}"]), "Connexion à {app}")
    expectEqual(words.text("quit.option"), "Quit")
    words["quit.option"] = "Quitter"
    expectEqual(words.text("quit.option"), "Quitter")
    words["quit.option"] = nil
    expectEqual(words.text("quit.option"), "Quit")
    expectEqual(words.text("nothing"), nil)
  }

  @Test(
    "A number has its own form for one",
    arguments: [
      (1, Words.english, "a digit"), (0, .english, "0 digits"), (2, .english, "2 digits"),
      (1, .german, "eine Ziffer"), (0, .german, "0 Ziffern"), (2, .german, "2 Ziffern"),
    ])
  func numbers(count: Int, words: Words, expected: String) {
    expectEqual(words.text("rule.digits", count: count), expected)
  }
}
