import Expectations
import IDXBase
import Testing

struct SentenceTests {
  private let sentence: Sentence = "\("Ada") has \(2) keys."

  @Test(
    "A literal becomes a template with numbers, and two in a row are one sentence; English is the literal itself"
  )
  func literal() {
    expectEqual(sentence.template, "{1} has {2} keys.")
    expectEqual("\(sentence)", "Ada has 2 keys.")
    expectEqual("\("100 {1} %" as Sentence)", "100 {1} %")
    let joined: Sentence = "\("a"), \("b") and " + "\("c"), \("d")" + "."
    expectEqual(joined.template, "{1}, {2} and {3}, {4}.")
    expectEqual("\(joined)", "a, b and c, d.")
  }

  @Test(
    "Another language can change the order of values; a part is looked up, and a text of a server never"
  )
  func translated() {
    let german = ["{1} has {2} keys.": "{2} Schlüssel hat {1}."]
    expectEqual(sentence.text { german[$0] }, "2 Schlüssel hat Ada.")
    expectEqual(sentence.text { _ in nil }, "Ada has 2 keys.")
    let whole: Sentence = "Note: \("no" as Sentence), \(Sentence(text: "no")), \("no")"
    expectEqual(whole.text { ["no": "nein"][$0] }, "Note: nein, no, no")
  }

  @Test("Values with braces are kept as they are, and can be changed, also those of parts")
  func braces() {
    let sentence: Sentence = "\("{2}") and \("{1}") and \("{x}")"
    expectEqual("\(sentence)", "{2} and {1} and {x}")
    let whole: Sentence = "\("one") \("\("two")" as Sentence)"
    expectEqual("\(whole.mapValues { $0.uppercased() })", "ONE TWO")
  }

  @Test("A sentence can have a name that is not its English text")
  func named() {
    let error = Sentence(template: "{1}", named: "error", values: ["1": .text("Lost.")])
    let whole: Sentence = "Note: \(error.mapValues { $0.uppercased() })"
    expectEqual(whole.text { ["error": "Fehler: {1}"][$0] }, "Note: Fehler: LOST.")
    expectEqual("\(whole)", "Note: LOST.")
  }
}
