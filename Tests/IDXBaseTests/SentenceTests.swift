import Expectations
import IDXBase
import Testing

struct SentenceTests {
  private let sentence: Sentence = "\("Ada") has \(2) keys."

  @Test("A literal becomes a template with numbers, and English is the literal itself")
  func literal() {
    expectEqual(sentence.template, "{1} has {2} keys.")
    expectEqual("\(sentence)", "Ada has 2 keys.")
    expectEqual("\("100 {1} %" as Sentence)", "100 {1} %")
  }

  @Test("Another language can change the order of the values")
  func translated() {
    let german = ["{1} has {2} keys.": "{2} Schlüssel hat {1}."]
    expectEqual(sentence.text { german[$0] }, "2 Schlüssel hat Ada.")
    expectEqual(sentence.text { _ in nil }, "Ada has 2 keys.")
  }

  @Test("A part is looked up by itself, and a text of a server never")
  func parts() {
    let whole: Sentence = "Note: \("no" as Sentence), \(Sentence(text: "no")), \("no")"
    expectEqual(whole.text { ["no": "nein"][$0] }, "Note: nein, no, no")
  }

  @Test("Values with braces are kept as they are")
  func braces() {
    let sentence: Sentence = "\("{2}") and \("{1}") and \("{x}")"
    expectEqual("\(sentence)", "{2} and {1} and {x}")
  }

  @Test("A sentence can have a name that is not its English text")
  func named() {
    let error = Sentence(template: "{1}", named: "error", values: ["1": .text("Lost.")])
    let whole: Sentence = "Note: \(error.mapValues { $0.uppercased() })"
    expectEqual(whole.text { ["error": "Fehler: {1}"][$0] }, "Note: Fehler: LOST.")
    expectEqual("\(whole)", "Note: LOST.")
  }

  @Test("Two literals in a row are one sentence")
  func joined() {
    let sentence: Sentence = "\("a"), \("b") and " + "\("c"), \("d")" + "."
    expectEqual(sentence.template, "{1}, {2} and {3}, {4}.")
    expectEqual("\(sentence)", "a, b and c, d.")
  }

  @Test("The values can be changed, also those of parts")
  func changed() {
    let whole: Sentence = "\("one") \("\("two")" as Sentence)"
    expectEqual("\(whole.mapValues { $0.uppercased() })", "ONE TWO")
  }
}
