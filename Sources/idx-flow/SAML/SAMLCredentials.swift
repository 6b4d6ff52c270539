import Foundation
import IDXBase
import IDXOAuth

/// What is kept for sign-ins to an app with SAML: without tokens there is no credential to keep it with, so it is in one
/// of its own for the app and the person.
struct SAMLCredentials: Sendable {
  let app: SAMLAppAddress
  let label: String?
  let store: any CredentialStore

  /// The credentials of a person, the last one first; `username` is nil for any person.
  func all(of username: String?) async throws -> [Credential] {
    try await store.entries().compactMap(\.credential).filter { credential in
      credential.id.clientID == app.clientID && credential.id.label == label
        && (username == nil || username == credential.username)
    }
    .sorted { $0.receivedAt > $1.receivedAt }
  }

  /// Changes the credential of a person, or makes the first one.
  func change(
    of username: String?, _ body: @Sendable (inout Credential) throws -> Void
  ) async throws {
    guard let issuer = URL(string: app.issuer) else { return }
    let id = Credential.ID(
      issuer: issuer, clientID: app.clientID, subject: username, label: label)
    try await store.withLock(on: id) {
      var credential = Credential(
        id: id, username: username, tokens: Tokens(accessToken: "none"), receivedAt: Date())
      credential.attachments = try await store.credential(id)?.attachments ?? [:]
      try body(&credential)
      try await store.save(credential)
    }
  }
}
