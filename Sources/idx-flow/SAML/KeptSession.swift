import Foundation
import IDXBase
import IDXOAuth
import IDXPrompt

/// The session that an org began with a sign-in to an app with SAML, kept like a token: the next sign-in asks for nothing.
struct KeptSession: Sendable {
  static let option = OptionSpec(
    "--keep-session", value: "WHEN", of: .oneOf(["ask", "always", "never"]),
    "with --saml, keep the org's session: ask, always or never (default)")
  static let question: Sentence = "Keep the session of the org?"
  static let help: Sentence =
    "As long as the org accepts the session, new keys need no password and no factor. Until then, anyone who can read "
    + "your credentials can use it. idx-flow signout ends it."

  let app: SAMLAppAddress
  let label: String?
  let store: any CredentialStore

  /// The cookies of the session that was used last; nil if none is kept.
  func cookies(username: String?) async -> CookieJar? {
    let found = try? await store.entries().compactMap(\.credential).filter { credential in
      credential.id.clientID == app.clientID && credential.id.label == label
        && (username == nil || username == credential.username)
    }
    return found?.sorted { $0.receivedAt > $1.receivedAt }.lazy.compactMap(\.keptSession).first
  }

  /// Keeps a session, with the keys that are for the same app and person.
  func keep(_ cookies: CookieJar, username: String?, at date: Date = Date()) async throws {
    guard let issuer = URL(string: app.issuer) else { return }
    let id = Credential.ID(
      issuer: issuer, clientID: app.clientID, subject: username, label: label)
    try await store.withLock(on: id) {
      var credential = Credential(
        id: id, username: username, tokens: Tokens(accessToken: "none"), receivedAt: date)
      credential.attachments = try await store.credential(id)?.attachments ?? [:]
      credential.keptSession = cookies
      try await store.save(credential)
    }
  }
}

extension Credential {
  private static let session = "session"

  /// The cookies of a session that is kept with the credential; nil if there is none.
  var keptSession: CookieJar? {
    get {
      attachments[Self.session].flatMap {
        try? JSONDecoder().decode(CookieJar.self, from: Data($0.revealed.utf8))
      }
    }
    set {
      let data = newValue.flatMap { try? JSONEncoder().encode($0) }
      attachments[Self.session] = data.map { Secret(String(decoding: $0, as: UTF8.self)) }
    }
  }
}
