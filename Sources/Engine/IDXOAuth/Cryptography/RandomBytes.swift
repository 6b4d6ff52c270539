import IDXBase

/// A source of random bytes.
///
/// Use ``system`` except in tests, which can supply their own bytes:
///
///     let random = RandomBytes { count in [UInt8](repeating: 7, count: count) }
public struct RandomBytes: Sendable {
  private let make: @Sendable (Int) -> [UInt8]

  /// Creates a source that calls `make` with the number of bytes; it must return that many.
  public init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

  /// The system's generator, which is secure enough for secrets.
  public static let system = RandomBytes { count in
    var generator = SystemRandomNumberGenerator()
    // Each call of the system gives eight bytes.
    let words: [UInt64] = (0..<(count + 7) / 8).map { _ in generator.next() }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }

  /// This many random bytes.
  package func callAsFunction(_ count: Int) -> [UInt8] {
    let bytes = make(count)
    precondition(
      bytes.count == count, "A source of random bytes returned the wrong number of bytes.")
    return bytes
  }

  /// Random bytes in Base64url, for a `state` or a `nonce`; 32 bytes give 43 characters.
  public func token(bytes: Int = 32) -> String { Base64URL.encode(self(bytes)) }
}
