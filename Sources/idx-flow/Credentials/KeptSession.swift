import Foundation
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXOAuth
import IDXPrompt

/// The session that an org begins with a sign-in on its page: it is kept like a token if the person wants it, so that
/// the next sign-in asks for nothing; otherwise it ends with the command.
struct KeptSession: Sendable {
  let credentials: OrgCredentials
  /// Whether the person wants it; nil if nothing says so, and then one that is kept stays so.
  let permission: DevicePermission?

  static let option = OptionSpec(
    "--keep-session", value: "WHEN", of: .oneOf(DevicePermission.options),
    "keep the org's session: ask, always or never (default: as it is now)")
  private static let question: Sentence = "Keep the session of the org?"
  private static let help: Sentence =
    "As long as the org accepts the session, the next sign-in needs no password and no factor. Until then, anyone who "
    + "can read your credentials can use it. idx-flow signout ends it."

  /// The session of a person, to begin a sign-in with; nil if none is kept, or if none is wanted.
  ///
  /// `username` is nil for the person who signed in last. A store that cannot be read has none.
  func cookies(of username: String?) async -> (cookies: CookieJar, username: String?)? {
    permission == .never ? nil : await kept(of: username)
  }

  private func kept(of username: String?) async -> (cookies: CookieJar, username: String?)? {
    try? await credentials.all(of: username).lazy.compactMap { credential in
      credential.keptSession.map { ($0, credential.username) }
    }
    .first
  }

  /// Keeps the cookies of a session again, unless it is not kept any more; a person has not been asked.
  func renew(_ cookies: CookieJar, of username: String?) async {
    try? await credentials.change(of: username, creating: false) { credential in
      if credential.keptSession != nil { credential.keptSession = cookies }
    }
  }

  /// Keeps the session of a sign-in that has ended, or ends it.
  ///
  /// One that is kept stays so until a sign-out, or until the person does not want it any more.
  ///
  /// After a sign-in that began with the session (`hadSession`), it is kept only if nobody has signed out meanwhile.
  func finish(
    _ state: FlowState, of username: String?, hadSession: Bool = false,
    at transport: any Transport, _ streams: Streams
  ) async throws {
    let client = HostedClient(transport: transport)
    let kept = await kept(of: username)?.cookies
    do {
      if try await isWanted(isKept: kept != nil, streams) {
        return hadSession
          ? await renew(state.cookies, of: username)
          : try await credentials.change(of: username) { $0.keptSession = state.cookies }
      }
    } catch let error as CredentialStoreError {
      streams.note(
        "idx-flow: The session is not kept. \(CommandFailure(error).sentence.sanitized)")
    } catch {
      // In a task of its own, because the person may have cancelled this one.
      _ = await Task { await client.endSession(of: state) }.value
      throw error
    }
    await client.endSession(of: state)
    guard let kept else { return }
    await client.endSession(kept, of: state.configuration)
    try? await credentials.change(of: username, creating: false) { $0.keptSession = nil }
  }

  private func isWanted(isKept: Bool, _ streams: Streams) async throws -> Bool {
    switch permission {
    case .always: true
    case .never: false
    case nil: isKept
    case .asks:
      if isKept {
        true
      } else {
        try await streams.dialog?.confirm(Self.question, help: Self.help) ?? false
      }
    }
  }
}

extension Credential {
  private static let session = "session"

  /// The cookies of a session that is kept; nil if there is none.
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
