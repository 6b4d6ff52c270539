/// A source of random bytes.
///
/// ``system`` is right everywhere but in tests, which give bytes of their own:
///
///     let random = RandomBytes { count in [UInt8](repeating: 7, count: count) }
public struct RandomBytes: Sendable {
  private let make: @Sendable (Int) -> [UInt8]

  /// A source that calls `make` with the number of bytes wanted; it must return that many.
  public init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

  /// The system's generator, fit for secrets.
  public static let system = RandomBytes { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in generator.next() }
  }

  /// This many random bytes.
  public func callAsFunction(_ count: Int) -> [UInt8] {
    let bytes = make(count)
    precondition(bytes.count == count, "A source of random bytes returned another number of them.")
    return bytes
  }

  /// Random bytes as text that is safe in URLs, such as a `state` or a `nonce`.
  ///
  /// It is Base64 for URLs: 32 bytes, the default, make 43 characters.
  public func token(bytes: Int = 32) -> String { Base64URL.encode(self(bytes)) }
}
