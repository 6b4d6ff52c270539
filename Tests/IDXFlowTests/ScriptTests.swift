import Foundation
import IDX
import IDXFlow
import Testing

@Suite("Reading scripts")
struct ScriptTests {
  @Test("An entry has a step, and may have a choice and fields")
  func entries() throws {
    let script = try Script(
      parsing: """
        [
          {"step": "identify", "fields": {"identifier": "ada", "rememberMe": true}},
          {"step": "select-authenticator-enroll", "choose": "google_otp"},
          {"step": "skip"}
        ]
        """.utf8)
    #expect(script.entries.map(\.step) == [.identify, .selectAuthenticatorEnroll, .skip])
    #expect(script.entries.map(\.choice) == [nil, "google_otp", nil])
    #expect(script.entries[0].fields == ["identifier": "ada", "rememberMe": true])
    #expect(script.entries[2].fields.isEmpty)
  }

  @Test("An empty script is a script")
  func empty() throws {
    #expect(try Script(parsing: "[]".utf8).entries.isEmpty)
  }

  @Test(
    "What cannot be read is refused, naming the entry and what is wrong with it",
    arguments: [
      ("", "cannot be read"), ("[", "cannot be read"), ("{}", "JSON array"), ("7", "JSON array"),
      (#"[{}]"#, "Entry 1"), (#"[{"step": ""}]"#, "Entry 1"), (#"[{"step": 7}]"#, "Entry 1"),
      (#"["identify"]"#, "Entry 1"),
      (#"[{"step": "a"}, {"step": "b", "field": {}}]"#, "Entry 2 of the script has “field”"),
      (#"[{"step": "a", "choose": 7}]"#, "“choose” must be a text"),
      (#"[{"step": "a", "fields": []}]"#, "object of values"),
      (#"[{"step": "a", "fields": null}]"#, "object of values"),
    ])
  func invalid(text: String, reason: String) async throws {
    let error = try await flowError { try Script(parsing: text.utf8) }
    #expect(error.code == .invalidConfiguration)
    #expect(error.message.contains(reason))
  }
}
