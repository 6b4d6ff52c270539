import Expectations
import Foundation
import IDXFlow
import IDXBase
import IDXOAuth
import Testing

@Suite struct LanguageTransportTests {
  private func languages(
    _ language: String, headers: [String: String] = [:]
  ) async throws -> [String?] {
    let recorder = RecordingTransport(StubServer(document: Wire.document([])) { _ in .json([:]) })
    let url = try #require(URL(string: Wire.origin))
    _ = try await LanguageTransport(recorder, language: language)
      .send(TransportRequest(url: url, headers: headers))
    return await recorder.requests.map { $0.headers["Accept-Language"] }
  }

  @Test("A request asks for the language, unless it asks for one itself")
  func language() async throws {
    try await expectEqual(languages("de-AT"), ["de-AT, *;q=0.5"])
    try await expectEqual(languages("de", headers: ["Accept-Language": "fr"]), ["fr"])
  }

  @Test("A language cannot add header fields", arguments: ["de\r\nX-A: b", "de\u{0}", ""])
  func hostile(language: String) async throws {
    let sent = try await languages(language).first ?? nil
    #expect(sent.map { $0.hasPrefix("de") && !$0.contains { $0.isNewline } } ?? language.isEmpty)
  }

  @Test("All requests of a sign-in ask for the language")
  func signIn() async throws {
    let test = try TestSignIn()
    let recorder = RecordingTransport(test.org)
    let client = IDXClient(transport: LanguageTransport(recorder, language: "de"))
    _ = try await client.start(test.configuration)
    await expectEqual(Set(recorder.requests.map { $0.headers["Accept-Language"] }).count, 1)
  }
}
