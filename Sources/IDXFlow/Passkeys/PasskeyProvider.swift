/// Makes passkeys and signs with them, in whatever way: the system's dialogue, a security key at a
/// USB port, software in a test.
///
/// A conformer owes the handler:
/// - an answer to the request that it is given and to no other, in its own time;
/// - a ``PasskeyError`` that says in a sentence what the person can do, where it cannot or may not
///   answer: no key there, nothing known, given up, too late;
/// - `CancellationError` when the task is cancelled, with nothing left half done.
///
/// A conformer for a computer without any key:
///
///     struct NoPasskeys: PasskeyProvider {
///       func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation {
///         throw PasskeyError(.noKey, "This computer holds no passkeys.")
///       }
///       func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion {
///         throw PasskeyError(.noKey, "This computer holds no passkeys.")
///       }
///     }
///
/// Source: WebAuthn Level 2, sections 5.1.3 and 5.1.4.
public protocol PasskeyProvider: Sendable {
  /// Makes a passkey.
  func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation
  /// Signs a challenge with a passkey that is there.
  func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion
}

/// A passkey that was made.
///
/// Source: WebAuthn Level 2, section 5.2.1.
public struct PasskeyAttestation: Sendable, Hashable {
  /// The JSON that the key has signed, or has been told of: ``PasskeyClientData/json``, unless the
  /// platform makes its own.
  public let clientData: [UInt8]
  /// The attestation object, CBOR: the new public key, and who vouches for it.
  public let attestationObject: [UInt8]
  /// How the key can be reached, such as `usb`, `internal`; empty where that is not known.
  public let transports: [String]

  /// What a provider returns.
  public init(clientData: [UInt8], attestationObject: [UInt8], transports: [String] = []) {
    self.clientData = clientData
    self.attestationObject = attestationObject
    self.transports = transports
  }
}

/// A challenge that was signed.
///
/// Source: WebAuthn Level 2, section 5.2.2.
public struct PasskeyAssertion: Sendable, Hashable {
  /// The JSON that was signed: ``PasskeyClientData/json``, unless the platform makes its own.
  public let clientData: [UInt8]
  /// What the key says about itself and the occasion: for which site, whether somebody was there, how
  /// often it was used.
  public let authenticatorData: [UInt8]
  /// The signature over the authenticator data and the hash of the client data.
  public let signature: [UInt8]
  /// Whom the passkey belongs to, as the server said when it was made; nil where the key does not say.
  public let userHandle: [UInt8]?

  /// What a provider returns.
  public init(
    clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]? = nil
  ) {
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
  }
}
