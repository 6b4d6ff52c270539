import Foundation
import IDX
import IDXBase
import IDXOAuth

/// A credential as text and as JSON, without its tokens.
struct CredentialText {
  private let credential: Credential
  private let now = Date()

  init(_ credential: Credential) { self.credential = credential }

  /// The name of the user.
  var user: String {
    (credential.username ?? credential.id.subject ?? "an unnamed user").sanitized
  }

  /// The command with these options that makes it the current credential, for a person to copy.
  func useCommand(_ options: String) -> String {
    // After `--`, a name that starts with a hyphen is not an option.
    "idx-flow use\(options)\(user.hasPrefix("-") ? " --" : "") \(user.shellWord)"
  }

  /// The user, the issuer and the app on one line.
  var line: String { "\(user)  \(app)" }

  /// The user and the host of the issuer: `ada@example.com at dev-1234.okta.com`.
  var userAndHost: String { "\(user) at \((credential.id.issuer.host ?? "").sanitized)" }

  /// The issuer and the app.
  var app: String { "\(credential.id.issuer.absoluteString)  \(credential.id.clientID)".sanitized }

  /// Until when the access token is valid.
  var validity: String {
    if let date = credential.refusedAt {
      return "refused by the server on \(Self.time(date)); sign in again"
    }
    guard let end = credential.expiresAt else {
      return "the server did not say how long it is valid"
    }
    guard credential.isValid(at: now) else {
      return "expired \(Self.time(end)); \(isUsable ? "refreshed when needed" : "sign in again")"
    }
    return "until \(Self.time(end)) (\(Self.span(end.timeIntervalSince(now))) left)"
  }

  /// Whether the credential can be used without a new sign-in.
  var isUsable: Bool {
    credential.refusedAt == nil
      && (credential.isValid(at: now) || credential.tokens.refreshToken != nil)
  }

  private var refresh: String {
    if credential.tokens.refreshToken == nil {
      return "no; to get one, sign in with the scope offline_access"
    }
    return credential.refusedAt == nil ? "yes" : "no longer accepted"
  }

  /// All details, one on each line.
  var lines: [String] {
    let id = credential.id
    let name = id.subject.map { credential.username == nil ? user : "\(user) (\($0.sanitized))" }
    return [
      "user      \(name ?? "\(user) (not confirmed by an ID token)")",
      "issuer    \(id.issuer.absoluteString.sanitized)",
      "app       \(id.clientID.sanitized)",
      "access    \(validity)",
      "refresh   \(refresh)",
      "scopes    \(credential.scopes.joined(separator: " ").sanitized)",
    ] + (credential.tokens.needsProof ? ["bound to  a key of this computer (DPoP)"] : [])
      + (credential.authenticatedAt.map { ["signed in \(Self.time($0))"] } ?? [])
  }

  var json: JSONValue {
    let id = credential.id
    func seconds(_ date: Date?) -> JSONValue {
      JSONValue(date.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded(.down)) })
    }
    return [
      "user": JSONValue(credential.username), "subject": JSONValue(id.subject),
      "issuer": .string(id.issuer.absoluteString), "client_id": .string(id.clientID),
      "scopes": .array(credential.scopes.map(JSONValue.string)),
      "expires_at": seconds(credential.expiresAt),
      "is_valid": .bool(credential.isValid(at: now)),
      "has_refresh_token": .bool(credential.tokens.refreshToken != nil),
      "authenticated_at": seconds(credential.authenticatedAt),
      "refused_at": seconds(credential.refusedAt),
      "is_bound_to_key": .bool(credential.tokens.needsProof),
    ]
  }

  /// Whether a credential comes before another one in a list.
  static func order(_ left: Credential, _ right: Credential) -> Bool {
    func key(_ credential: Credential) -> [String] {
      [
        credential.id.issuer.absoluteString, credential.id.clientID,
        credential.username ?? "", credential.id.subject ?? "",
      ]
    }
    return key(left).lexicographicallyPrecedes(key(right))
  }

  /// A time in the local time zone: `2026-11-21 06:11:18`.
  static func time(_ date: Date) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
    return date.formatted(style.dateTimeSeparator(.space).time(includingFractionalSeconds: false))
  }

  private static func span(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<120: "\(Int(seconds.rounded())) s"
    case ..<7200: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    default: "\(Int((min(seconds, 1e9) / 86_400).rounded())) days"
    }
  }
}
