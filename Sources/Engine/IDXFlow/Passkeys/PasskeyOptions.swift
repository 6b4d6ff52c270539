import IDX
public import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The server's options for a new passkey.
///
/// Source: WebAuthn Level 2, section 5.4. In a response: `contextualData.activationData`.
public struct PasskeyCreationOptions: Sendable, Hashable {
  /// The user account of the passkey.
  public struct User: Sendable, Hashable {
    /// The user handle, which the key stores and which is not for display (`user.id`).
    public let id: [UInt8]
    /// The username (`user.name`).
    public let name: String
    /// The name of the person (`user.displayName`).
    public let displayName: String

    /// Creates a user account.
    public init(id: [UInt8], name: String, displayName: String) {
      self.id = id
      self.name = name
      self.displayName = displayName
    }
  }

  /// The site of the passkey: the host of the issuer, or a domain above it (`rp.id`, the relying party ID).
  public let site: String
  /// The name of the site for a person (`rp.name`).
  public let siteName: String
  /// The user account of the passkey.
  public let user: User
  /// Random bytes of the server, which the client data contains (`challenge`).
  public let challenge: [UInt8]
  /// The client data for the challenge, for providers that do not make their own.
  public let clientData: PasskeyClientData
  /// The algorithms that the server accepts, best first: -7 is ES256, -257 RS256, -8 EdDSA
  /// (`pubKeyCredParams[*].alg`).
  public let algorithms: [Int]
  /// The passkeys that the account already has, so that a key creates no second one (`excludeCredentials`).
  public let excluded: [PasskeyDescriptor]
  /// Whether the key must verify the person (`authenticatorSelection.userVerification`).
  public let userVerification: PasskeyRequirement
  /// Whether the key must store the account, so that no username has to be typed
  /// (`authenticatorSelection.residentKey`, or `requireResidentKey` from older servers).
  public let residentKey: PasskeyRequirement
  /// The attestation that the server wants (`attestation`): `none`, `indirect`, `direct` or `enterprise`.
  public let attestation: String
  /// How long the server waits (`timeout`); nil if it does not say.
  public let timeout: Duration?

  /// Creates options for an ES256 passkey at an issuer, for a preview or a test.
  public init(site: String, issuer: URL, user: User, challenge: [UInt8]) {
    self.site = site
    self.user = user
    self.challenge = challenge
    siteName = site
    clientData = PasskeyClientData("webauthn.create", challenge: challenge, origin: Origin(issuer))
    algorithms = [-7]
    excluded = []
    userVerification = .preferred
    residentKey = .preferred
    attestation = "none"
    timeout = nil
  }

  /// Reads the options of a step.
  ///
  /// Throws a ``PasskeyError`` with the code `unreadableRequest` if the step does not set up a passkey or the
  /// options are damaged, or with the code `siteRefused`.
  public init(_ step: Step) throws(PasskeyError) {
    guard let data = step.authenticator?.webAuthnActivation, data.object != nil else {
      throw PasskeyError(.unreadableRequest, "The server does not say how to set up a passkey.")
    }
    let parser = PasskeyOptionsParser(data: data, origin: Origin(step.state.configuration.issuer))
    site = try parser.site
    siteName = data["rp"]?["name"]?.string ?? site
    guard let userID = data["user"]?["id"]?.string, !userID.isEmpty else {
      throw PasskeyError(
        .unreadableRequest, "The server does not name the account for the passkey.")
    }
    let name = data["user"]?["name"]?.string ?? ""
    user = User(
      // Like in browsers, the decoded bytes if the ID is Base64url; otherwise its text.
      id: Base64URL.decode(userID) ?? Array(userID.utf8), name: name,
      displayName: data["user"]?["displayName"]?.string ?? name)
    challenge = try parser.challenge
    clientData = PasskeyClientData("webauthn.create", challenge: challenge, origin: parser.origin)
    algorithms = (data["pubKeyCredParams"]?.array ?? []).compactMap { $0["alg"]?.integer }
    excluded = PasskeyOptionsParser.descriptors(data["excludeCredentials"])
    let selection = data["authenticatorSelection"]
    userVerification = PasskeyRequirement(selection?["userVerification"]) ?? .preferred
    residentKey =
      PasskeyRequirement(selection?["residentKey"])
      ?? (selection?["requireResidentKey"]?.bool == true ? .required : .discouraged)
    attestation = data["attestation"]?.string ?? "none"
    timeout = parser.timeout
  }
}

/// The server's options for a signature by a passkey.
///
/// Source: WebAuthn Level 2, section 5.5. In a response: `contextualData.challengeData`, or
/// `webauthnAutofillUIChallenge` before a username is entered.
public struct PasskeyRequestOptions: Sendable, Hashable {
  /// The site of the passkey: the host of the issuer, or a domain above it (`rpId`, the relying party ID).
  public let site: String
  /// Random bytes of the server, to be signed with the client data (`challenge`).
  public let challenge: [UInt8]
  /// The client data for the challenge, for providers that do not make their own.
  public let clientData: PasskeyClientData
  /// The passkeys of the account, from `allowCredentials` or from the enrolled authenticators; empty if any
  /// passkey that the key stores for the site may be used.
  public let allowed: [PasskeyDescriptor]
  /// Whether the key must verify the person (`userVerification`).
  public let userVerification: PasskeyRequirement
  /// How long the server waits (`timeout`); nil if it does not say.
  public let timeout: Duration?

