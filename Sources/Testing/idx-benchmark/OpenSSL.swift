import Foundation

/// The library of OpenSSL, the reference for signatures.
///
/// It is loaded into this process, so that one clock measures the same work by both.
private enum Library {
  typealias Hash =
    @convention(c) (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) ->
    UnsafePointer<UInt8>?

  /// A function of the library; nil if it is not installed.
  static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    #if os(Linux)
      let names = ["libcrypto.so.3", "libcrypto.so.1.1"]
      let library = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
      return library.flatMap { dlsym($0, name) }.map { unsafeBitCast($0, to: type) }
    #else
      // Apple's systems end a process that loads the library.
      return nil
    #endif
  }
}

/// A public key for RS256.
final class OpenSSL {
  private typealias Bytes = UnsafePointer<UInt8>
  private typealias MakeKey = @convention(c) () -> OpaquePointer?
  private typealias FreeKey = @convention(c) (OpaquePointer) -> Void
  private typealias MakeNumber = @convention(c) (Bytes, CInt, OpaquePointer?) -> OpaquePointer?
  private typealias SetNumbers =
    @convention(c) (OpaquePointer, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt
  private typealias Verify =
    @convention(c) (CInt, Bytes, CUnsignedInt, Bytes, CUnsignedInt, OpaquePointer) -> CInt

  private let key: OpaquePointer
  private let free: FreeKey
  private let hash: Library.Hash
  private let verify: Verify

  /// Takes two numbers, highest byte first; nil if the library is not installed.
  init?(modulus: [UInt8], exponent: [UInt8]) {
    guard let free = Library.function("RSA_free", as: FreeKey.self),
      let hash = Library.function("SHA256", as: Library.Hash.self),
      let verify = Library.function("RSA_verify", as: Verify.self),
      let number = Library.function("BN_bin2bn", as: MakeNumber.self),
      let set = Library.function("RSA_set0_key", as: SetNumbers.self),
      let key = Library.function("RSA_new", as: MakeKey.self)?()
    else { return nil }
    (self.key, self.free, self.hash, self.verify) = (key, free, hash, verify)
    // The key owns the numbers from now on.
    _ = set(
      key, number(modulus, CInt(modulus.count), nil), number(exponent, CInt(exponent.count), nil),
      nil)
  }

  deinit { free(key) }

  /// Whether the owner of the key signed the message: RSASSA-PKCS1-v1_5 with SHA-256.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    let sha256: CInt = 672
    var digest = [UInt8](repeating: 0, count: 32)
    return hash(message, message.count, &digest) != nil
      && verify(sha256, digest, 32, signature, CUnsignedInt(signature.count), key) == 1
  }
}

/// A private key for ES256.
final class OpenSSLSigner {
  private typealias MakeKey = @convention(c) (CInt) -> OpaquePointer?
  private typealias UseKey = @convention(c) (OpaquePointer) -> CInt
  private typealias FreeKey = @convention(c) (OpaquePointer) -> Void
  private typealias Sign =
    @convention(c) (
      CInt, UnsafePointer<UInt8>, CInt, UnsafeMutablePointer<UInt8>,
      UnsafeMutablePointer<CUnsignedInt>, OpaquePointer
    ) -> CInt

  private let key: OpaquePointer
  private let free: FreeKey
  private let hash: Library.Hash
  private let sign: Sign

  /// Makes a key; nil if the library is not installed.
  init?() {
    let p256: CInt = 415
    guard let free = Library.function("EC_KEY_free", as: FreeKey.self),
      let hash = Library.function("SHA256", as: Library.Hash.self),
      let sign = Library.function("ECDSA_sign", as: Sign.self),
      let generate = Library.function("EC_KEY_generate_key", as: UseKey.self),
      let key = Library.function("EC_KEY_new_by_curve_name", as: MakeKey.self)?(p256)
    else { return nil }
    (self.key, self.free, self.hash, self.sign) = (key, free, hash, sign)
    guard generate(key) == 1 else { return nil }
  }

  deinit { free(key) }

  /// Signs a message: ECDSA with P-256 and SHA-256; returns false if it fails.
  func signs(_ message: [UInt8]) -> Bool {
    var digest = [UInt8](repeating: 0, count: 32)
    var signature = [UInt8](repeating: 0, count: 80)
    var count: CUnsignedInt = 0
    return hash(message, message.count, &digest) != nil
      && sign(0, digest, 32, &signature, &count, key) == 1
  }
}
