#if canImport(Security)
  import Dispatch
  import Foundation
  import IDXBase
  public import IDXOAuth
  import LocalAuthentication
  import Security

  /// Who can read the credentials of a ``KeychainCredentialStore``.
  public struct KeychainAccess: Sendable, Hashable {
    /// The access group, which shares the items with other apps of the same team: the team's ID, a dot and
    /// a name, as in the entitlement `keychain-access-groups`; nil for the app's first group.
    public var group: String?
    /// The reason that the system shows when it asks for Face ID, Touch ID or the passcode; nil if it does
    /// not ask.
    ///
    /// The person confirms once for each store value. The items can then be used only while the device is
    /// unlocked, so an app in the background cannot refresh them. The app needs an entry
    /// `NSFaceIDUsageDescription` in its `Info.plist`.
    public var confirmation: String?
    /// Whether only the faces and fingers that the device knows now can confirm, and no passcode.
    ///
    /// If the person adds a face or a finger, or removes the last one, the credentials are lost, and a new sign-in is
    /// needed (`biometryCurrentSet`). It counts for credentials that are saved from now on.
    public var needsSameBiometry: Bool

    /// Creates an access; by default for the app alone, without a confirmation.
    public init(
      group: String? = nil, confirmation: String? = nil, needsSameBiometry: Bool = false
    ) {
      self.group = group
      self.confirmation = confirmation
      self.needsSameBiometry = needsSameBiometry
    }
  }

  /// Stores credentials in the Keychain.
  ///
  /// Each credential is a generic password of a service; its account is a hash of the ID. One more item,
  /// whose service ends in `.current`, names the current credential. The items are available after the
  /// first unlock of the device, and stay on it: they are not restored to other devices from a backup.
  /// Locks are files in a folder.
  ///
  /// Saving, removing and choosing a credential finish even if the task is canceled.
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
    ///   - access: Who can read the items; a group or a confirmation needs the data protection keychain.
    ///   - timeout: How long to wait for a lock; 60 seconds by default.
    public init(
      lockFolder: String, service: String = "idx-flow",
      usesDataProtection: Bool = usesDataProtectionByDefault,
      access: KeychainAccess = KeychainAccess(), timeout: Duration = .seconds(60)
    ) {
      credentials = Keychain(
        service: service, usesDataProtection: usesDataProtection, group: access.group,
        confirmation: access.confirmation.map {
          UserConfirmation($0, needsSameBiometry: access.needsSameBiometry)
        })
      // The name of the current credential is no secret.
      current = Keychain(
        service: "\(service).current", usesDataProtection: usesDataProtection,
        group: access.group, confirmation: nil)
      locks = CredentialLocks(folder: lockFolder, timeout: timeout)
    }

    /// Asks for Face ID, Touch ID or the passcode again when a credential is read next, such as before a payment.
    ///
    /// It changes nothing if ``KeychainAccess/confirmation`` is nil.
    public func confirmAgain() { credentials.confirmation?.forget() }

    /// The words `the Keychain`.
    public var location: String { "the Keychain" }

    /// Reads all items of the service; one that cannot be read is an unreadable entry.
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

    /// Reads the item of a credential; nil if it does not exist.
    public func credential(_ id: Credential.ID) async throws -> Credential? {
      try await Self.onOwnThread { try read(id.storageName) }
    }

    /// Writes the item of a credential.
    ///
    /// If the existing item cannot be read, it throws and does not change the item.
    public func save(_ credential: Credential) async throws {
      let text = try ChecksummedEnvelope.encode(credential)
      try await change {
        _ = try read(credential.id.storageName)
        try credentials.write(text, to: credential.id.storageName, label: credential.label)
      }
    }

    /// Removes the item of a credential, even one that cannot be read.
    public func remove(_ id: Credential.ID) async throws {
      try await change {
        // Removed first: after a crash, no missing credential is the current one.
        if (try? readCurrent()) == id { try current.remove(Self.currentAccount) }
        try credentials.remove(id.storageName)
      }
    }

    /// Reads which credential is the current one; nil if none is, or if its item does not exist.
    public func currentID() async throws -> Credential.ID? {
      try await Self.onOwnThread {
        guard let id = try readCurrent() else { return nil }
        return try credentials.accounts().contains(id.storageName) ? id : nil
      }
    }

    /// Writes the ID of a credential to the item for the current one.
    public func makeCurrent(_ id: Credential.ID) async throws {
      let text = try ChecksummedEnvelope.encode(CurrentCredential(id: id))
      try await change {
        guard try read(id.storageName) != nil else { throw CredentialStoreError.notFound }
        _ = try readCurrent()
        try current.write(text, to: Self.currentAccount, label: "idx-flow: current credential")
      }
    }

    /// Locks a file in the folder for locks and runs a body; others with the same ID wait.
    public func withLock<Result: Sendable>(
      on id: Credential.ID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await locks.withLock(on: id, body)
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
      try await locks.withStoreLock { try await Self.onOwnThread(body) }
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

  /// The confirmation by Face ID, Touch ID or the passcode, which the system asks for once.
  ///
  /// A context is set up here, and then only the Keychain uses it, which may do so on any thread.
  private final class UserConfirmation: Sendable {
    private struct Context: @unchecked Sendable { let context: LAContext }

    private let reason: String
    private let needsSameBiometry: Bool
    private let current = Locked<Context?>(nil)

    init(_ reason: String, needsSameBiometry: Bool) {
      (self.reason, self.needsSameBiometry) = (reason, needsSameBiometry)
    }

    /// The context in which the person has confirmed, or will.
    var context: LAContext {
      current.withLock { current in
        if let current { return current.context }
        let context = LAContext()
        context.localizedReason = reason
        current = Context(context: context)
        return context
      }
    }

    /// Drops the confirmation, so that the next use asks again.
    func forget() {
      current.withLock { current in
        current?.context.invalidate()
        current = nil
      }
    }

    /// What a new item must be protected by.
    func protection() throws(CredentialStoreError) -> SecAccessControl {
      guard
        let control = SecAccessControlCreateWithFlags(
          nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
          needsSameBiometry ? .biometryCurrentSet : .userPresence, nil)
      else {
        throw CredentialStoreError(
          .unavailable, "The Keychain cannot ask for a confirmation on this device.")
      }
      return control
    }
  }

  /// The generic passwords of a service.
  private struct Keychain: Sendable {
    let service: String
    let usesDataProtection: Bool
    let group: String?
    let confirmation: UserConfirmation?

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
      let protection = try confirmation?.protection()
      // An item of an earlier version of the app may be protected by less.
      let access: [String: Any] =
        if let protection {
          [kSecAttrAccessControl as String: protection]
        } else {
          [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
        }
      let changed = protection == nil ? values : values.merging(access) { $1 }
      var status = SecItemUpdate(item as CFDictionary, changed as CFDictionary)
      if status == errSecItemNotFound {
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
      var base: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecUseDataProtectionKeychain as String: usesDataProtection,
      ]
      if let group { base[kSecAttrAccessGroup as String] = group }
      if let confirmation { base[kSecUseAuthenticationContext as String] = confirmation.context }
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
