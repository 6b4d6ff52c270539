#if canImport(Security)
  import Foundation
  import IDXOAuth
  import Security

  /// The generic passwords of a service.
  struct Keychain: Sendable {
    let service: String
    let usesDataProtection: Bool

    /// The accounts of all items.
    func accounts() throws(CredentialStoreError) -> [String] {
      // Several items cannot be had with their data in one call everywhere.
      let found = try copy([
        kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
      ])
      guard let items = found as? [[String: Any]] else { return [] }
      return items.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    /// The data of an account; nil where there is no item.
    func read(_ account: String) throws(CredentialStoreError) -> [UInt8]? {
      let found = try copy([
        kSecAttrAccount as String: account, kSecReturnData as String: true,
        kSecMatchLimit as String: kSecMatchLimitOne,
      ])
      return (found as? Data).map(Array.init)
    }

    /// Keeps data for an account, in the place of what is there; `label` is what a person sees of it.
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

    /// Removes the item of an account; it is no error where there is none.
    func remove(_ account: String) throws(CredentialStoreError) {
      let status = SecItemDelete(query([kSecAttrAccount as String: account]) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw Self.failure(status)
      }
    }

    /// Where an item is, for a person.
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
          "the app is not signed for it (entitlement keychain-access-groups)"
        case errSecAuthFailed, errSecUserCanceled: "that was not allowed"
        default: SecCopyErrorMessageString(status, nil) as String? ?? "error \(status)"
        }
      return CredentialStoreError(
        .unavailable, "The Keychain refuses: \(reason).", systemCode: status)
    }
  }
#endif
