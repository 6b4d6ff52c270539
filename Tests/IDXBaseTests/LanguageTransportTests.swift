import Expectations
import Foundation
import IDXBase
import Testing

struct LanguageTransportTests {
  private struct Recorder: Transport {
    let languages = Locked<[String?]>([])

    func send(_ request: TransportRequest) -> TransportResponse {
      languages.withLock { $0.append(request.headers["Accept-Language"]) }
      return TransportResponse(status: 200)
    }
  }

  private func languages(
    _ language: String, headers: [String: String] = [:]
  ) async throws -> [String?] {
    let recorder = Recorder()
    let url = try require(URL(string: "https://id.shop.example"))
    _ = try await LanguageTransport(recorder, language: language)
      .send(TransportRequest(url: url, headers: headers))
    return recorder.languages.withLock { $0 }
  }

  @Test("A request asks for the language, unless it asks for one itself, and gets no other fields")
  func language() async throws {
    try await expectEqual(languages("de-AT"), ["de-AT, *;q=0.5"])
    try await expectEqual(languages("de", headers: ["Accept-Language": "fr"]), ["fr"])
    for language in ["de\r\nX-A: b", "de\u{0}", ""] {
      let sent = try await languages(language).first ?? nil
      expect(sent.map { $0.hasPrefix("de") && !$0.contains { $0.isNewline } } ?? language.isEmpty)
    }
  }
}
