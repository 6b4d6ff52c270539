import Foundation
import IDXBase
import IDXOAuth

/// Credentials for the checks of a store.
enum ContractCredentials {
  static let issuer = "https://one.okta.example"

  /// A credential with all its parts.
  static func credential(
    issuer: String = issuer, client: String = "client-1", subject: String? = "ada",
    token: String = "access-1", username: String = "ada@one.example"
  ) -> Credential {
    Credential(
      id: Credential.ID(
        issuer: URL(string: issuer) ?? URL(filePath: issuer), clientID: client, subject: subject),
      username: username,
      tokens: Tokens(
        accessToken: Secret(token), tokenType: "Bearer", expiresIn: 3600,
        scopes: ["openid", "offline_access"], refreshToken: Secret("refresh of \(token)"),
        idToken: Secret("id of \(token)"), deviceSecret: Secret("device of \(token)")),
      receivedAt: Date(timeIntervalSince1970: 1_800_000_000.25),
      authenticatedAt: Date(timeIntervalSince1970: 1_799_999_990),
      nonce: Secret("nonce of \(token)"))
  }

  /// A credential of nothing but what must be.
  static let bare = Credential(
    id: Credential.ID(
      issuer: URL(filePath: "/"), clientID: "", subject: nil),
    tokens: Tokens(accessToken: "a"), receivedAt: Date(timeIntervalSince1970: 0))

  /// Credentials whose ids differ in one part only, or in how the parts are divided.
  static let neighbours: [Credential] = [
    credential(),
    credential(issuer: "https://two.okta.example"),
    credential(issuer: "\(issuer)/"),
    credential(issuer: "\(issuer)/oauth2/default"),
    credential(client: "client-2"),
    credential(client: "client"),
    credential(subject: "grace"),
    credential(subject: "Ada"),
    credential(subject: nil),
    credential(subject: ""),
    credential(subject: "-"),
    credential(client: "client-", subject: "1ada"),
  ]

  /// What a subject may be made of.
  static let oddTexts = [
    "../../etc/passwd", "a/b", #"a\b"#, #""quoted" and 'quoted'"#, "--help", "$(id) `id` ; | & *",
    "new\nline", "tab\tand\u{1B}[31mcolour", "\u{202E}turned", "Ünïcödé 名前 👩‍💻", " ", ".", "%00%2F",
    String(repeating: "long ", count: 1000),
  ]
}
