public import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the requests of a recording say about the org, the app and the protocol.
struct ReplayStart {
  let configuration: FlowConfiguration
  let signInProtocol: SignInProtocol

  init(_ recording: Recording) throws {
    let requests = recording.exchanges.map(\.request)
    guard let first = requests.first else { throw RecordingError("The recording is empty.") }
    let paths = requests.map(\.url.path)
    let forms = requests.map(ReplayTransport.form)
    if paths.contains(where: { $0.contains("/idp/idx/") || $0.hasSuffix("/v1/interact") }) {
      signInProtocol = .idx
    } else if paths.contains(where: { $0.contains("/api/v1/authn") }) {
      signInProtocol = .classic
    } else if paths.contains(where: { $0.hasSuffix("/v1/device/authorize") }) {
      signInProtocol = .device
    } else {
      let hasCode = forms.contains { $0["grant_type"] == "authorization_code" }
      signInProtocol = hasCode || paths.contains { $0.hasSuffix("/v1/par") } ? .browser : .direct
    }
    func parameter(_ name: String) -> String? { forms.lazy.compactMap { $0[name] }.first }
    configuration = try FlowConfiguration(
      issuer: Self.issuer(among: requests.map(\.url)) ?? Self.origin(of: first.url),
      // The classic API names the app only when the tokens are requested.
      clientID: parameter("client_id") ?? "unknown",
      redirectURI: parameter("redirect_uri") ?? "com.example.replay:/callback",
      scopes: parameter("scope")?.split(separator: " ").map(String.init)
        ?? FlowConfiguration.defaultScopes)
  }

  /// What stands before the path of an endpoint of OAuth, such as `/v1/token`.
  private static func issuer(among urls: [URL]) -> String? {
    for url in urls where !url.path.hasPrefix("/api/") {
      guard let end = url.path.firstRange(of: "/v1/")?.lowerBound else { continue }
      // The org authorization server has its endpoints below /oauth2/v1.
      let path = url.path[..<end]
      return origin(of: url) + (path == "/oauth2" ? "" : path)
    }
    return nil
  }

  private static func origin(of url: URL) -> String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme ?? "https")://\(url.host ?? "")\(port)"
  }
}

/// Answers requests for a passkey in a replay, where no key knows the invented site.
///
/// The answers have the right form and no valid signature, which a ``ReplayTransport`` does not check.
public struct ReplayPasskeys: PasskeyProvider {
  /// Creates a provider.
  public init() {}

  /// Returns an attestation that is not valid.
  public func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    PasskeyAttestation(clientData: [1], attestationObject: [1])
  }

  /// Returns a signature that is not valid.
  public func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    PasskeyAssertion(clientData: [1], authenticatorData: [1], signature: [1], userHandle: [1])
  }
}
