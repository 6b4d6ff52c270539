import Foundation

/// A key of OpenSSL, the reference for RS256.
///
/// The library is loaded into this process, so that one clock measures the same check by both.
final class OpenSSL {
  private typealias Bytes = UnsafePointer<UInt8>
  private typealias MakeKey = @convention(c) () -> OpaquePointer?
  private typealias FreeKey = @convention(c) (OpaquePointer) -> Void
  private typealias MakeNumber = @convention(c) (Bytes, CInt, OpaquePointer?) -> OpaquePointer?
  private typealias SetNumbers =
    @convention(c) (OpaquePointer, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt
  private typealias Hash = @convention(c) (Bytes, Int, UnsafeMutablePointer<UInt8>) -> Bytes?
  private typealias Verify =
    @convention(c) (CInt, Bytes, CUnsignedInt, Bytes, CUnsignedInt, OpaquePointer) -> CInt

  private let key: OpaquePointer
  private let free: FreeKey
  private let hash: Hash
  private let verify: Verify

  /// Takes two numbers, highest byte first; nil if the library is not installed.
  init?(modulus: [UInt8], exponent: [UInt8]) {
    #if os(Linux)
      let names = ["libcrypto.so.3", "libcrypto.so.1.1"]
      let library = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
      func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        library.flatMap { dlsym($0, name) }.map { unsafeBitCast($0, to: type) }
      }
    #else
      // Apple's systems end a process that loads the library.
      func function<Function>(_ name: String, as type: Function.Type) -> Function? { nil }
    #endif
    guard let free = function("RSA_free", as: FreeKey.self),
      let hash = function("SHA256", as: Hash.self),
      let verify = function("RSA_verify", as: Verify.self),
      let number = function("BN_bin2bn", as: MakeNumber.self),
      let set = function("RSA_set0_key", as: SetNumbers.self),
      let key = function("RSA_new", as: MakeKey.self)?()
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
