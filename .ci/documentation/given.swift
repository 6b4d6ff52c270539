// What the examples in documentation comments use and do not declare.
func given<T>() -> T { fatalError() }

nonisolated(unsafe) let accounts: Accounts = given()
nonisolated(unsafe) let body: [UInt8] = given()
nonisolated(unsafe) let bytes: [UInt8] = given()
nonisolated(unsafe) let client: any FlowClient = given()
nonisolated(unsafe) let codes: CodeReader = given()
nonisolated(unsafe) let configuration: FlowConfiguration = given()
nonisolated(unsafe) let cookieClient: ExampleClient = given()
nonisolated(unsafe) let coordinator: FlowCoordinator = given()
nonisolated(unsafe) let credential: Credential = given()
nonisolated(unsafe) let database: Database = given()
nonisolated(unsafe) let error: any Error = given()
nonisolated(unsafe) let form: WebForm = given()
nonisolated(unsafe) let frontEnd: any FrontEnd = given()
nonisolated(unsafe) var handlers: Handlers = given()
nonisolated(unsafe) let locks: CredentialLocks = given()
nonisolated(unsafe) let model: SignInModel = given()
nonisolated(unsafe) let org: SimulatedOrg = given()
nonisolated(unsafe) let origin: URL = given()
nonisolated(unsafe) var phase: FlowPhase = given()
nonisolated(unsafe) let recordingFile: URL = given()
nonisolated(unsafe) let redirectURI: URL = given()
nonisolated(unsafe) let replies: [ScriptedReply] = given()
nonisolated(unsafe) let request: WebRequest = given()
nonisolated(unsafe) let screen: Screen = given()
nonisolated(unsafe) let secret: Secret = given()
nonisolated(unsafe) let session: CredentialSession = given()
nonisolated(unsafe) let shared: any Transport = given()
nonisolated(unsafe) let signInStore: any OpenSignInStore = given()
nonisolated(unsafe) var state: FlowState = given()
nonisolated(unsafe) let store: any CredentialStore = given()
nonisolated(unsafe) let submission: Submission = given()
nonisolated(unsafe) let terminal: InteractiveTerminal = given()
nonisolated(unsafe) let tokens: TokenClient = given()
nonisolated(unsafe) let transport: any Transport = given()
nonisolated(unsafe) let url: URL = given()
nonisolated(unsafe) let words: Words = given()

struct Accounts: Sendable {
  func add(_ credential: Credential) async throws -> String { given() }
}
struct CodeReader: Sendable {
  func next() async -> String { given() }
}
struct Database {
  func write(_ bytes: [UInt8], to name: String) throws {}
}
struct WebRequest {
  let headers: [String: String]
}
struct WebForm {
  let id: String
  let revision: Int
  let values: [String: Secret]
}
struct MyCredentialStore: CredentialStore {
  init(folder: URL, timeout: Duration) {}
  let location = "memory"
  func save(_ credential: Credential) async throws {}
  func credential(_ id: Credential.ID) async throws -> Credential? { nil }
  func entries() async throws -> [StoredCredential] { [] }
  func remove(_ id: Credential.ID) async throws {}
  func currentID() async throws -> Credential.ID? { nil }
  func makeCurrent(_ id: Credential.ID) async throws {}
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result { try await body() }
}
var newFolder: URL { given() }
func ask(_ input: Screen.Input) async throws -> Secret { given() }
func goHome() {}
func keep(_ credential: Credential) {}
func open(_ url: URL) async throws -> URL { url }
func save(_ bytes: Data) throws {}
func setCookie(_ value: String?) {}
func log(_ text: String) {}
func show(_ value: Any) {}
func show(_ title: String, _ text: String) {}

struct ExampleClient: CookieClient {
  var http: IssuerClient
  func start(_ configuration: FlowConfiguration, _ options: StartOptions) async throws -> FlowState { given() }
  func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState { given() }
  func refresh(_ state: FlowState) async throws -> FlowState { given() }
  func resume(_ returned: RedirectReturn, from state: FlowState) async throws -> FlowState { given() }
  func redeem(_ state: FlowState, username: String?) async throws -> Credential { given() }
}
func send(_ submission: Submission) async throws -> FlowState { given() }
