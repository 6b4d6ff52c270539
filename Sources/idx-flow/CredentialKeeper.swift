import IDXFlow
import OAuth

/// Keeps what a sign-in ends in.
struct CredentialKeeper {
  let store: any CredentialStore
  let client: TokenClient

  var location: String { store.location }

  /// Who is signed in to the org as the app, so that another sign-in may not be what the person wants;
  /// nil where nobody is.
  func known(_ configuration: FlowConfiguration) async throws -> Credential? {
    let current = try await store.currentID()
    let candidates = try await store.entries().compactMap(\.credential).filter { credential in
      credential.id.issuer == configuration.issuer
        && credential.id.clientID == configuration.clientID && CredentialText(credential).isUsable
    }
    return candidates.first { $0.id == current }
      ?? candidates.min { CredentialText.order($0, $1) }
  }

  /// Keeps the credential and makes it the current one.
  ///
  /// Where that fails its tokens are revoked, since nobody will have them, and the error is thrown.
  func keep(_ credential: Credential) async throws {
    do {
      try await store.withLock(on: credential.id) { try await store.save(credential) }
      try await store.makeCurrent(credential.id)
    } catch {
      for kind in [TokenKind.refresh, .access] {
        try? await client.revoke(kind, of: credential)
      }
      throw error
    }
  }
}
