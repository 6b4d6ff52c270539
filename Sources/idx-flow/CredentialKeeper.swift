import IDXFlow
import IDXOAuth

/// Keeps what a sign-in ends in.
struct CredentialKeeper {
  let store: any CredentialStore
  let client: TokenClient

  var location: String { store.location }

  /// Throws where the credential of a sign-in could not be kept, as far as that shows before it;
  /// returns what is wrong with single credentials, whosever they are.
  func check(_ configuration: FlowConfiguration) async throws -> [String] {
    _ = try await store.currentID()
    let problems = try await store.entries().compactMap { entry -> String? in
      if case .unreadable(let error) = entry { error.message } else { nil }
    }
    // To lock is to write where the credential will be written.
    let id = Credential.ID(
      issuer: configuration.issuer, clientID: configuration.clientID, subject: nil)
    try await store.withLock(on: id) {}
    return problems
  }

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
  /// Where it cannot be kept its tokens are revoked, since nobody will have them. Where it is kept and
  /// cannot be made the current one, it stays. Both are thrown.
  func keep(_ credential: Credential) async throws {
    do {
      try await store.withLock(on: credential.id) {
        try await checkPlace(of: credential)
        try await store.save(credential)
      }
    } catch {
      let fate = await client.revokeAll(of: credential).sentence
      throw Self.error(error, "The tokens cannot be kept. \(fate)")
    }
    do { try await store.makeCurrent(credential.id) } catch {
      throw Self.error(
        error, "You are signed in and the tokens are kept, but not as the current ones.")
    }
  }

  /// Throws where the credential would take the place of another person's: without an ID token, all
  /// people of an app have the same id.
  private func checkPlace(of credential: Credential) async throws {
    guard credential.id.subject == nil, let other = try await store.credential(credential.id),
      let name = other.username, name.lowercased() != credential.username?.lowercased()
    else { return }
    let user = CredentialText(other).user
    throw CredentialStoreError(
      "taken",
      "Without an ID token nobody can be told apart from \(user), whose credential is kept already "
        + "and stays. Sign in with the scope openid, or sign out \(user) first.")
  }

  private static func error(_ error: any Error, _ sentence: String) -> any Error {
    guard let error = error as? CredentialStoreError else { return error }
    return CredentialStoreError(
      error.code, "\(sentence) \(error.message)", systemCode: error.systemCode)
  }
}

/// What became of tokens that nobody will have.
enum TokenFate {
  case revoked
  case standing

  var sentence: String {
    switch self {
    case .revoked: "They were revoked."
    case .standing: "They could not be revoked and stand until they expire."
    }
  }
}

extension TokenClient {
  /// Revokes the tokens of a credential that is lost; goes on where the sign-in is cancelled.
  func revokeAll(of credential: Credential) async -> TokenFate {
    await Task {
      var fate = TokenFate.revoked
      for kind in [TokenKind.refresh, .access] {
        do { try await revoke(kind, of: credential) } catch { fate = .standing }
      }
      return fate
    }.value
  }
}
