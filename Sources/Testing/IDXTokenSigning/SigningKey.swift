package import IDXBase

/// A key that signs tokens, for tests only.
package protocol SigningKey: Sendable {
  var id: String { get }
  /// The public key (RFC 7517).
  var jwk: JSONValue { get }
  /// The algorithm of the signatures (RFC 7518, section 3.1).
  var algorithm: String { get }
  /// The signature of a message.
  func sign(_ message: [UInt8]) -> [UInt8]
}
