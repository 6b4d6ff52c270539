public import IDXBase
import IDXOAuth

/// Creates passkeys and signs with them: through the system's dialog, a security key, or software in a
/// test.
///
/// This package has three: `SystemPasskeys` on Apple platforms, `SecurityKey` of IDXPrompt, and
/// `SoftwareAuthenticator` of IDXSimulatedOrg.
///
/// A conforming type must:
/// - answer only the request that it is given, after any time;
/// - throw a ``PasskeyError`` that says what the person can do, if it cannot answer: no key, no matching
///   passkey, canceled, or too late;
/// - throw `CancellationError` when the task is canceled, and leave nothing half done.
///
/// A provider for a computer without any key:
///
///     struct NoPasskeys: PasskeyProvider {
///       func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
///         throw PasskeyError(.noKey, "This computer has no passkeys.")
///       }
///       func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
///         throw PasskeyError(.noKey, "This computer has no passkeys.")
///       }
///     }
///
/// Source: WebAuthn Level 2, sections 5.1.3 and 5.1.4.
public protocol PasskeyProvider: Sendable {
  /// Creates a passkey.
  func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation
  /// Signs a challenge with an existing passkey.
  func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion
  /// Offers passkeys beside a field for the username, without a dialog, and signs with the one that the
  /// person chooses.
  ///
  /// By default it throws a ``PasskeyError`` with the code `unsupported`.
  func offer(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion
  /// Offers what this device has saved for a sign-in, before the person types anything; nil if it has nothing, or if
  /// the person wants none of it.
  ///
  /// The `options` are those of the server for passkeys; nil if it accepts none at this step. By default it returns nil.
  func saved(_ options: PasskeyRequestOptions?) async throws -> SavedSignIn?
}

extension PasskeyProvider {
  /// Throws, because this provider cannot offer passkeys beside a field.
  public func offer(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    throw PasskeyError(.unsupported, "Passkeys cannot be offered beside a field here.")
  }

  /// Returns nil, because this provider knows nothing that was saved.
  public func saved(_ options: PasskeyRequestOptions?) async throws -> SavedSignIn? { nil }
}

/// What a person has chosen from what a device has saved for a sign-in.
public enum SavedSignIn: Sendable {
  /// The server's challenge, signed with a passkey.
  case passkey(PasskeyAssertion)
  /// A username and its password.
  case password(username: String, password: Secret)
}

/// A new passkey (WebAuthn Level 2, section 5.2.1).
public struct PasskeyAttestation: Sendable, Hashable {
  /// The client data: ``PasskeyClientData/json``, or what the platform made itself.
  public let clientData: [UInt8]
  /// The attestation object in CBOR, which contains the new public key.
  public let attestationObject: [UInt8]
  /// How the key can be reached, such as `usb` or `internal`; empty if that is not known.
  public let transports: [String]

  /// Creates an attestation.
  public init(clientData: [UInt8], attestationObject: [UInt8], transports: [String] = []) {
    self.clientData = clientData
    self.attestationObject = attestationObject
    self.transports = transports
  }
}

/// A signed challenge (WebAuthn Level 2, section 5.2.2).
public struct PasskeyAssertion: Sendable, Hashable {
  /// The client data: ``PasskeyClientData/json``, or what the platform made itself.
  public let clientData: [UInt8]
  /// The authenticator data: the hash of the site, flags, and the signature counter.
  public let authenticatorData: [UInt8]
  /// The signature over the authenticator data and the hash of the client data.
  public let signature: [UInt8]
  /// The user handle that the server chose for the passkey; nil if the key does not return it.
  public let userHandle: [UInt8]?

  /// Creates an assertion.
  public init(
    clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]? = nil
  ) {
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
  }
}

/// The challenge and the origin, which a passkey signs (WebAuthn Level 2, sections 5.8.1 and 5.8.1.1).
///
/// Platforms make their own client data from the challenge. Other authenticators use this one.
public struct PasskeyClientData: Sendable, Hashable {
  /// The JSON object, which must be sent unchanged.
  public let json: [UInt8]

  /// The SHA-256 hash of ``json``, 32 bytes.
  public var hash: [UInt8] { HashFunction.sha256.hash(json) }

  /// The type is `webauthn.create` or `webauthn.get`.
  init(_ type: String, challenge: [UInt8], origin: Origin) {
    // The order is the standard's, because some servers compare bytes.
    let object: JSONValue = [
      "type": .string(type), "challenge": .string(Base64URL.encode(challenge)),
      "origin": .string(origin.description), "crossOrigin": false,
    ]
    json = object.bytes
  }
}

/// Why a passkey could not be created or could not sign.
public struct PasskeyError: CodedError, Hashable {
  /// What went wrong; a provider may add its own.
  public struct Code: OpenSet {
    /// The name of the code.
    public let rawValue: String
    /// Creates a code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The programs that reach a security key are not installed.
    public static let notInstalled: Code = "not_installed"
    /// No key can be reached.
    public static let noKey: Code = "no_key"
    /// There are several keys, and it is unclear which one to use.
    public static let severalKeys: Code = "several_keys"
    /// The key has none of the passkeys that the server accepts.
    public static let unknownCredential: Code = "unknown_credential"
    /// The key already has a passkey for this account.
    public static let alreadyRegistered: Code = "already_registered"
    /// The person canceled.
    public static let cancelled: Code = "cancelled"
    /// The person cannot be asked now, such as by an app in the background.
    public static let notInteractive: Code = "not_interactive"
    /// The person did not respond in time.
    public static let timedOut: Code = "timed_out"
    /// The key could not verify the person, for example by a PIN.
    public static let notVerified: Code = "not_verified"
    /// The server requires a kind of passkey that the key cannot create.
    public static let unsupported: Code = "unsupported"
    /// The passkey would be for a site that does not belong to the org.
    public static let siteRefused: Code = "site_refused"
    /// The server's request is incomplete or damaged.
    public static let unreadableRequest: Code = "unreadable_request"
    /// The key, or the software between it and this package, failed.
    public static let failed: Code = "failed"
  }

  /// What went wrong.
  public let code: Code
  /// What happened and what to do about it.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
