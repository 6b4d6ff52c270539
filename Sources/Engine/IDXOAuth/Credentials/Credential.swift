public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The tokens of one person for one app at one org.
///
/// Encoding writes the tokens in the clear: keep the result in a ``CredentialStore``.
public struct Credential: Sendable, Hashable, Identifiable {
  /// Identifies a credential by the org, the app, the person, and a label.
  public struct ID: Sendable, Hashable, Codable {
    /// The issuer, as in the claim `iss`.
    public let issuer: URL
    /// The app's client ID.
    public let clientID: String
    /// The person: the claim `sub` of the checked ID token; nil if the server sent no ID token.
    public let subject: String?
    /// Keeps several credentials of the same person and app apart, such as those with other scopes; nil, the
    /// default, if there is one at most.
    public let label: String?

    /// Creates an ID.
    public init(issuer: URL, clientID: String, subject: String?, label: String? = nil) {
      self.issuer = issuer
      self.clientID = clientID
      self.subject = subject
      self.label = label
    }
  }

  /// The newest version of the encoded form that this package writes: 3.
  ///
  /// Version 2 added the key of tokens, and version 3 the label. The oldest one that suffices is written, so that
  /// older versions of the package can read it.
  public static let formatVersion = 3

  /// The org, the app and the person.
  public private(set) var id: ID
  /// The username, such as `ada@example.com`; nil if unknown.
  public let username: String?
  /// The tokens and their scopes.
  public let tokens: Tokens
  /// The time when the tokens came, by this computer's clock.
  public let receivedAt: Date
  /// The time when the person signed in (`auth_time`), by the server's clock; nil if unknown.
  public let authenticatedAt: Date?
  /// The `nonce` of the ID token, which a later ID token must repeat if it has one.
  public let nonce: Secret?
  /// The time when the server refused the tokens, by this computer's clock; nil if it has not.
  ///
  /// A refused credential is never valid again. A new sign-in replaces it.
  public let refusedAt: Date?
  /// Secrets that other services gave for the tokens, by name; a refresh keeps them.
  ///
  /// They are as safe as the tokens, because they are saved, replaced and removed together with them. After a
  /// refusal there are none.
  package var attachments: [String: Secret] = [:]

  /// Creates a credential; its times are rounded to what is saved, so that a saved credential is equal to this one.
  public init(
    id: ID, username: String? = nil, tokens: Tokens, receivedAt: Date,
    authenticatedAt: Date? = nil, nonce: Secret? = nil, refusedAt: Date? = nil
  ) {
    self.id = id
    self.username = username
    self.tokens = tokens
    self.receivedAt = receivedAt.asSaved
    self.authenticatedAt = authenticatedAt?.asSaved
    self.nonce = nonce
    self.refusedAt = refusedAt?.asSaved
  }

  /// The same credential after the server has refused its tokens.
  public func refused(at date: Date) -> Credential {
    Credential(
      id: id, username: username, tokens: tokens, receivedAt: receivedAt,
      authenticatedAt: authenticatedAt, nonce: nonce, refusedAt: refusedAt ?? date)
  }

  /// The same credential with another label in its ID, to save it beside others of the same person and app.
  public func labeled(_ label: String?) -> Credential {
    var copy = self
    copy.id = ID(issuer: id.issuer, clientID: id.clientID, subject: id.subject, label: label)
    return copy
  }

  /// The claims of the ID token (OpenID Connect Core 1.0, section 2), as an object; nil if there is no ID token
  /// that can be read.
  ///
  /// The token was checked when it came, so they can also be read later, without the network. They are as old as the
  /// token: `auth_time`, `groups` and others can be different at the server now.
  public var claims: JSONValue? {
    tokens.idToken.flatMap { try? JWT(parsing: $0) }
      .flatMap { try? JSONValue(parsing: $0.payload) }
  }

  /// The granted scopes, in the server's order.
  public var scopes: [String] { tokens.scopes }

  /// The time when the access token expires, by this computer's clock; nil if the server did not say.
  public var expiresAt: Date? {
    tokens.expiresIn.map { receivedAt.addingTimeInterval(TimeInterval($0)) }
  }

