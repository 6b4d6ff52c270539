import IDXFlow
import IDXOAuth

/// Saves the credential of a sign-in.
struct CredentialSaver {
  let store: any CredentialStore
  let client: TokenClient
  /// The label of the credentials of the profile.
  let label: String?

  var location: String { store.location }

  /// Checks, as far as possible before the sign-in, that its credential can be saved.
  ///
  /// Returns the problems with single credentials, of any user.
  func check(_ configuration: FlowConfiguration) async throws -> [CredentialStoreError] {
    let problems = try await store.entries().compactMap { entry -> CredentialStoreError? in
      if case .unreadable(let error) = entry { error } else { nil }
    }
    // A lock writes a file where the credential will be written.
    let id = Credential.ID(
      issuer: configuration.issuer, clientID: configuration.clientID, subject: nil, label: label)
    try await store.withLock(on: id) {}
    return problems
  }

  /// Checks that the credential can become the current one; returns why not if a person can decide about that.
  func checkCurrent() async throws -> CredentialStoreError? {
    do { _ = try await store.currentID() } catch let error as CredentialStoreError
      where error.code == .damaged
    { return error }
    return nil
  }

  /// A usable credential for the same org and app; nil if nobody is signed in.
  func signedIn(to configuration: FlowConfiguration) async throws -> Credential? {
    let current = try await store.currentID()
    let candidates = try await store.entries().compactMap(\.credential).filter { credential in
      credential.id.issuer == configuration.issuer && credential.id.label == label
        && credential.id.clientID == configuration.clientID && CredentialText(credential).isUsable
    }
    return candidates.first { $0.id == current } ?? candidates.min(by: CredentialText.order)
  }

  /// Saves the credential, and makes it the current one if `isChosen` or if there is none; returns whether it is, and
  /// another one that was the current one.
  ///
  /// If it cannot be saved, its tokens are revoked, because nobody will have them. If it is saved but
  /// cannot be made the current one, it stays. Throws in both cases.
  @discardableResult
  func save(
    _ unlabeled: Credential, isChosen: Bool = true
  ) async throws -> (isCurrent: Bool, replaced: Credential?) {
    let credential = unlabeled.labeled(label)
    do {
      try await store.withLock(on: credential.id) {
        try await checkOwner(of: credential)
        let replaced = try await store.credential(credential.id)?.tokens.key
        try await store.save(credential)
        if replaced != credential.tokens.key { replaced?.remove() }
        // In a task of its own, because saving has finished even if this task was cancelled.
        let saved = try await Task { try await store.credential(credential.id) }.value
        guard saved?.tokens == credential.tokens else {
          throw CredentialStoreError(
            .unavailable, "They are not in \(store.location) after they were saved there.")
        }
      }
    } catch {
      let consequence = await client.revokeAll(credential.tokens, of: credential.id.app)
      credential.tokens.key?.remove()
      throw Self.error(error, "The tokens cannot be saved. \(consequence)")
    }
    let last = try? await store.currentID()
    guard isChosen || last == nil else { return (false, nil) }
    do { try await store.makeCurrent(credential.id) } catch {
      throw Self.error(
        error,
        "You are signed in and the tokens are saved, but they are not the current credential.")
    }
    guard let last, last != credential.id else { return (true, nil) }
    return (true, try? await store.credential(last))
  }

  /// Throws if the credential would replace one of another user: without an ID token, all users of an
  /// app have the same credential ID.
  private func checkOwner(of credential: Credential) async throws {
    guard credential.id.subject == nil, let other = try await store.credential(credential.id),
      let name = other.username, name.lowercased() != credential.username?.lowercased()
    else { return }
    let user = CredentialText(other).user
    throw CredentialStoreError(
      "taken",
      "A credential of \(user) is already saved, and without an ID token two users cannot be "
        + "distinguished. Sign in with the scope openid, or sign out \(user) first.")
  }

  private static func error(_ error: any Error, _ sentence: String) -> any Error {
    guard let error = error as? CredentialStoreError else { return error }
    return CredentialStoreError(
      error.code, "\(sentence) \(error.message)", systemCode: error.systemCode)
  }
}
