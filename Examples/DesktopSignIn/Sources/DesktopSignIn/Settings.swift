import CGTK
import Foundation
import IDXFlow
import IDXNetwork
import IDXStorage
import IDXSimulatedOrg
import IDXSoftwarePasskeys

/// What the command line chooses: a real org, or one that is simulated in memory.
struct Settings {
  let configuration: FlowConfiguration
  let client: any FlowClient
  let tokens: TokenClient
  let store: any CredentialStore
  let passkeys: (any PasskeyProvider)?
  /// Opens a page in the browser.
  let open: @MainActor @Sendable (URL) async throws -> Void

  /// The org of an `Okta.plist`, whose redirect URI must be a loopback address.
  static func org(_ plist: String) async throws -> Settings {
    let configuration = try FlowConfiguration(plist: URL(filePath: plist)).requestingRefreshToken()
    let transport = RetryingTransport(HTTPTransport())
    let kind = try ProcessInfo.processInfo.environment["IDX_FLOW_STORE"].map { name in
      guard let kind = CredentialStores.Kind(rawValue: name) else {
        throw UsageError(message: "IDX_FLOW_STORE names no store: \(name)")
      }
      return kind
    }
    let tokens = TokenClient(transport: transport)
    return Settings(
      configuration: configuration, client: IDXClient(transport: transport, tokens: tokens),
      tokens: tokens, store: try await CredentialStores.system(kind), passkeys: nil,
      open: { gtk_show_uri(nil, $0.absoluteString, UInt32(GDK_CURRENT_TIME)) })
  }

  /// A simulated org; its mailbox and its users' devices write to standard error.
  static func demo(_ name: String) throws -> Settings {
    guard let scenario = OrgScenario.named(name) else {
      let names = OrgScenario.all(for: .idx).map(\.name).joined(separator: " ")
      throw UsageError(message: "There is no demo \(name). There are: \(names)")
    }
    let org = SimulatedOrg(
      scenario, redirectURIs: ["http://127.0.0.1:8484/callback"],
      onMessage: { note("mailbox: \($0.method) to \($0.recipient): \($0.text)") })
    for user in scenario.users {
      note("demo: the user is \(user.login), the password Analytical-1843")
    }
    for hint in scenario.hints { note("demo: \(hint)") }
    return Settings(
      configuration: try FlowConfiguration(
        issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI
      ).requestingRefreshToken(),
      client: org.client, tokens: org.tokenClient, store: MemoryCredentialStore(),
      passkeys: SoftwareAuthenticator.demo,
      open: { address in
        // The browser of the org's user follows the address to the page, they sign in there, and it returns.
        let browser = HTTPTransport()
        let entrance = try await browser.send(TransportRequest(url: address))
        guard let page = entrance.header("Location").flatMap(URL.init(string:)),
          let end = await org.visit(page)
        else { return }
        _ = try await browser.send(TransportRequest(url: end))
      })
  }

  private static func note(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}

/// A wrong command line.
struct UsageError: LocalizedError {
  let message: String
  var errorDescription: String? { message }
}
