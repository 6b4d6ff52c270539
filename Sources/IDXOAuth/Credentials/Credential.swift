public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Who is signed in where, as which app, and the tokens that prove it.
///
/// It can be encoded and decoded. The encoded form holds the tokens in the clear, so it belongs into a
/// ``CredentialStore``.
public struct Credential: Sendable, Hashable, Identifiable {
  /// What tells credentials apart: the org, the app and the person.
  public struct ID: Sendable, Hashable, Codable {
    /// The issuer, as in the claim `iss`.
    public let issuer: URL
    /// The id of the app.
    public let clientID: String
    /// The person, by the claim `sub` of a validated ID token; nil where the server sent none.
    public let subject: String?

    /// An id of these parts.
    public init(issuer: URL, clientID: String, subject: String?) {
      self.issuer = issuer
      self.clientID = clientID
      self.subject = subject
    }
  }

  /// The version of the encoded form that this package writes.
  public static let formatVersion = 1

  /// The org, the app and the person.
  public let id: ID
  /// What the person is called at a sign-in, such as `ada@example.com`; nil where nobody said.
  public let username: String?
  /// The tokens, and the scopes that they are good for.
  public let tokens: Tokens
  /// When the tokens came, by this machine's clock.
  public let receivedAt: Date
  /// When the person signed in, by the server's clock (`auth_time`); nil where it does not say.
  public let authenticatedAt: Date?
  /// What an ID token must carry as `nonce` where it carries one; nil where none was sent.
  public let nonce: Secret?

  /// A credential of these parts.
  public init(
    id: ID, username: String? = nil, tokens: Tokens, receivedAt: Date,
    authenticatedAt: Date? = nil, nonce: Secret? = nil
  ) {
    self.id = id
    self.username = username
    self.tokens = tokens
    self.receivedAt = receivedAt
    self.authenticatedAt = authenticatedAt
    self.nonce = nonce
  }

  /// What the tokens are good for, in the server's order.
  public var scopes: [String] { tokens.scopes }

  /// When the access token ceases to stand, by this machine's clock; nil where the server did not say.
  public var expiresAt: Date? {
    tokens.expiresIn.map { receivedAt.addingTimeInterval(TimeInterval($0)) }
  }

  /// Whether the access token stands at a moment, and for so many seconds more.
  ///
  /// True where the server did not say how long it stands. False where the moment is before the
  /// tokens came, by more than five minutes: the clock was set back, and tells nothing.
  public func isValid(at date: Date, for seconds: TimeInterval = 0) -> Bool {
    guard date.addingTimeInterval(300) > receivedAt else { return false }
    return expiresAt.map { date.addingTimeInterval(seconds) < $0 } ?? true
  }
}

extension Credential.ID {
  /// Whether the parts are the same, byte by byte: strings compare equal where they look the same,
  /// and these would be different people.
  public static func == (left: Self, right: Self) -> Bool { left.parts == right.parts }

  /// Hashes the bytes that are compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  private var parts: [[UInt8]?] {
    [issuer.absoluteString, clientID, subject].map { $0.map { Array($0.utf8) } }
  }
}

extension Credential: Redacted {
  /// Who and where, without the tokens.
  public var description: String {
    "credential of \((username ?? id.subject ?? "someone").printable) at \(id.issuer)"
  }
}

extension Credential: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, issuer, clientID, subject, username, tokens, receivedAt, authenticatedAt, nonce
  }

  /// Reads a credential that this version or an older one wrote.
  ///
  /// Throws a ``CredentialStoreError`` with the code `newer` where a newer version wrote it, a
  /// `DecodingError` where it is damaged.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version <= Self.formatVersion else {
      throw CredentialStoreError(
        .newer,
        "The credential has format \(version), and this version reads up to "
          + "\(Self.formatVersion). Use the version that wrote it.")
    }
    guard version > 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "There is no such format.")
    }
    func date(_ key: CodingKeys) throws -> Date? {
      try container.decodeIfPresent(Double.self, forKey: key).map(Date.init(timeIntervalSince1970:))
    }
    self.init(
      id: ID(
        issuer: try container.decode(URL.self, forKey: .issuer),
        clientID: try container.decode(String.self, forKey: .clientID),
        subject: try container.decodeIfPresent(String.self, forKey: .subject)),
      username: try container.decodeIfPresent(String.self, forKey: .username),
      tokens: try container.decode(Tokens.self, forKey: .tokens),
      receivedAt: Date(
        timeIntervalSince1970: try container.decode(Double.self, forKey: .receivedAt)),
      authenticatedAt: try date(.authenticatedAt),
      nonce: try container.decodeIfPresent(Secret.self, forKey: .nonce))
  }

  /// Writes the credential, its tokens in the clear; times are seconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.formatVersion, forKey: .version)
    try container.encode(id.issuer, forKey: .issuer)
    try container.encode(id.clientID, forKey: .clientID)
    try container.encodeIfPresent(id.subject, forKey: .subject)
    try container.encodeIfPresent(username, forKey: .username)
    try container.encode(tokens, forKey: .tokens)
    try container.encode(receivedAt.timeIntervalSince1970, forKey: .receivedAt)
    try container.encodeIfPresent(authenticatedAt?.timeIntervalSince1970, forKey: .authenticatedAt)
    try container.encodeIfPresent(nonce, forKey: .nonce)
  }
}