  /// Creates options for a signature at an issuer, for a preview or a test.
  public init(site: String, issuer: URL, challenge: [UInt8], allowed: [PasskeyDescriptor] = []) {
    self.site = site
    self.challenge = challenge
    self.allowed = allowed
    clientData = PasskeyClientData("webauthn.get", challenge: challenge, origin: Origin(issuer))
    userVerification = .preferred
    timeout = nil
  }

  /// Reads the options of a step.
  ///
  /// Throws a ``PasskeyError`` with the code `unreadableRequest` if the step asks for no signature or the
  /// options are damaged, or with the code `siteRefused`.
  public init(_ step: Step) throws(PasskeyError) {
    let isAutofill = [.launchPasskeysAuthenticator, .challengeWebAuthnAutofill]
      .contains(step.remediation.name)
    let found =
      isAutofill
      ? step.response.webAuthnAutofillChallenge : step.authenticator?.webAuthnChallenge
    guard let data = found, data.object != nil else {
      throw PasskeyError(.unreadableRequest, "The server does not say what the passkey must sign.")
    }
    let parser = PasskeyOptionsParser(data: data, origin: Origin(step.state.configuration.issuer))
    site = try parser.site
    challenge = try parser.challenge
    clientData = PasskeyClientData("webauthn.get", challenge: challenge, origin: parser.origin)
    let named = PasskeyOptionsParser.descriptors(data["allowCredentials"])
    let enrolled = step.response.authenticators(in: .authenticatorEnrollments).compactMap {
      authenticator -> PasskeyDescriptor? in
      guard authenticator.key == .webAuthn || authenticator.key == nil else { return nil }
      return authenticator.credentialID.flatMap(PasskeyOptionsParser.bytes).map {
        PasskeyDescriptor(id: $0, transports: authenticator.transports)
      }
    }
    allowed = isAutofill || !named.isEmpty ? named : enrolled
    userVerification = PasskeyRequirement(data["userVerification"]) ?? .preferred
    timeout = parser.timeout
  }
}

/// Whether the server requires a feature of the key (WebAuthn Level 2, sections 5.4.6 and 5.8.6).
public struct PasskeyRequirement: OpenSet {
  /// The value on the wire.
  public let rawValue: String
  /// Creates a requirement from its value on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The feature is required.
  public static let required: Self = "required"
  /// The feature is used if the key has it.
  public static let preferred: Self = "preferred"
  /// The feature is not used unless the key needs it.
  public static let discouraged: Self = "discouraged"

  fileprivate init?(_ json: JSONValue?) {
    guard let word = json?.string else { return nil }
    self.init(rawValue: word)
  }
}

/// Identifies a passkey (WebAuthn Level 2, section 5.8.3).
public struct PasskeyDescriptor: Sendable, Hashable {
  /// The credential ID, which the key chose (`id`).
  public let id: [UInt8]
  /// How the key can be reached, such as `usb`; empty if the server does not say.
  public let transports: [String]

  /// Creates a descriptor.
  public init(id: [UInt8], transports: [String] = []) {
    self.id = id
    self.transports = transports
  }
}

/// Reads what `activationData` and `challengeData` have in common.
struct PasskeyOptionsParser {
  let data: JSONValue
  let origin: Origin

  /// The relying party ID: the one that the server names, the host of its app ID if that belongs to the
  /// org, or the issuer's host.
  ///
  /// An ID that is neither the issuer's host nor a domain above it is refused, because a signature for
  /// another site would sign in there. A top-level domain is refused too. Source: WebAuthn Level 2,
  /// section 5.1.3, step 8.
  ///
  /// A browser also refuses other public suffixes, such as `co.uk`, by a list that this package does not
  /// have. No site can have passkeys for them, because no browser creates one.
  var site: String {
    get throws(PasskeyError) {
      if let named = data["rp"]?["id"]?.string ?? data["rpId"]?.string {
        let site = named.lowercased()
        guard belongsToIssuer(site) else {
          throw PasskeyError(
            .siteRefused,
            "The server asks for a passkey for “\(named.printable)”, which is not its own site.")
        }
        return site
      }
      let appID = data["u2fParams"]?["appid"]?.string ?? data["extensions"]?["appid"]?.string
      let host = appID.flatMap { URL(string: $0)?.host }?.lowercased()
      return host.flatMap { belongsToIssuer($0) ? $0 : nil } ?? origin.host
    }
  }

  var challenge: [UInt8] {
    get throws(PasskeyError) {
      guard let text = data["challenge"]?.string, let bytes = Self.bytes(text), !bytes.isEmpty
      else {
        throw PasskeyError(.unreadableRequest, "The server's challenge for a passkey is damaged.")
      }
      return bytes
    }
  }

  var timeout: Duration? {
    data["timeout"]?.integer.flatMap { $0 > 0 ? .milliseconds($0) : nil }
  }

  /// Whether a site is the issuer's host or a domain above it, with two labels at least.
  private func belongsToIssuer(_ site: String) -> Bool {
    if site == origin.host { return true }
    let labels = site.split(separator: ".")
    // An IP address has no domain above it.
    return labels.count > 1 && labels.last?.allSatisfy(\.isNumber) == false
      && origin.host.hasSuffix("." + site)
  }

  /// Decodes Base64 or Base64url, with or without padding.
  static func bytes(_ text: String) -> [UInt8]? {
    Base64URL.decode(
      text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
  }

  static func descriptors(_ list: JSONValue?) -> [PasskeyDescriptor] {
    (list?.array ?? []).compactMap { entry in
      entry["id"]?.string.flatMap(bytes).map {
        PasskeyDescriptor(
          id: $0, transports: entry["transports"]?.array?.compactMap(\.string) ?? [])
      }
    }
  }
}
