#if canImport(Security)
  import CryptoKit
  import Foundation
  import IDXBase
  import Security

  // Keys that the device keeps: in the Secure Enclave, or else in the Keychain.
  extension DPoPKey {
    /// Available after the first unlock of the device, so that an app in the background can refresh tokens, and
    /// never on another device.
    private static var accessibility: CFString { kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly }

    /// A new key in the Secure Enclave, or in the Keychain of a device without one.
    static func protected() throws -> DPoPKey {
      do {
        return SecureEnclave.isAvailable ? try inSecureEnclave() : try inKeychain()
      } catch {
        throw FlowError(
          .invalidConfiguration,
          "This device makes no key that the tokens can be bound to. Unlock it and try again, or let the app "
            + "keep the key with the tokens.", underlying: error)
      }
    }

    private static func inSecureEnclave() throws -> DPoPKey {
      var failure: Unmanaged<CFError>?
      guard
        let access = SecAccessControlCreateWithFlags(
          nil, accessibility, .privateKeyUsage, &failure)
      else { throw Self.error(failure) }
      let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: access)
      return try DPoPKey(
        place: .secureEnclave(Secret(Base64URL.encode(Array(key.dataRepresentation)))),
        point: Array(key.publicKey.x963Representation))
    }

    private static func inKeychain() throws -> DPoPKey {
      let tag = "idx-flow.dpop." + RandomBytes.system.token()
      var privateKey: [CFString: Any] = [
        kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data(tag.utf8),
        kSecAttrAccessible: accessibility,
      ]
      #if os(macOS)
        // Other systems do not have this attribute; only their simulators have no Secure Enclave.
        privateKey[kSecAttrIsExtractable] = false
      #endif
      let attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        kSecPrivateKeyAttrs: privateKey,
      ]
      var failure: Unmanaged<CFError>?
      guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &failure),
        let publicKey = SecKeyCopyPublicKey(key),
        let point = SecKeyCopyExternalRepresentation(publicKey, &failure)
      else { throw Self.error(failure) }
      return try DPoPKey(place: .keychain(tag), point: Array(point as Data))
    }

    /// `point` is an uncompressed point: 4, and the two coordinates (SEC 1, section 2.3.3).
    private init(place: Place, point: [UInt8]) throws {
      guard point.count == 65, point.first == 4 else { throw Self.unusable }
      self.init(
        place: place,
        publicKey: P256.PublicKey(x: Array(point[1..<33]), y: Array(point[33...])))
    }

    func signProtected(_ message: [UInt8]) throws -> [UInt8] {
      switch place {
      case .software: throw Self.unusable
      case .secureEnclave(let encrypted):
        guard let data = Base64URL.decode(encrypted.revealed),
          let key = try? SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(data)),
          let signature = try? key.signature(for: Data(message))
        else { throw Self.unusable }
        return Array(signature.rawRepresentation)
      case .keychain(let tag):
        guard let key = Self.keychainKey(tag),
          let der = SecKeyCreateSignature(
            key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, nil),
          let signature = P256.Signature(der: Array(der as Data))
        else { throw Self.unusable }
        return signature.rawRepresentation
      }
    }

    func removeProtected() {
      guard case .keychain(let tag) = place else { return }
      _ = SecItemDelete(Self.query(tag) as CFDictionary)
    }

    private static func query(_ tag: String) -> [CFString: Any] {
      [
        kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(tag.utf8),
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
      ]
    }

    private static func keychainKey(_ tag: String) -> SecKey? {
      var query = query(tag)
      query[kSecReturnRef] = true
      var item: CFTypeRef?
      guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let item,
        CFGetTypeID(item) == SecKeyGetTypeID()
      else { return nil }
      return unsafeDowncast(item, to: SecKey.self)
    }

    private static func error(_ failure: Unmanaged<CFError>?) -> any Error {
      failure.map { $0.takeRetainedValue() as any Error } ?? unusable
    }
  }
#endif
