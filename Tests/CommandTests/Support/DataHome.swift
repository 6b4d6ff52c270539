import Foundation
import IDXFlow
import IDXOAuth
import IDXStorage
import IDXSimulatedOrg

/// The data folder of a user (`XDG_DATA_HOME`), in which the commands save credentials.
struct DataHome: Sendable {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The store of the commands.
  var store: FileCredentialStore { FileCredentialStore(folder: path) }

  /// The folder of the store.
  var path: String { folder.path("idx-flow") }

  /// Runs a command and waits for its end.
  func run(
    _ words: String..., input: String = "/dev/null", output: String? = nil,
    variables: [String: String] = [:]
  ) throws -> Program.End {
    try run(words, input: input, output: output, variables: variables)
  }

  /// Runs a command and waits for its end.
  func run(
    _ words: [String], input: String = "/dev/null", output: String? = nil,
    variables: [String: String] = [:]
  ) throws -> Program.End {
    try program(words, input: input, output: output, variables: variables).end()
  }

  /// Starts a command.
  func program(
    _ words: [String], input: String = "/dev/null", output: String? = nil,
    outputIsClosed: Bool = false, variables: [String: String] = [:]
  ) throws -> Program {
    let folders = [
      "XDG_DATA_HOME": folder.url.path, "XDG_CONFIG_HOME": folder.path("config"),
    ]
    return try Program(
      words,
      environment: Program.plainTerminal.merging(folders) { $1 }.merging(variables) { $1 },
      input: input, output: output, outputIsClosed: outputIsClosed)
  }

  /// Saves the settings of an org and its app as a profile.
  func saveProfile(_ name: String = "default", for server: OrgServer) throws {
    let end = try run(["profile", "set", name] + server.options)
    guard end.status == 0 else { throw Program.Failure(description: end.errors) }
  }

  /// The arguments that sign a user in to an org with a script.
  func signInArguments(
    at server: OrgServer, as user: SimulatedUser = .demo, _ more: String...
  ) throws -> [String] {
    let script = try folder.file("\(UUID()).json", Self.script(for: user))
    return ["signin"] + server.options
      + ["--scope", "openid profile offline_access", "--script", script] + more
  }

  /// Signs in without a process and saves the credential; `age` is the age of its tokens in seconds.
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
      throw Program.Failure(description: "the sign-in failed")
    }
    let id = signIn.credential.id
    try await self.age(signIn.credential, by: age)
    try await store.makeCurrent(id)
    // Read again, because a file stores times with less precision.
    return try await store.credential(id) ?? signIn.credential
  }

  /// Makes a saved credential older.
  func age(_ credential: Credential, by seconds: TimeInterval) async throws {
    let older = Credential(
      id: credential.id, username: credential.username, tokens: credential.tokens,
      receivedAt: credential.receivedAt.addingTimeInterval(-seconds),
      authenticatedAt: credential.authenticatedAt, nonce: credential.nonce)
    try await store.save(older)
  }

  /// Gives a saved credential other tokens.
  func replaceTokens(of credential: Credential, with tokens: Tokens) async throws {
    try await store.save(
      Credential(
        id: credential.id, username: credential.username, tokens: tokens,
        receivedAt: credential.receivedAt))
  }

  /// The saved credentials.
  func credentials() async throws -> [Credential] {
    try await store.entries().compactMap(\.credential)
  }

  /// The file of the only saved credential.
  func file() throws -> URL {
    let folder = URL(filePath: path).appending(path: "credentials")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }
    guard names.count == 1 else {
      throw Program.Failure(description: "there are \(names.count) files")
    }
    return folder.appending(path: names[0])
  }

  static func script(for user: SimulatedUser) -> String {
    """
    [{"step": "identify", "fields": {
      "identifier": "\(user.login)", "credentials.passcode": "\(user.password.revealed)"}}]
    """
  }
}
