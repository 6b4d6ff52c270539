import Expectations
import Testing

@testable import idx_flow

struct LanguageChoiceTests {
  @Test(
    "The locale says the language, as in POSIX and GNU gettext",
    arguments: [
      ([:], nil), (["LANG": ""], nil), (["LANG": "C"], nil), (["LANG": "C.UTF-8"], nil),
      (["LANG": "POSIX"], nil), (["LANG": "fr_FR.UTF-8"], nil), (["LANG": "den"], nil),
      (["LANG": "en_US.UTF-8"], "en"), (["LANG": "de_DE.UTF-8"], "de"), (["LANG": "de"], "de"),
      (["LANG": "de_AT@euro"], "de"),
      (["LANG": "en_US.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"], "de"),
      (["LC_ALL": "C", "LC_MESSAGES": "de_DE.UTF-8"], nil),
      (["LC_ALL": "", "LC_MESSAGES": "de_DE.UTF-8"], "de"),
      (["LC_ALL": "de_DE.UTF-8", "LC_MESSAGES": "en_US.UTF-8"], "de"),
      (["LANG": "en_US.UTF-8", "LANGUAGE": "fr:de:en"], "de"),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "en"], "en"),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "fr"], nil),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": ""], "de"),
      (["LANG": "C.UTF-8", "LANGUAGE": "de"], nil),
    ] as [([String: String], String?)])
  func locale(variables: [String: String], expected: String?) {
    expectEqual(LanguageChoice.words { variables[$0] }?.language, expected)
  }

  @Test(
    "--lang takes a code, also with a region, and another one is refused with the languages that exist"
  )
  func option() throws {
    for (code, expected) in [("en", "en"), ("de", "de"), ("de-AT", "de"), ("DE_ch.UTF-8", "de")] {
      try expectEqual(LanguageChoice.words(forOption: code).language, expected, "\(code)")
    }
    for code in ["fr", "", "d"] {
      let failure = #expect(throws: CommandFailure.self) {
        try LanguageChoice.words(forOption: code)
      }
      expectEqual(failure?.exitCode, .usage)
      expectEqual(failure?.message, "--lang must be en or de, not \(code).")
    }
  }
}
