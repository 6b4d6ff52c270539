import Foundation
import IDX
import Testing

@Suite("Sets that the server may extend")
struct OpenSetTests {
  @Test("A known name is the static member, an unknown one is itself")
  func names() {
    #expect(Remediation.Name(rawValue: "identify") == .identify)
    #expect(IDXAuthenticator.Key(rawValue: "google_otp") == .googleAuthenticator)
    #expect(IDXMessage.Key(rawValue: "idx.session.expired") == .sessionExpired)
    #expect(IDXMessage.Kind(rawValue: "INFO") == .info)
    #expect(Remediation.Field.Kind(rawValue: "boolean") == .boolean)
    let unknown: Remediation.Name = "teleport"
    #expect(unknown.rawValue == "teleport" && unknown.description == "teleport")
    #expect(unknown != .identify)
    #expect("\(IDXAuthenticator.Method(rawValue: "nfc"))" == "nfc")
  }

  @Test("A name is written and read as the bare word")
  func coding() throws {
    let names: [Remediation.Name] = [.skip, "teleport"]
    let data = try JSONEncoder().encode(names)
    #expect(String(decoding: data, as: UTF8.self) == #"["skip","teleport"]"#)
    #expect(try JSONDecoder().decode([Remediation.Name].self, from: data) == names)
  }
}
