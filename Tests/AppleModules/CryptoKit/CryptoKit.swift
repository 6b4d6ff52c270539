// Source: Apple's documentation of CryptoKit.

public import FoundationEssentials
public import LocalAuthentication
public import Security

public protocol Digest: Hashable, Sendable, Sequence where Element == UInt8 {
  static var byteCount: Int { get }
}

public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Self.Digest
}

extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Self.Digest
  public mutating func update<D: DataProtocol>(data: D)
}

public struct SHA256Digest: Digest {
  public static var byteCount: Int { get }
  public func makeIterator() -> Array<UInt8>.Iterator
  public func hash(into hasher: inout Hasher)
  public static func == (left: SHA256Digest, right: SHA256Digest) -> Bool
}

public struct SHA512Digest: Digest {
  public static var byteCount: Int { get }
  public func makeIterator() -> Array<UInt8>.Iterator
  public func hash(into hasher: inout Hasher)
  public static func == (left: SHA512Digest, right: SHA512Digest) -> Bool
}

public struct SHA256: HashFunction {
  public typealias Digest = SHA256Digest
  public init()
  public mutating func update(bufferPointer: UnsafeRawBufferPointer)
  public func finalize() -> SHA256Digest
}

public struct SHA512: HashFunction {
  public typealias Digest = SHA512Digest
  public init()
  public mutating func update(bufferPointer: UnsafeRawBufferPointer)
  public func finalize() -> SHA512Digest
}

public enum Insecure {}

extension Insecure {
  public struct SHA1Digest: Digest {
    public static var byteCount: Int { get }
    public func makeIterator() -> Array<UInt8>.Iterator
    public func hash(into hasher: inout Hasher)
    public static func == (left: SHA1Digest, right: SHA1Digest) -> Bool
  }

  public struct SHA1: HashFunction {
    public typealias Digest = SHA1Digest
    public init()
    public mutating func update(bufferPointer: UnsafeRawBufferPointer)
    public func finalize() -> SHA1Digest
  }
}

public enum P256 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public var x963Representation: Data { get }
    }

    public struct ECDSASignature: Sendable {
      public var rawRepresentation: Data { get }
    }
  }
}

public enum SecureEnclave {
  public static var isAvailable: Bool { get }

  public enum P256 {
    public enum Signing {
      public struct PrivateKey {
        public init(
          compactRepresentable: Bool = true, accessControl: SecAccessControl,
          authenticationContext: LAContext? = nil
        ) throws
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws
        public var dataRepresentation: Data { get }
        public var publicKey: CryptoKit.P256.Signing.PublicKey { get }
        public func signature<D: DataProtocol>(
          for data: D
        ) throws -> CryptoKit.P256.Signing.ECDSASignature
      }
    }
  }
}
