#if canImport(Security)
  import Dispatch
  import Foundation
  public import IDXOAuth
  import Security

  /// Stores credentials in the Keychain.
  ///
  /// Each credential is a generic password of a service; its account is a hash of the ID. One more item,
  /// whose service ends in `.current`, names the current credential. The items are available after the
  /// first unlock of the device, and stay on it: they are not restored to other devices from a backup.
  /// Locks are files in a folder.
  ///
  /// Saving, removing and choosing a credential finish even if the task is cancelled.
  public struct KeychainCredentialStore: CredentialStore {
    private let credentials: Keychain
    private let current: Keychain
    private let locks: CredentialLocks

    /// Whether the data protection keychain is used by default.
    ///
    /// On macOS only signed apps with an entitlement can use it, so the default there is the login
    /// keychain. Other platforms have only the data protection keychain.
    public static var usesDataProtectionByDefault: Bool {
      #if os(macOS)
        false
      #else
        true
      #endif
    }

    /// Creates a store in the Keychain.
    ///
    /// - Parameters:
    ///   - lockFolder: A folder for locks, created if it is missing. It must be the same for all
    ///     processes that share the items.
    ///   - service: The service of the items, which distinguishes them from items of other apps.
    ///   - usesDataProtection: Whether macOS uses the data protection keychain. The app must be signed
    ///     with the entitlement `keychain-access-groups`.
    ///   - timeout: How long to wait for a lock; 60 seconds by default.
    public init(
      lockFolder: String, service: String = "idx-flow",
      usesDataProtection: Bool = usesDataProtectionByDefault, timeout: Duration = .seconds(60)
    ) {
      credentials = Keychain(service: service, usesDataProtection: usesDataProtection)
      current = Keychain(service: "\(service).current", usesDataProtection: usesDataProtection)
      locks = CredentialLocks(folder: lockFolder, timeout: timeout)
    }

    /// `the Keychain`.
    public var location: String { "the Keychain" }

    /// All entries, also those that cannot be read.
    public func entries() async throws -> [StoredCredential] {
      try await Self.onOwnThread {
        var entries: [StoredCredential] = []
        for account in try credentials.accounts() {
          do throws(CredentialStoreError) {
            // It may have been removed since the list was read.
            if let credential = try read(account) { entries.append(.readable(credential)) }
          } catch {
            guard error.isAboutOneEntry else { throw error }
            entries.append(.unreadable(error))
          }
        }
        return entries
      }
    }

    /// The credential with an ID; nil if there is none.
    public func credential(_ id: Credential.ID) async throws -> Credential? {
      try await Self.onOwnThread { try read(id.storageName) }
    }

    /// Saves a credential; throws if the existing one cannot be read, and does not change it.
    public func save(_ credential: Credential) async throws {
      let text = try ChecksummedEnvelope.encode(credential)
      try await change {
        _ = try read(credential.id.storageName)
        try credentials.write(text, to: credential.id.storageName, label: credential.label)
      }
    }

    /// Removes a credential, even one that cannot be read.
    public func remove(_ id: Credential.ID) async throws {
      try await change {
        // Removed first: after a crash, no missing credential is the current one.
        if (try? readCurrent()) == id { try current.remove(Self.currentAccount) }
        try credentials.remove(id.storageName)
      }
    }

    /// The ID of the current credential; nil if there is none.
    public func currentID() async throws -> Credential.ID? {
      try await Self.onOwnThread {
        guard let id = try readCurrent() else { return nil }
        return try credentials.accounts().contains(id.storageName) ? id : nil
      }
    }

    /// Makes a credential the current one.
    public func makeCurrent(_ id: Credential.ID) async throws {
      let text = try ChecksummedEnvelope.encode(CurrentCredential(id: id))
      try await change {
        guard try read(id.storageName) != nil else { throw CredentialStoreError.notFound }
        _ = try readCurrent()
        try current.write(text, to: Self.currentAccount, label: "idx-flow: current credential")
      }
    }

    /// Runs a body while no other task or process runs one for the same ID.
    public func withLock<Result: Sendable>(
      on id: Credential.ID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await locks.hold(id, body)
    }
  }

  extension KeychainCredentialStore {
    private static let currentAccount = "current"

    private func read(_ account: String) throws(CredentialStoreError) -> Credential? {
      guard let text = try credentials.read(account) else { return nil }
      let place = credentials.place(of: account)
      let credential = try ChecksummedEnvelope.decode(Credential.self, from: text, at: place)
      guard credential.id.storageName == account else { throw .damaged(place) }
      return credential
    }

    private func readCurrent() throws(CredentialStoreError) -> Credential.ID? {
      guard let text = try current.read(Self.currentAccount) else { return nil }
      let place = current.place(of: Self.currentAccount)
      return try ChecksummedEnvelope.decode(CurrentCredential.self, from: text, at: place).id
    }

    private func change(_ body: @escaping @Sendable () throws -> Void) async throws {
      try await locks.change { try await Self.onOwnThread(body) }
    }

    /// Runs the body on its own thread, because the Keychain blocks while it asks the user.
    private static func onOwnThread<Result: Sendable>(
      _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "idx-flow.keychain").async {
          continuation.resume(with: Swift.Result { try body() })
        }
      }
    }
  }

  /// The generic passwords of a service.
  private struct Keychain: Sendable {
    let service: String
    let usesDataProtection: Bool

    /// The accounts of all items.
    func accounts() throws(CredentialStoreError) -> [String] {
      // Not every keychain returns several items together with their data.
      let found = try copy([
        kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
      ])
      guard let items = found as? [[String: Any]] else { return [] }
      return items.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    /// The data of an account; nil if there is no item.
    func read(_ account: String) throws(CredentialStoreError) -> [UInt8]? {
      let found = try copy([
        kSecAttrAccount as String: account, kSecReturnData as String: true,
        kSecMatchLimit as String: kSecMatchLimitOne,
      ])
      return (found as? Data).map(Array.init)
    }

    /// Saves the data of an account; `label` is the title of the item for the user.
    func write(
      _ bytes: [UInt8], to account: String, label: String
    ) throws(CredentialStoreError) {
      let item = query([kSecAttrAccount as String: account])
      let values: [String: Any] = [
        kSecValueData as String: Data(bytes), kSecAttrLabel as String: label,
      ]
      var status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
      if status == errSecItemNotFound {
        let access: [String: Any] = [
          kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        ]
        let added = item.merging(values) { $1 }.merging(access) { $1 }
        status = SecItemAdd(added as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw Self.failure(status) }
    }

    /// Removes the item of an account, if there is one.
    func remove(_ account: String) throws(CredentialStoreError) {
      let status = SecItemDelete(query([kSecAttrAccount as String: account]) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw Self.failure(status)
      }
    }

    /// Where the item of an account is, in words.
    func place(of account: String) -> String {
      "the item \(account) of \(service) in the Keychain"
    }

    private func query(_ more: [String: Any]) -> [String: Any] {
      let base: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecUseDataProtectionKeychain as String: usesDataProtection,
      ]
      return base.merging(more) { $1 }
    }

    private func copy(_ more: [String: Any]) throws(CredentialStoreError) -> CFTypeRef? {
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query(more) as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess else { throw Self.failure(status) }
      return found
    }

    private static func failure(_ status: OSStatus) -> CredentialStoreError {
      let reason =
        switch status {
        case errSecInteractionNotAllowed: "it is locked. Unlock it and try again"
        case errSecMissingEntitlement:
          "the app is not signed with the entitlement keychain-access-groups"
        case errSecAuthFailed, errSecUserCanceled: "access was denied"
        default: SecCopyErrorMessageString(status, nil) as String? ?? "error \(status)"
        }
      return CredentialStoreError(
        .unavailable, "The Keychain cannot be used: \(reason).", systemCode: status)
    }
  }
#endif
