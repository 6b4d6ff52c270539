import Foundation
import IDXBase
import IDXOAuth

/// What is kept for people of an org beside tokens: the session of the org, and keys of AWS for an app with SAML.
///
/// Without tokens there is no credential to keep it with, so it is in one of its own for the org, the profile and the
/// person.
struct OrgCredentials: Sendable {
  /// An address of the org.
  let org: URL
  /// The label of the profile; nil for the default one.
  let label: String?
  let store: any CredentialStore

  // No app has it, because settings refuse spaces in a client ID.
  fileprivate static let clientID = "org session"

  /// The credentials of a person, the last one first; `username` is nil for any person.
  func all(of username: String?) async throws -> [Credential] {
    try await store.entries().compactMap(\.credential).filter { credential in
      credential.isOfOrg && Origin(credential.id.issuer) == Origin(org)
        && credential.id.label == label && (username == nil || username == credential.username)
    }
    .sorted { $0.receivedAt > $1.receivedAt }
  }

  /// Changes the credential of a person; `creating` makes the first one, otherwise there may be none.
  ///
  /// A credential in which nothing is left is removed.
  func change(
    of username: String?, creating: Bool = true, _ body: @Sendable (inout Credential) throws -> Void
  ) async throws {
    guard let issuer = URL(string: "\(Origin(org))") else { return }
    let id = Credential.ID(
      issuer: issuer, clientID: Self.clientID, subject: username, label: label)
    try await store.withLock(on: id) {
      let kept = try await store.credential(id)
      guard creating || kept != nil else { return }
      var credential = Credential(
        id: id, username: username, tokens: Tokens(accessToken: "none"), receivedAt: Date())
      credential.attachments = kept?.attachments ?? [:]
      try body(&credential)
      if !credential.attachments.isEmpty {
        try await store.save(credential)
      } else if kept != nil {
        try await store.remove(id)
      }
    }
  }
}

extension Credential {
  /// Whether it only keeps what is there beside tokens, and has none.
  var isOfOrg: Bool { id.clientID == OrgCredentials.clientID }
}

extension CredentialAccess {
  /// Names the sessions of orgs that are kept, and how to end each.
  func noteKeptSessions() async {
    let kept = (try? await store.entries().compactMap(\.credential)) ?? []
    for credential in kept where credential.isOfOrg && credential.keptSession != nil {
      note(keptSession: credential)
    }
  }
}