  /// Whether the access token is valid at a time, and for this many seconds after it.
  ///
  /// True if the server did not say when it expires. False if the server has refused the tokens, or if the
  /// time is more than five minutes before the tokens came, because the clock must have been set back.
  public func isValid(at date: Date, for seconds: TimeInterval = 0) -> Bool {
    guard refusedAt == nil, date.addingTimeInterval(300) > receivedAt else { return false }
    return expiresAt.map { date.addingTimeInterval(seconds) < $0 } ?? true
  }

  /// How many seconds before its end the access token should be refreshed: at most a tenth of its lifetime.
  package func margin(atMost seconds: TimeInterval) -> TimeInterval {
    tokens.expiresIn.map { min(seconds, TimeInterval($0) / 10) } ?? seconds
  }
}

extension Date {
  /// The time in seconds since 1970 as a `Double`, which has one bit less for it than a `Date` has.
  fileprivate var asSaved: Date { Date(timeIntervalSince1970: timeIntervalSince1970) }
}

extension Credential.ID {
  /// Whether all parts have the same bytes.
  ///
  /// Strings are also equal if they only look the same, and could name different people.
  public static func == (left: Self, right: Self) -> Bool { left.parts == right.parts }

  /// Hashes the bytes that are compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  private var parts: [[UInt8]?] {
    [issuer.absoluteString, clientID, subject, label].map { $0.map { Array($0.utf8) } }
  }
}

extension Credential: Redacted {
  /// The username and the issuer.
  public var description: String {
    "credential of \((username ?? id.subject ?? "someone").printable) at \(id.issuer)"
  }
}

extension Credential: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, issuer, clientID, subject, label, username, tokens, receivedAt
    case authenticatedAt, nonce, refusedAt, attachments
  }

  /// Reads a credential that this version or an older one wrote.
  ///
  /// Throws ``CredentialStoreError/Code/newer`` if a newer version wrote it, and a `DecodingError` if it
  /// is damaged.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version <= Self.formatVersion else {
      throw CredentialStoreError(
        .newer,
        "The credential has format \(version), but this version reads only formats up to"
          + " \(Self.formatVersion). Use the version that wrote it.")
    }
    guard version > 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "This format does not exist.")
    }
    func date(_ key: CodingKeys) throws -> Date? {
      try container.decodeIfPresent(Double.self, forKey: key).map(Date.init(timeIntervalSince1970:))
    }
    self.init(
      id: ID(
        issuer: try container.decode(URL.self, forKey: .issuer),
        clientID: try container.decode(String.self, forKey: .clientID),
        subject: try container.decodeIfPresent(String.self, forKey: .subject),
        label: try container.decodeIfPresent(String.self, forKey: .label)),
      username: try container.decodeIfPresent(String.self, forKey: .username),
      tokens: try container.decode(Tokens.self, forKey: .tokens),
      receivedAt: Date(
        timeIntervalSince1970: try container.decode(Double.self, forKey: .receivedAt)),
      authenticatedAt: try date(.authenticatedAt),
      nonce: try container.decodeIfPresent(Secret.self, forKey: .nonce),
      refusedAt: try date(.refusedAt))
    attachments =
      try container.decodeIfPresent([String: Secret].self, forKey: .attachments) ?? [:]
  }

  /// Writes the credential, with its tokens in the clear and times in seconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // Older versions would use bound tokens without their key, and take a credential for another one.
    let version = id.label != nil ? Self.formatVersion : tokens.key != nil ? 2 : 1
    try container.encode(version, forKey: .version)
    try container.encode(id.issuer, forKey: .issuer)
    try container.encode(id.clientID, forKey: .clientID)
    try container.encodeIfPresent(id.subject, forKey: .subject)
    try container.encodeIfPresent(id.label, forKey: .label)
    try container.encodeIfPresent(username, forKey: .username)
    try container.encode(tokens, forKey: .tokens)
    try container.encode(receivedAt.timeIntervalSince1970, forKey: .receivedAt)
    try container.encodeIfPresent(authenticatedAt?.timeIntervalSince1970, forKey: .authenticatedAt)
    try container.encodeIfPresent(nonce, forKey: .nonce)
    try container.encodeIfPresent(refusedAt?.timeIntervalSince1970, forKey: .refusedAt)
    if !attachments.isEmpty { try container.encode(attachments, forKey: .attachments) }
  }
}
