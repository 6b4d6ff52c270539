import Foundation
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXStorage

@Suite("Stores show no token")
struct RedactionTests {
  private static let token = "MZXW6YTBOI4TQNBR"

  private func check(
    _ holder: Any, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var text = "\(holder)" + String(reflecting: holder)
    dump(holder, to: &text)
    if let error = holder as? any Error {
      let bridged = error as NSError
      text += error.localizedDescription + "\(bridged) \(bridged.userInfo)"
    }
    #expect(!text.contains(Self.token), sourceLocation: sourceLocation)
    #expect(!text.contains("77, 90, 88, 87"), "Its bytes show.", sourceLocation: sourceLocation)
  }

  @Test("The store in memory shows none, nor do its entries")
  func memory() async throws {
    let store = MemoryCredentialStore()
    await store.save(.sample(Self.token))
    check(store)
    check(await store.entries())
  }

  @Test("The store of files shows none, nor do its entries")
  func files() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample(Self.token))
    check(sample.store)
    check(try await sample.store.entries())
  }

  @Test(
    "Errors about what is damaged, newer or cannot be written quote none of it",
    arguments: ["damaged", "newer", "cut", "unwritable"])
  func errors(_ flaw: String) async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample(Self.token))
    let text = String(
      decoding: try #require(
        try sample.contents().values.compactMap(\.self).first {
          String(decoding: $0, as: UTF8.self).contains(Self.token)
        }), as: UTF8.self)
    let changed = [
      "damaged": text.replacing("client", with: "cliemt"),
      "newer": text.replacing("\"version\":1", with: "\"version\":9"),
      "cut": String(text.prefix(text.count * 2 / 3)), "unwritable": text,
    ]
    try FileManager.default.removeItem(atPath: sample.file)
    try PrivateFile.write(Array(try #require(changed[flaw]).utf8), to: sample.file)
    let store = FileCredentialStore(
      folder: sample.folder, steps: { flaw == "unwritable" && $0 == .write ? ENOSPC : nil })
    let error = try await storeError {
      if flaw == "unwritable" { try await store.save(.sample(Self.token)) }
      _ = try await store.credential(Credential.sample().id)
    }
    check(try #require(error))
    check(try await store.entries())
  }
}
