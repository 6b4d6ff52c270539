public import IDXBase
public import IDXFlow
public import IDXOAuth

/// An authenticator in memory that creates passkeys and signs with them, for tests and demos.
///
/// It does not ask the user, and its passkeys are not protected. It creates only ES256 keys.
///
///     let org = SimulatedOrg(OrgScenario["passkey"])
///     let person = ScriptedFrontEnd(replies, passkeys: SoftwareAuthenticator.demo)
///     let handlers = Handlers.showing(Screens(canUsePasskeys: true), on: person)
public actor SoftwareAuthenticator: PasskeyProvider {
  /// The attestation of new passkeys.
  public enum Attestation: Sendable, Hashable, CaseIterable {
    /// No attestation (format `none`).
    case none
    /// Self attestation by the passkey (format `packed`).
    case itself
  }

  /// The passkeys, oldest first.
  public private(set) var credentials: [Credential]

  private let attestation: Attestation
  private let verifiesUser: Bool
  private let random: RandomBytes
  /// How often each passkey has signed, by its id.
  private var counters: [[UInt8]: UInt32] = [:]

  /// Creates an authenticator.
  ///
  /// - Parameters:
  ///   - credentials: The passkeys, oldest first.
  ///   - attestation: The attestation of new passkeys, if the server asks for one.
  ///   - verifiesUser: Whether it reports that it has verified the user, if the server asks for that.
  ///   - random: The random bytes for new passkeys.
  public init(
    _ credentials: [Credential] = [], attestation: Attestation = .none, verifiesUser: Bool = true,
    random: RandomBytes = .system
  ) {
    self.credentials = credentials
    self.attestation = attestation
    self.verifiesUser = verifiesUser
    self.random = random
  }

  /// Creates and stores a passkey.
  ///
  /// Throws a ``/IDXFlow/PasskeyError`` if it has one of the excluded passkeys, if the server does not accept
  /// ES256, or if the server requires user verification and it cannot verify the user.
  public func register(_ request: PasskeyCreationOptions) throws -> PasskeyAttestation {
    let excluded = Set(request.excluded.map(\.id))
    guard !credentials.contains(where: { $0.site == request.site && excluded.contains($0.id) })
    else {
      throw PasskeyError(.alreadyRegistered, "This key is already set up for \(request.site).")
    }
    guard request.algorithms.isEmpty || request.algorithms.contains(-7) else {
      throw PasskeyError(.unsupported, "\(request.site) accepts no passkeys of this kind.")
    }
    let flags = try flags(for: request.userVerification)
    let credential = Credential(
      site: request.site, userHandle: request.user.id, id: random(32),
      privateKey: P256.privateKey(random))
    credentials.append(credential)
    let data = AuthenticatorData(
      site: request.site, flags: flags, counter: 0,
      attested: .init(credentialID: credential.id, publicKey: credential.publicKey)
    ).bytes
    let isAttested = attestation == .itself && request.attestation != "none"
    let signature = P256.sign(data + request.clientData.hash, with: credential.privateKey).der
    let object = CBOR.attestation(
      format: isAttested ? "packed" : "none",
      statement: isAttested ? ["alg": -7, "sig": .bytes(signature)] : [:], authenticatorData: data)
    return PasskeyAttestation(
      clientData: request.clientData.json, attestationObject: object.encoded,
      transports: ["internal"])
  }

  /// Signs with the newest passkey that the request allows.
  ///
  /// Throws a ``/IDXFlow/PasskeyError`` if there is none, or if the server requires user verification and it
  /// cannot verify the user.
  public func sign(_ request: PasskeyRequestOptions) throws -> PasskeyAssertion {
    let allowed = Set(request.allowed.map(\.id))
    let credential = credentials.last {
      $0.site == request.site && (allowed.isEmpty || allowed.contains($0.id))
    }
    guard let credential else {
      throw PasskeyError(
        .unknownCredential, "This key has no passkey that \(request.site) accepts.")
    }
    let flags = try flags(for: request.userVerification)
    let counter = (counters[credential.id] ?? 0) + 1
    counters[credential.id] = counter
    let data = AuthenticatorData(site: request.site, flags: flags, counter: counter).bytes
    let signature = P256.sign(data + request.clientData.hash, with: credential.privateKey)
    return PasskeyAssertion(
      clientData: request.clientData.json, authenticatorData: data, signature: signature.der,
      userHandle: credential.userHandle)
  }

  private func flags(for verification: PasskeyRequirement) throws -> AuthenticatorData.Flags {
    guard verification != .required || verifiesUser else {
      throw PasskeyError(.notVerified, "This key cannot verify its user.")
    }
    return verifiesUser && verification != .discouraged
      ? [.userPresent, .userVerified] : .userPresent
  }
}

extension SoftwareAuthenticator {
  /// A passkey: a key pair for one site and one account.
  public struct Credential: Sendable, Hashable {
    /// The site that it is for, such as `demo.okta.example`.
    public let site: String
    /// The ID of the account, from the server.
    public let userHandle: [UInt8]
    /// The ID of the passkey.
    public let id: [UInt8]

    let privateKey: [UInt8]

    init(site: String, userHandle: [UInt8], id: [UInt8], privateKey: [UInt8]) {
      self.site = site
      self.userHandle = userHandle
      self.id = id
      self.privateKey = privateKey
    }

    package var publicKey: P256.PublicKey { P256.publicKey(of: privateKey) }

    /// Creates a passkey from a word; the same word gives the same passkey.
    public init(site: String, userHandle: [UInt8], madeOf word: String) {
      func bytes(_ use: String) -> [UInt8] {
        HashFunction.sha256.hash(Array("\(use) of \(word)".utf8))
      }
      self.init(
        site: site, userHandle: userHandle, id: bytes("id"), privateKey: bytes("key"))
    }
  }
}

extension SoftwareAuthenticator.Credential: Redacted {
  /// The site, without the key.
  public var description: String { "passkey for \(site)" }
}
