import Foundation
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXStorage

/// Selects a credential for a command, and runs requests with it.
struct CredentialAccess {
  /// The options that select the store.
  static let storeOptions = [
    OptionSpec("--demo", "use the credentials and the org of signin --demo"),
    OptionSpec(
      "--store", value: "KIND", "where credentials are saved: \(StoreChoice.kinds)"),
    OptionSpec("--json", "print the result as JSON"),
  ]
  /// The options that select a credential.
  static let selectionOptions = [
    OptionSpec("--user", value: "NAME", "the username or user ID"),
    OptionSpec("--issuer", value: "URL", "the authorization server"),
    OptionSpec("--client-id", value: "ID", "the client ID of the app"),
  ]

  let store: any CredentialStore
  private let call: CommandCall
  private let user: String?
  private let isDemo: Bool

  /// Creates the access for a command line; `user` overrides `--user`.
  init(_ call: CommandCall, user: String? = nil) async throws {
    self.call = call
    self.user = user ?? call.options.values["--user"]
    isDemo = call.has("--demo")
    store = try await StoreChoice.store(call, isDemo: isDemo)
  }

  /// All credentials that can be read, and whether that is all of them; notes each that cannot be read.
  func credentials() async throws -> (credentials: [Credential], isComplete: Bool) {
    let entries = try await store.entries()
    for case .unreadable(let error) in entries {
      call.streams.note("idx-flow: \(error.message)")
    }
    let credentials = entries.compactMap(\.credential).sorted(by: CredentialText.order)
    return (credentials, credentials.count == entries.count)
  }

  /// The credential that the options select; by default the current one.
  func selected() async throws -> Credential {
    let (issuer, clientID) = (call.options.values["--issuer"], call.options.values["--client-id"])
    guard user == nil && issuer == nil && clientID == nil else {
      return try await matching(issuer, clientID)
    }
    if let id = try await store.currentID(), let current = try await store.credential(id) {
      return current
    }
    let (others, isComplete) = try await credentials()
    guard let other = others.first else {
      throw isComplete
        ? CommandFailure(
          .signInNeeded,
          "You are not signed in: there are no credentials in \(store.location). "
            + (isDemo ? "Sign in: idx-flow signin --demo" : "See: idx-flow signin --help"))
        : Self.unreadable
    }
    throw CommandFailure(
      .signInNeeded,
      "There is no current credential. Select one with --user, or make one the current one: "
        + CredentialText(other).useCommand(isDemo ? " --demo" : ""))
  }

  private func matching(_ issuer: String?, _ clientID: String?) async throws -> Credential {
    let (credentials, isComplete) = try await credentials()
    let address = issuer.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    let matches = credentials.filter { credential in
      let id = credential.id
      return (user == nil || user == credential.username || user == id.subject)
        && (address == nil || address == id.issuer.absoluteString)
        && (clientID == nil || clientID == id.clientID)
    }
    guard let match = matches.first else {
      throw isComplete
        ? CommandFailure(
          .signInNeeded,
          "No credential in \(store.location) matches. See: idx-flow list"
            + (isDemo ? " --demo" : "")) : Self.unreadable
    }
    guard matches.count == 1 else {
      let lines = matches.map { "\n  \(CredentialText($0).line)" }.joined()
      throw CommandFailure(
        .usage,
        "Several credentials match. Select one with --user, --issuer and --client-id:\(lines)")
    }
    return match
  }

  private static let unreadable = CommandFailure(
    .storeFailed, "The credential may be one of those that cannot be read.")

  /// Runs requests with a credential.
  ///
  /// A signal cancels them. Tokens that the server may have replaced or revoked by then are still saved,
  /// unless that takes too long.
  func use<Result: Sendable>(
    _ credential: Credential,
    _ body: @escaping @Sendable (CredentialSession) async throws -> Result
  ) async throws -> Result {
    let streams = call.streams
    let transport: any Transport =
      isDemo
      ? try DemoOrg(call.environment)
      : RetryingTransport(
        URLSessionTransport(), limit: Self.retryLimit, onRetry: { streams.note("\($0)".sanitized) })
    let session = CredentialSession(
      credential.id, store: store, client: TokenClient(transport: transport))
    let task = Task { try await body(session) }
    let watch = SignalWatch(terminal: nil) { _ in task.cancel() }
    defer { watch.end() }
    do { return try await task.value } catch is CancellationError {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await session.finish() }
        group.addTask { try? await Task.sleep(for: Self.cancelTimeout) }
        await group.next()
        group.cancelAll()
      }
      throw CancellationError()
    }
  }

  /// How long a request may be repeated; a person without a network should not wait long to sign out.
  private static let retryLimit: Duration = .seconds(2)

  /// How long the command waits for the server after a signal.
  private static let cancelTimeout: Duration = .seconds(10)
}

/// The store that `--store` or `IDX_FLOW_STORE` selects; by default the safest one on this computer.
enum StoreChoice {
  /// The names of all stores, for help and errors.
  static let kinds = CredentialStores.Kind.allCases.map(\.rawValue).joined(separator: ", ")

  /// The demo has its own store, so that it never changes real credentials.
  ///
  /// `warns` says whether to tell the person if tokens go to files because there is no keyring. If there
  /// is one and it fails, no files are read or written in its place.
  static func store(
    _ call: CommandCall, isDemo: Bool, warns: Bool = false
  ) async throws -> any CredentialStore {
    let option = call.options.values["--store"]
    let environment = call.environment
    if isDemo {
      guard option == nil || option == CredentialStores.Kind.file.rawValue else {
        throw CommandFailure(
          .usage, "The demo saves its credentials in files. Do not use --store with it.")
      }
      return FileCredentialStore(folder: try demoFolder(environment))
    }
    let variable = environment["IDX_FLOW_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    let kind = try (option ?? variable).map { name in
      guard let kind = CredentialStores.Kind(rawValue: name) else {
        let source = option == nil ? "IDX_FLOW_STORE" : "--store"
        throw CommandFailure(.usage, "\(source) must be one of \(kinds), not \(name).")
      }
      return kind
    }
    let files = FileCredentialStore(
      folder: try CredentialStores.dataFolder(environment: environment))
    do {
      return try await CredentialStores.system(kind, environment: environment) { reason in
        guard warns else { return }
        call.streams.note(
          "idx-flow: Warning: without a keyring, the tokens are saved in \(files.location), in clear "
            + "text that only your user can read. \(reason.message) \(accept) without this warning."
        )
      }
    } catch let error as CredentialStoreError
      where kind == nil && error.code == .unavailable
    {
      throw CredentialStoreError(
        error.code, "\(error.message) \(accept): they are in clear text, in \(files.location).",
        systemCode: error.systemCode)
    }
  }

  private static let accept = "With --store file or IDX_FLOW_STORE=file, files are used"

  static func demoFolder(_ environment: [String: String]) throws -> String {
    try CredentialStores.dataFolder(environment: environment) + "/demo"
  }
}
