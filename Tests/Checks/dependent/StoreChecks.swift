import Foundation
import IDXFlow
import IDXStorage
import IDXTesting

enum StoreChecks {
  static func run() async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "dependent-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    var number = 0
    func store() -> ItemStore {
      number += 1
      return ItemStore(folder: root.appending(path: "\(number)"), timeout: .seconds(3600))
    }
    for check in CredentialStoreContract.checks {
      do { try await check.run(on: store()) } catch {
        throw Failure(description: "\(check): \(error)")
      }
    }
    for (code, change) in [
      (CredentialStoreError.Code.damaged, { $0.replacing("secret", with: "secreT") }),
      (.damaged, { String($0.dropLast()) }), (.damaged, { _ in "" }),
      (.newer, { $0.replacing(#""version":1"#, with: #""version":99"#) }),
    ] as [(CredentialStoreError.Code, (String) -> String)] {
      try await checkDamage(of: store(), code, change)
    }
  }

  private static func credential(_ person: String) throws -> Credential {
    Credential(
      id: Credential.ID(
        issuer: try BadgeServer.configuration.issuer, clientID: "door-app", subject: person),
      tokens: Tokens(accessToken: "secret"), receivedAt: Date(timeIntervalSince1970: 1_800_000_000))
  }

  /// Expects that a damaged credential is an error and is kept, and that others can be used.
  private static func checkDamage(
    of store: ItemStore, _ code: CredentialStoreError.Code, _ change: (String) -> String
  ) async throws {
    let (ada, grace) = (try credential("ada"), try credential("grace"))
    for credential in [ada, grace] { try await store.save(credential) }
    let file = store.folder.appending(path: "\(ada.id.storageName).item")
    let damaged = change(try String(contentsOf: file, encoding: .utf8))
    try damaged.write(to: file, atomically: true, encoding: .utf8)

    let errors = [
      await error { _ = try await store.credential(ada.id) },
      await error { try await store.save(ada) },
      await error { try await store.makeCurrent(ada.id) },
      try await store.entries().compactMap { entry in
        if case .unreadable(let error) = entry { error } else { nil }
      }.first,
    ]
    for error in errors {
      try expect(error?.code == code, "It must be reported as \(code), not as \(error as Any).")
      try expect(error?.message.contains(file.path) == true, "The error must name the place.")
      try expect(error?.message.contains("secret") == false, "The error must not quote a token.")
    }
    try expect(
      try String(contentsOf: file, encoding: .utf8) == damaged, "The file must not be changed.")
    try await expect(
      store.entries().compactMap(\.credential) == [grace], "The other one must be readable.")
    try await store.remove(ada.id)
    try await store.save(ada)
    try await expect(store.credential(ada.id) == ada, "After it was removed, it can be saved.")
  }

  private static func error(_ body: () async throws -> Void) async -> CredentialStoreError? {
    do { try await body() } catch { return error as? CredentialStoreError }
    return nil
  }
}
