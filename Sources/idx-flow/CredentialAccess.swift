import Foundation
import IDXFlow
import IDXNetwork
import IDXPrompt
import IDXStorage
import IDXOAuth

/// What the commands on credentials share: which one is meant, where it is kept, and the server.
struct CredentialAccess {
  /// Where credentials are kept, and whether they are those of the demo.
  static let placeOptions = [
    OptionSpec("--demo", "the credentials of signin --demo, and its org"),
    OptionSpec(
      "--store", value: "KIND", "where credentials are kept: keychain, secret-service or file"),
    OptionSpec("--json", "print the result as JSON"),
  ]
  /// Which of the credentials is meant.
  static let choiceOptions = [
    OptionSpec("--user", value: "NAME", "whose credential, by user name or id"),
    OptionSpec("--issuer", value: "URL", "of which authorization server"),
    OptionSpec("--client-id", value: "ID", "of which app"),
  ]

  let store: any CredentialStore
  private let choice: CredentialChoice
  private let isDemo: Bool
  private let environment: [String: String]
  private let streams: Streams

  /// The access that the options ask for; `user` wins over them.
  init(_ call: CommandCall, user: String? = nil) async throws {
    let options = call.options
    isDemo = call.has("--demo")
    choice = CredentialChoice(
      user: user ?? options.values["--user"], issuer: options.values["--issuer"],
      clientID: options.values["--client-id"])
    let place = StorePlace(options, call.environment)
    store = if isDemo { try place.demoStore() } else { try await place.store() }
    environment = call.environment
    streams = call.streams
  }

  /// Everything that is kept, and whether all of that can be read; tells of what cannot.
  func credentials() async throws -> (credentials: [Credential], isReadable: Bool) {
    let entries = try await store.entries()
    for case .unreadable(let error) in entries { streams.note("idx-flow: \(error.message)") }
    let credentials = entries.compactMap(\.credential)
    return (
      credentials.sorted { CredentialText.order($0, $1) }, credentials.count == entries.count
    )
  }

  /// The credential that is meant: the one that was named, else the current one.
  func selected() async throws -> Credential {
    guard choice.isEmpty else { return try await named() }
    if let id = try await store.currentID(), let current = try await store.credential(id) {
      return current
    }
    let (others, isReadable) = try await credentials()
    guard let other = others.first else {
      throw isReadable
        ? CommandFailure(
          .signInNeeded,
          "Nobody is signed in: there is nothing in \(store.location). "
            + (isDemo ? "Sign in: idx-flow signin --demo" : "See: idx-flow signin --help"))
        : Self.unreadable
    }
    throw CommandFailure(
      .signInNeeded,
      "No credential is the current one. Name one with --user, or make one current: "
        + use(CredentialText(other).user))
  }

  /// The command that makes the credential of a user the current one.
  func use(_ user: String) -> String { "idx-flow use \(user)" + (isDemo ? " --demo" : "") }

  /// Does something with a credential.
  ///
  /// A signal gives it up. What the server may have replaced or revoked by then is stored all the same,
  /// unless that takes long.
  func use<Result: Sendable>(
    _ credential: Credential,
    _ body: @escaping @Sendable (CredentialSession) async throws -> Result
  ) async throws -> Result {
    let transport: any Transport = isDemo ? try DemoOrg(environment) : URLSessionTransport()
    let session = CredentialSession(
      credential.id, store: store, client: TokenClient(transport: transport))
    let task = Task { try await body(session) }
    let watch = SignalWatch(terminal: nil) { _ in task.cancel() }
    defer { watch.end() }
    do { return try await task.value } catch is CancellationError {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await session.finish() }
        group.addTask { try? await Task.sleep(for: Self.timeout) }
        await group.next()
        group.cancelAll()
      }
      throw CancellationError()
    }
  }

  /// How long a person who has given up waits for the server.
  private static let timeout: Duration = .seconds(10)

  private func named() async throws -> Credential {
    let (credentials, isReadable) = try await credentials()
    let matches = credentials.filter(choice.fits)
    guard let match = matches.first else {
      throw isReadable
        ? CommandFailure(
          .signInNeeded,
          "There is no such credential in \(store.location). See: idx-flow list"
            + (isDemo ? " --demo" : "")) : Self.unreadable
    }
    guard matches.count == 1 else {
      let lines = matches.map { "\n  \(CredentialText($0).place)" }.joined()
      throw CommandFailure(
        .usage, "Several credentials fit; say which, with --user, --issuer, --client-id:\(lines)")
    }
    return match
  }

  private static let unreadable = CommandFailure(
    .storeFailed, "The credential may be one of those that cannot be read.")
}

/// What the person says of the credential that is meant.
struct CredentialChoice {
  let user: String?
  let issuer: String?
  let clientID: String?

  var isEmpty: Bool { user == nil && issuer == nil && clientID == nil }

  func fits(_ credential: Credential) -> Bool {
    let names = [credential.username, credential.id.subject].compactMap(\.self)
    func trimmed(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
    return (user.map(names.contains) ?? true)
      && (issuer.map { trimmed($0) == credential.id.issuer.absoluteString } ?? true)
      && (clientID.map { $0 == credential.id.clientID } ?? true)
  }
}
