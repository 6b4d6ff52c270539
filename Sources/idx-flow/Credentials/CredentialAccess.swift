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
      "--store", value: "KIND", "where credentials are saved: keychain, secret-service or file"),
    OptionSpec("--json", "print the result as JSON"),
  ]
  /// The options that select a credential.
  static let selectionOptions = [
    OptionSpec("--user", value: "NAME", "the username or user ID"),
    OptionSpec("--issuer", value: "URL", "the authorization server"),
    OptionSpec("--client-id", value: "ID", "the client ID of the app"),
  ]

  let store: any CredentialStore
  private let selection: CredentialSelection
  private let isDemo: Bool
  private let environment: [String: String]
  private let streams: Streams

  /// Creates the access for a command line; `user` overrides `--user`.
  init(_ call: CommandCall, user: String? = nil) async throws {
    let options = call.options
    isDemo = call.has("--demo")
    selection = CredentialSelection(
      user: user ?? options.values["--user"], issuer: options.values["--issuer"],
      clientID: options.values["--client-id"])
    let choice = StoreChoice(options, call.environment)
    store = if isDemo { try choice.demoStore() } else { try await choice.store() }
    environment = call.environment
    streams = call.streams
  }

  /// All credentials that can be read, and whether that is all of them; notes each that cannot be read.
  func credentials() async throws -> (credentials: [Credential], isComplete: Bool) {
    let entries = try await store.entries()
    for case .unreadable(let error) in entries { streams.note("idx-flow: \(error.message)") }
    let credentials = entries.compactMap(\.credential)
    return (
      credentials.sorted { CredentialText.order($0, $1) }, credentials.count == entries.count
    )
  }

  /// The credential that the options select; by default the current one.
  func selected() async throws -> Credential {
    guard selection.isEmpty else { return try await matching() }
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
        + useCommand(for: CredentialText(other).user))
  }

  private func useCommand(for user: String) -> String {
    "idx-flow use \(user)" + (isDemo ? " --demo" : "")
  }

  private func matching() async throws -> Credential {
    let (credentials, isComplete) = try await credentials()
    let matches = credentials.filter(selection.matches)
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
    let transport: any Transport = isDemo ? try DemoOrg(environment) : URLSessionTransport()
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

  /// How long the command waits for the server after a signal.
  private static let cancelTimeout: Duration = .seconds(10)
}

/// The user, issuer and app that the options name.
private struct CredentialSelection {
  let user: String?
  let issuer: String?
  let clientID: String?

  var isEmpty: Bool { user == nil && issuer == nil && clientID == nil }

  func matches(_ credential: Credential) -> Bool {
    let names = [credential.username, credential.id.subject].compactMap(\.self)
    func trimmed(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
    return (user.map(names.contains) ?? true)
      && (issuer.map { trimmed($0) == credential.id.issuer.absoluteString } ?? true)
      && (clientID.map { $0 == credential.id.clientID } ?? true)
  }
}

/// The store that `--store` or `IDX_FLOW_STORE` selects; by default the safest one on this computer.
struct StoreChoice {
  private let name: String?
  private let source: String
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) {
    let variable = environment["IDX_FLOW_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    name = options.values["--store"] ?? variable
    source = options.values["--store"] == nil ? "IDX_FLOW_STORE" : "--store"
    self.environment = environment
  }

  func store() async throws -> any CredentialStore {
    try await CredentialStores.system(kind(), environment: environment)
  }

  /// The demo's own store, so that the demo never changes real credentials.
  func demoStore() throws -> FileCredentialStore {
    guard source != "--store" || name == CredentialStores.Kind.file.rawValue else {
      throw CommandFailure(
        .usage, "The demo saves its credentials in files. Do not use --store with it.")
    }
    return FileCredentialStore(folder: try Self.demoFolder(environment))
  }

  static func demoFolder(_ environment: [String: String]) throws -> String {
    try CredentialStores.dataFolder(environment: environment) + "/demo"
  }

  private func kind() throws -> CredentialStores.Kind? {
    guard let name else { return nil }
    guard let kind = CredentialStores.Kind(rawValue: name) else {
      let kinds = CredentialStores.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.usage, "\(source) must be one of \(kinds), not \(name).")
    }
    return kind
  }
}
