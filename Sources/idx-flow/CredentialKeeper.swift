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
  /// Where it cannot be kept its tokens are revoked, since nobody will have them, and the error is
  /// thrown. Goes to its end also where the task is cancelled.
  func keep(_ credential: Credential) async throws {
    // A task of its own: one that is cancelled would neither keep the tokens nor revoke them.
    try await Task {
      do {
        try await store.withLock(on: credential.id) {
          try await checkPlace(of: credential)
          try await store.save(credential)
        }
      } catch {
        for kind in [TokenKind.refresh, .access] {
          try? await client.revoke(kind, of: credential)
        }
        throw error
      }
      try await store.makeCurrent(credential.id)
    }.value
  }

  /// Throws where the credential would take the place of another person's: without an ID token, all
  /// people of an app have the same id.
  private func checkPlace(of credential: Credential) async throws {
    guard credential.id.subject == nil, let other = try await store.credential(credential.id),
      let name = other.username, name.lowercased() != credential.username?.lowercased()
    else { return }
    let user = CredentialText(other).user
    throw CommandFailure(
      .storeFailed,
      "Without an ID token nobody can be told apart from \(user), whose credential is kept already "
        + "and stays. Sign in with the scope openid, or sign out \(user) first.")
  }
}
