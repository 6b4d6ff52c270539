/// What can be wrong with the ID tokens of a ``SimulatedOrg``.
///
/// Each stands for one thing that whoever takes an ID token has to find (OpenID Connect Core,
/// section 3.1.3.7); all else about the token is right.
public enum IDTokenFlaw: String, Sendable, Hashable, CaseIterable {
  /// The answer holds no ID token.
  case absent
  /// The token is not three parts of Base64URL.
  case malformed
  /// The header names a published key, but another key has signed.
  case wrongKey
  /// The header names the key that has signed, which is not published.
  case unknownKeyID
  /// The header names no key.
  case missingKeyID
  /// The header says `none`, and the signature is empty.
  case algorithmNone
  /// The header says `HS256`, and the public key's modulus is the secret.
  case algorithmHS256
  /// A byte of the claims was changed after they were signed.
  case changedPayload
  /// A byte of the signature was changed.
  case changedSignature
  /// `iss` is another issuer.
  case wrongIssuer
  /// `aud` is another client.
  case wrongAudience
  /// `aud` names two clients, and there is no `azp`.
  case missingAuthorizedParty
  /// `aud` names two clients, and `azp` is the other one.
  case wrongAuthorizedParty
  /// `sub` is empty.
  case emptySubject
  /// `sub` is somebody else, which shows only beside another answer about the same person.
  case wrongSubject
  /// `nonce` is not the one that was sent, also where none was.
  case wrongNonce
  /// There is no `nonce`, though one was sent.
  case missingNonce
  /// `at_hash` is that of another access token.
  case wrongAccessTokenHash
  /// `exp` was a day ago, and `iat` a day and an hour.
  case expired
  /// `exp` is missing.
  case missingExpiry
  /// `iat` is a day ahead, and `exp` a day and an hour.
  case issuedAhead
  /// `iat` was a day ago, `exp` is right.
  case issuedLongAgo
  /// `auth_time` was a year ago, which matters to who has sent `max_age`.
  case oldAuthentication
  /// There is no `auth_time`, which matters to who has sent `max_age`.
  case missingAuthentication
}
