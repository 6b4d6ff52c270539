import Expectations
import IDXBase
import Testing

@testable import idx_flow

@Suite("JSON for people", .tags(.startsPrograms), .fewPrograms)
struct VisibleJSONTests {
  @Test(
    "Invisible characters, and those that change the direction of writing, are escaped, and others stay as they are",
    .promise("visible-json"),
    arguments: [
      ("\u{AD}", #"\u00ad"#), ("\u{200B}", #"\u200b"#), ("\u{200F}", #"\u200f"#),
      ("\u{202E}", #"\u202e"#), ("\u{2028}", #"\u2028"#), ("\u{2029}", #"\u2029"#),
      ("\u{2060}", #"\u2060"#), ("\u{2066}", #"\u2066"#), ("\u{2069}", #"\u2069"#),
      ("\u{FEFF}", #"\ufeff"#), ("\u{3164}", #"\u3164"#), ("\u{85}", #"\u0085"#),
      ("Grüße", "Grüße"), ("日本語", "日本語"), ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"),
      ("שלום", "שלום"), ("\u{9B}", #"\u009b"#), ("\u{E0041}", #"\udb40\udc41"#),
      ("\u{1D173}", #"\ud834\udd73"#),
    ])
  func hidden(text: String, escape: String) throws {
    let json: JSONValue = [text: .string("é\(text)€")]
    expectEqual(json.visibleText, "{\"\(escape)\":\"é\(escape)€\"}")
    try expectEqual(JSONValue(parsing: json.visibleText.utf8), json)
  }

  @Test("Every command writes JSON in this way", .promise("visible-json"))
  func commands() throws {
    let folder = try TemporaryFolder()
    let response = try folder.file(
      "response", "{\"version\": \"1.0.0\", \"app\": {\"value\": {\"label\": \"a\u{202E}b\"}}}")
    let inspected = try Program.run(["inspect", "--format", "json", response])
    expectContains(inspected.output, #""app":"a\u202eb""#)
    let failed = try Program.run(["signin", "--demo", "a\u{202E}b", "--json"])
    failed.expect(status: 2, !failed.output.unicodeScalars.contains("\u{202E}"))
  }
}
