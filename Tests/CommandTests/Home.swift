import Foundation
import IDXFlow
import IDXStorage
import IDXTesting
import IDXOAuth

/// A person's folder, in which the commands keep credentials.
struct Home: Sendable {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Where the commands keep them, for a look or a change behind their back.
  var store: FileCredentialStore { FileCredentialStore(folder: path) }

  /// The folder of the store.
  var path: String { folder.path("idx-flow") }

  /// Runs a command to its end.
  func run(_ words: String..., input: String = "/dev/null", output: String? = nil) async throws
    -> Program.End
  {
    try await program(words, input: input, output: output).end()
  }

  /// Starts a command.
  func program(
    _ words: [String], input: String = "/dev/null", output: String? = nil,
    outputIsClosed: Bool = false
  ) throws -> Program {
    let environment = [
      "XDG_DATA_HOME": folder.url.path, "TERM": "xterm-256color", "LANG": "C.UTF-8",
      "NO_COLOR": "1",
    ]
    return try Program(
      words, environment: environment, input: input, output: output,
      outputIsClosed: outputIsClosed)
  }

  /// The words that sign a user in at an org without asking.
  func signInWords(
    at server: OrgServer, as user: SimulatedUser = .demo, _ more: String...
  ) throws -> [String] {
    let script = try folder.file("\(UUID()).json", Self.script(for: user))
    return [
      "signin", "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
      server.org.redirectURI, "--scope", "openid profile offline_access", "--script", script,
    ] + more
  }

  /// Keeps a credential as a sign-in does, without a process.
  ///
  /// `age` is how many seconds ago the tokens came.
  @discardableResult
  func signIn(
    at server: OrgServer, as user: SimulatedUser = .demo,
    scopes: [String] = ["openid", "profile", "offline_access"], age: TimeInterval = 0
  ) async throws -> Credential {
    let configuration = try FlowConfiguration(
      issuer: server.issuer, clientID: server.org.clientID, redirectURI: server.org.redirectURI,
      scopes: scopes)
    let script = ScriptHandler(try Script(parsing: Data(Self.script(for: user).utf8)))
    let coordinator = FlowCoordinator(client: server.org.client, handlers: script.handlers)
    guard case .signedIn(let signIn) = try await coordinator.run(configuration) else {
      throw Program.Failure(description: "nobody is signed in")
    }
    let id = signIn.credential.id
    try await self.age(signIn.credential, by: age)
    try await store.makeCurrent(id)
    // As it is read: a file keeps less of a time than the memory does.
    return try await store.credential(id) ?? signIn.credential
  }

  /// Lets a credential that is kept be older than it is.
  func age(_ credential: Credential, by seconds: TimeInterval) async throws {
    let older = Credential(
      id: credential.id, username: credential.username, tokens: credential.tokens,
      receivedAt: credential.receivedAt.addingTimeInterval(-seconds),
      authenticatedAt: credential.authenticatedAt, nonce: credential.nonce)
    try await store.save(older)
  }

  /// The credentials that are kept.
  func credentials() async throws -> [Credential] {
    try await store.entries().compactMap(\.credential)
  }

  /// The file in which the one credential is kept.
  func file() throws -> URL {
    let folder = URL(filePath: path).appending(path: "credentials")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }
    guard names.count == 1 else {
      throw Program.Failure(description: "\(names.count) files are kept")
    }
    return folder.appending(path: names[0])
  }

  private static func script(for user: SimulatedUser) -> String {
    """
    [{"step": "identify", "fields": {
      "identifier": "\(user.login)", "credentials.passcode": "\(user.password.revealed)"}}]
    """
  }
}
