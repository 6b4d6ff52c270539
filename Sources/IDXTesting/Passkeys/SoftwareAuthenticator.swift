public import IDXBase
public import IDXFlow
public import IDXOAuth

/// A key in memory that makes passkeys and signs with them, for tests and demonstrations.
///
/// It asks nobody and protects nothing: whoever can read the memory of the process has the passkeys.
/// It makes ES256 keys alone.
///
///     let org = SimulatedOrg(.passkey)
///     var handlers = Handlers.asking(prompter)
///     handlers.usePasskeys(SoftwareAuthenticator.demo, prompter: prompter)
public actor SoftwareAuthenticator: PasskeyProvider {
  /// Who vouches for the passkeys that are made.
  public enum Attestation: Sendable, Hashable, CaseIterable {
    /// Nobody (format `none`).
    case none
    /// The passkey itself (format `packed`, self attestation).
    case itself
  }

  /// The passkeys, oldest first.
  public private(set) var credentials: [Credential]

  private let attestation: Attestation
  private let verifiesUser: Bool
  private let random: RandomBytes
  /// How often each passkey has signed, by its id.
  private var counters: [[UInt8]: UInt32] = [:]

  /// A key with these passkeys.
  ///
  /// - Parameters:
  ///   - attestation: Who vouches for new passkeys; nobody where the server does not ask for it.
  ///   - verifiesUser: Whether it says that it was the right person, where the server wants to know.
  ///   - random: What new passkeys are made of.
  public init(
    _ credentials: [Credential] = [], attestation: Attestation = .none, verifiesUser: Bool = true,
    random: RandomBytes = .system
  ) {
    self.credentials = credentials
    self.attestation = attestation
    self.verifiesUser = verifiesUser
    self.random = random
  }

  /// A new key that holds the passkey of ``OrgScenario/passkey``.
  public static var demo: SoftwareAuthenticator { SoftwareAuthenticator([.demo]) }

  /// Makes a passkey and keeps it.
  ///
  /// Throws a ``PasskeyError`` where it holds one of those that are excluded, where the server does not
  /// take ES256, or where it cannot say who uses it and must.
  public func register(_ request: PasskeyCreationOptions) throws -> PasskeyAttestation {
    let excluded = Set(request.excluded.map(\.id))
    guard !credentials.contains(where: { $0.site == request.site && excluded.contains($0.id) })
    else {
      throw PasskeyError(.alreadyRegistered, "This key is set up for \(request.site) already.")
    }
    guard request.algorithms.isEmpty || request.algorithms.contains(-7) else {
      throw PasskeyError(.unsupported, "\(request.site) takes no passkeys of this kind.")
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
    let isVouched = attestation == .itself && request.attestation != "none"
    let signature = P256.sign(data + request.clientData.hash, with: credential.privateKey).der
    let object = CBOR.attestation(
      format: isVouched ? "packed" : "none",
      statement: isVouched ? ["alg": -7, "sig": .bytes(signature)] : [:], authenticatorData: data)
    return PasskeyAttestation(
      clientData: request.clientData.json, attestationObject: object.encoded,
      transports: ["internal"])
  }

  /// Signs with the newest passkey that the request allows.
  ///
  /// Throws a ``PasskeyError`` where there is none, or where it cannot say who uses it and must.
  public func sign(_ request: PasskeyRequestOptions) throws -> PasskeyAssertion {
    let allowed = Set(request.allowed.map(\.id))
    let credential = credentials.last {
      $0.site == request.site && (allowed.isEmpty || allowed.contains($0.id))
    }
    guard let credential else {
      throw PasskeyError(
        .unknownCredential, "This key has no passkey that \(request.site) would take.")
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

  private func flags(for demand: PasskeyRequirement) throws -> AuthenticatorData.Flags {
    guard demand != .required || verifiesUser else {
      throw PasskeyError(.notVerified, "This key cannot find out who uses it.")
    }
    return verifiesUser && demand != .discouraged ? [.userPresent, .userVerified] : .userPresent
  }
}

extension SoftwareAuthenticator {
  /// A passkey: a pair of keys for one site and one account.
  public struct Credential: Sendable, Hashable {
    /// The site that it is for, such as `demo.okta.example`.
    public let site: String
    /// Whom it belongs to, as the server said.
    public let userHandle: [UInt8]
    /// The id by which the server names it.
    public let id: [UInt8]

    let privateKey: [UInt8]
    let publicKey: P256.PublicKey

    init(site: String, userHandle: [UInt8], id: [UInt8], privateKey: [UInt8]) {
      self.site = site
      self.userHandle = userHandle
      self.id = id
      self.privateKey = privateKey
      publicKey = P256.publicKey(of: privateKey)
    }

    /// A passkey that follows from a word, for an account of a ``SimulatedOrg``.
    ///
    /// Who knows the word has the passkey, so that a test can tell the org of a passkey before
    /// anybody signs in.
    public init(site: String = "demo.okta.example", login: String, madeOf word: String) {
      func bytes(_ use: String) -> [UInt8] {
        HashFunction.sha256.hash(Array("\(use) of \(word)".utf8))
      }
      self.init(
        site: site, userHandle: OrgAccount.userHandle(of: login), id: bytes("id"),
        privateKey: bytes("key"))
    }

    /// The passkey of ``SimulatedUser/demo``.
    public static let demo = Credential(login: SimulatedUser.demo.login, madeOf: "demo")
  }
}

extension SoftwareAuthenticator.Credential: Redacted {
  /// The site, without the key.
  public var description: String { "passkey for \(site)" }
}
