import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// A token to give away: valid for at least a minute, as far as this is known.
struct FreshToken {
  static let typeOption = OptionSpec(
    "--type", value: "KIND", of: .oneOf(["access", "id", "refresh"]),
    "access (default), id or refresh")

  let kind: TokenKind
  let token: Secret
  let credential: Credential

  /// The kind that `--type` selects.
  static func kind(_ options: CommandLineOptions) -> TokenKind {
    switch options[typeOption] {
    case "id": .id
    case "refresh": .refresh
    default: .access
    }
  }

  /// Gets the token that the options select; refreshes tokens that are about to expire.
  ///
  /// Throws if the server issued no such token, if it has refused the credential, or if the access token cannot be
  /// used alone; its content can always be shown. `canProve` says that a proof of its key goes with it.
  init(
    _ access: CredentialAccess, _ options: CommandLineOptions, canProve: Bool = false
  ) async throws {
    let kind = Self.kind(options)
    let selected = try await access.selected()
    let credential = try await access.use(selected) { session in
      // Only the server knows whether a refresh token is valid.
      if kind == .refresh, selected.refusedAt == nil { return selected }
      return kind == .id ? try await Self.withIDToken(session) : try await session.valid()
    }
    guard let token = credential.tokens[kind] else {
      let scope = kind == .id ? "openid" : "offline_access"
      throw CommandFailure(
        .signInNeeded,
        "The server issued no \(kind.sentence). Sign in with the scope \(scope) to get one: \(access.text(of: credential).signInCommand(adding: [scope]))",
        code: Self.missingToken)
    }
    if kind == .id, !options.has(TokenCommand.decode) {
      try Self.checkIDToken(token, access.text(of: credential))
    }
    if kind == .access, !canProve, !options.has(TokenCommand.decode) {
      guard !credential.tokens.needsProof else { throw Self.needsProof }
    }
    self.kind = kind
    self.token = token
    self.credential = credential
  }

  /// The credential with an ID token that is valid for at least a minute, if the server sends a new one.
  static func withIDToken(_ session: CredentialSession) async throws -> Credential {
    let valid = try await session.valid()
    // An ID token can expire before the access token.
    guard let end = end(of: valid.tokens.idToken), end.timeIntervalSinceNow < margin else {
      return valid
    }
    return try await session.refresh()
  }

  /// Throws if an ID token has expired: nothing accepts it, and most programs do not say why.
  static func checkIDToken(_ token: Secret, _ text: CredentialText) throws {
    guard let end = end(of: token), end <= Date() else { return }
    throw CommandFailure(
      .signInNeeded, "The ID token has expired, and the server sends no new one.",
      code: "id_token_expired", remedy: "Sign in: \(text.signInCommand)")
  }

  /// The code of the failure for a token that the scopes of the sign-in do not bring.
  static let missingToken = "token_missing"

  private static let needsProof = CommandFailure(
    .unexpected,
    "The access token is bound to a key of this computer (DPoP), so another program cannot use it alone.",
    code: "bound_token",
    remedy: """
      To send a request with it, run
      idx-flow api URL
      For the header lines of one request, run
      idx-flow token --for METHOD URL
      A program that takes an ID token can have that with --type id.
      """)

  /// Whether the token works only together with a proof of its key.
  var needsProof: Bool { kind == .access && credential.tokens.needsProof }

  /// When the token expires; nil if that is unknown.
  var expiresAt: Date? {
    switch kind {
    case .access: credential.expiresAt
    case .id: Self.end(of: token)
    case .refresh: nil
    }
  }

  /// The type of the token, as in `Authorization: TYPE TOKEN`.
  var scheme: String { kind == .access ? credential.tokens.tokenType : "Bearer" }

  private static let margin: TimeInterval = 60

  /// The claim `exp` of a JWT; nil if there is none.
  static func end(of token: Secret?) -> Date? {
    guard let token, let jwt = try? JWT(parsing: token),
      let claims = try? JSONValue(parsing: jwt.payload), let seconds = claims["exp"]?.integer
    else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }
}

extension TokenKind {
  /// The name in a sentence, in the language of the person.
  var sentence: Sentence {
    switch self {
    case .access: "access token"
    case .refresh: "refresh token"
    case .id: "ID token"
    }
  }
}
