// Source: Apple's documentation of Security, "Keychain services" and "Certificate, key, and trust services".

@_exported public import AppleFoundation

// MARK: - Items of the Keychain

public func SecItemAdd(
  _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus
public func SecItemDelete(_ query: CFDictionary) -> OSStatus
public func SecItemUpdate(
  _ query: CFDictionary, _ attributesToUpdate: CFDictionary
) -> OSStatus
public func SecCopyErrorMessageString(
  _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString?

public var kSecAttrAccessControl: CFString { get }
public var kSecAttrAccessGroup: CFString { get }
public var kSecAttrAccessible: CFString { get }
public var kSecAttrAccessibleAfterFirstUnlock: CFString { get }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { get }
public var kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString { get }
public var kSecAttrAccessibleWhenUnlocked: CFString { get }
public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString { get }
public var kSecAttrAccount: CFString { get }
public var kSecAttrLabel: CFString { get }
public var kSecAttrService: CFString { get }
public var kSecClass: CFString { get }
public var kSecClassGenericPassword: CFString { get }
public var kSecMatchLimit: CFString { get }
public var kSecMatchLimitAll: CFString { get }
public var kSecMatchLimitOne: CFString { get }
public var kSecReturnAttributes: CFString { get }
public var kSecReturnData: CFString { get }
public var kSecUseAuthenticationContext: CFString { get }
public var kSecUseDataProtectionKeychain: CFString { get }
public var kSecValueData: CFString { get }

public var errSecAuthFailed: OSStatus { get }
public var errSecDuplicateItem: OSStatus { get }
public var errSecInteractionNotAllowed: OSStatus { get }
public var errSecItemNotFound: OSStatus { get }
public var errSecMissingEntitlement: OSStatus { get }
public var errSecParam: OSStatus { get }
public var errSecSuccess: OSStatus { get }
public var errSecUserCanceled: OSStatus { get }

// MARK: - Trust

public class SecTrust {}

public class SecCertificate {}

public func SecCertificateCreateWithData(
  _ allocator: AnyObject?, _ data: CFData
) -> SecCertificate?
public func SecTrustSetAnchorCertificates(
  _ trust: SecTrust, _ anchorCertificates: CFArray?
) -> OSStatus
public func SecTrustEvaluateWithError(
  _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool

extension URLProtectionSpace {
  public var serverTrust: SecTrust? { get }
}

extension URLCredential {
  public convenience init(trust: SecTrust)
}

// MARK: - Access control

public class SecAccessControl {}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt)
  public static var userPresence: SecAccessControlCreateFlags { get }
  public static var biometryAny: SecAccessControlCreateFlags { get }
  public static var biometryCurrentSet: SecAccessControlCreateFlags { get }
  public static var devicePasscode: SecAccessControlCreateFlags { get }
  public static var privateKeyUsage: SecAccessControlCreateFlags { get }
}

public func SecAccessControlCreateWithFlags(
  _ allocator: AnyObject?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl?

// MARK: - Keys

public class SecKey {}

public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
  public let rawValue: CFString
  public init(rawValue: CFString)
  public static let rsaSignatureMessagePKCS1v15SHA256: SecKeyAlgorithm
  public static let ecdsaSignatureMessageX962SHA256: SecKeyAlgorithm
}

// A function of Core Foundation.
public func CFGetTypeID(_ value: CFTypeRef?) -> CFTypeID

public func SecKeyGetTypeID() -> CFTypeID
public func SecKeyCreateRandomKey(
  _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey?
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey?
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData?
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData?

public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey?
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool

public var kSecAttrKeyClass: CFString { get }
public var kSecAttrKeyClassPublic: CFString { get }
public var kSecAttrKeyType: CFString { get }
public var kSecAttrKeyTypeRSA: CFString { get }
public var kSecAttrKeyTypeECSECPrimeRandom: CFString { get }
public var kSecAttrKeySizeInBits: CFString { get }
public var kSecAttrApplicationTag: CFString { get }
#if os(macOS)
  public var kSecAttrIsExtractable: CFString { get }
#endif
public var kSecAttrIsPermanent: CFString { get }
public var kSecClassKey: CFString { get }
public var kSecPrivateKeyAttrs: CFString { get }
public var kSecReturnRef: CFString { get }
