import IDXOAuth
import IDX

/// What a server wants of a new passkey.
///
/// Source: WebAuthn Level 2, section 5.4; protocol section 4 (`contextualData.activationData`).
public struct PasskeyCreationOptions: Sendable, Hashable {
  /// Whose passkey it will be.
  public struct User: Sendable, Hashable {
    /// What the key keeps to tell accounts apart (`user.id`); not for a person.
    public let id: [UInt8]
    /// The user name (`user.name`).
    public let name: String
    /// What the person is called (`user.displayName`).
    public let displayName: String
  }

  /// The site that the passkey is for: a host name.
  public let site: String
  /// What a person calls the site (`rp.name`).
  public let siteName: String
  /// Whose passkey it will be.
  public let user: User
  /// What to prove the passkey with.
  public let challenge: [UInt8]
  /// The client data that goes with the challenge, for providers that do not make their own.
  public let clientData: PasskeyClientData
  /// The algorithms that the server takes, best first: -7 is ES256, -257 RS256, -8 EdDSA
  /// (`pubKeyCredParams[*].alg`).
  public let algorithms: [Int]
  /// The passkeys of the account, none of which is to be replaced by the new one.
  public let excluded: [PasskeyDescriptor]
  /// Whether the key is to find out who uses it (`authenticatorSelection.userVerification`).
  public let userVerification: PasskeyRequirement
  /// Whether the key is to remember the account, so that nobody must type a user name
  /// (`authenticatorSelection.residentKey`, or `requireResidentKey` as older servers write it).
  public let residentKey: PasskeyRequirement
  /// Whether the maker of the key is to vouch for it (`attestation`): `none`, `indirect`, `direct`,
  /// `enterprise`.
  public let attestation: String
  /// How long the server will wait; nil where it does not say.
  public let timeout: Duration?

  /// What the step wants of a new passkey.
  ///
  /// Throws a ``PasskeyError`` where the step is about none, or where the server's request cannot be
  /// followed.
  public init(_ step: Step) throws(PasskeyError) {
    guard let data = step.authenticator?.webAuthnActivation, data.object != nil else {
      throw PasskeyError(.unreadableRequest, "The server does not say how to set up a passkey.")
    }
    let reading = PasskeyOptionsParser(data, origin: Origin(step.state.configuration.issuer))
    site = try reading.site
    siteName = data["rp"]?["name"]?.string ?? site
    guard let userID = data["user"]?["id"]?.string, !userID.isEmpty else {
      throw PasskeyError(.unreadableRequest, "The server does not say whose passkey it will be.")
    }
    let name = data["user"]?["name"]?.string ?? ""
    user = User(
      id: PasskeyOptionsParser.userID(userID), name: name,
      displayName: data["user"]?["displayName"]?.string ?? name)
    challenge = try reading.challenge
    clientData = PasskeyClientData(
      .create, challenge: challenge, origin: reading.origin.description)
    algorithms = (data["pubKeyCredParams"]?.array ?? []).compactMap { $0["alg"]?.integer }
    excluded = PasskeyOptionsParser.descriptors(data["excludeCredentials"])
    let selection = data["authenticatorSelection"]
    userVerification = PasskeyRequirement(selection?["userVerification"]) ?? .preferred
    residentKey =
      PasskeyRequirement(selection?["residentKey"])
      ?? (selection?["requireResidentKey"]?.bool == true ? .required : .discouraged)
    attestation = data["attestation"]?.string ?? "none"
    timeout = reading.timeout
  }
}

/// What a server wants signed by a passkey.
///
/// Source: WebAuthn Level 2, section 5.5; protocol section 4 (`contextualData.challengeData`, or
/// `webauthnAutofillUIChallenge` where nobody has said who signs in).
public struct PasskeyRequestOptions: Sendable, Hashable {
  /// The site that the passkey is for: a host name.
  public let site: String
  /// What to sign.
  public let challenge: [UInt8]
  /// The client data that goes with the challenge, for providers that do not make their own.
  public let clientData: PasskeyClientData
  /// The passkeys of the account; empty where any that the key remembers for the site will do.
  public let allowed: [PasskeyDescriptor]
  /// Whether the key is to find out who uses it (`userVerification`).
  public let userVerification: PasskeyRequirement
  /// How long the server will wait; nil where it does not say.
  public let timeout: Duration?

  /// What the step wants signed.
  ///
  /// Throws a ``PasskeyError`` where the step is about nothing to be signed, or where the server's
  /// request cannot be followed.
  public init(_ step: Step) throws(PasskeyError) {
    let isAutofill = Self.autofills.contains(step.remediation.name)
    let found =
      isAutofill
      ? step.response.webAuthnAutofillChallenge : step.authenticator?.webAuthnChallenge
    guard let data = found, data.object != nil else {
      throw PasskeyError(.unreadableRequest, "The server does not say what a passkey is to sign.")
    }
    let reading = PasskeyOptionsParser(data, origin: Origin(step.state.configuration.issuer))
    site = try reading.site
    challenge = try reading.challenge
    clientData = PasskeyClientData(.get, challenge: challenge, origin: reading.origin.description)
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
    timeout = reading.timeout
  }

  static let autofills: Set<Remediation.Name> = [
    .launchPasskeysAuthenticator, .challengeWebAuthnAutofill,
  ]
}
