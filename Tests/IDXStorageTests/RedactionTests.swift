import Expectations
import Foundation
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXStorage

/// Stores never show a token.
struct RedactionTests {
  private static let token = "MZXW6YTBOI4TQNBR"

  private func check(
    _ value: Any, filePath: StaticString = #filePath, line: Int = #line
  ) {
    let text = printedTexts(of: value)
    expect(!text.contains(Self.token), "It shows the token.", filePath: filePath, line: line)
    expect(
      !text.contains("77, 90, 88, 87"), "It shows the bytes of the token.",
      filePath: filePath, line: line)
  }

  @Test("Stores in memory and in files, and their entries, do not show it")
  func memory() async throws {
    let store = MemoryCredentialStore()
    await store.save(.sample(Self.token))
    check(store)
    check(await store.entries())
    let sample = try FileStoreSample()
    try await sample.store.save(.sample(Self.token))
    check(sample.store)
    check(try await sample.store.entries())
  }

  @Test(
    "Errors about damaged, newer or unwritable files do not quote it",
    arguments: ["damaged", "newer", "truncated", "unwritable"])
  func errors(_ problem: String) async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample(Self.token))
    let text = String(
      decoding: try require(
        sample.contents().values.compactMap(\.self).first {
          String(decoding: $0, as: UTF8.self).contains(Self.token)
        }), as: UTF8.self)
    let changed = [
      "damaged": text.replacing("client", with: "cliemt"),
      "newer": text.replacing("\"version\":1", with: "\"version\":9"),
      "truncated": String(text.prefix(text.count * 2 / 3)), "unwritable": text,
    ]
    try FileManager.default.removeItem(atPath: sample.file)
    try PrivateFile.write(Array(try require(changed[problem]).utf8), to: sample.file)
    let store = FileCredentialStore(
      folder: sample.folder, steps: { problem == "unwritable" && $0 == .write ? ENOSPC : nil })
    let error = try await storeError {
      if problem == "unwritable" { try await store.save(.sample(Self.token)) }
      _ = try await store.credential(Credential.sample().id)
    }
    check(try require(error))
    check(try await store.entries())
  }
}
