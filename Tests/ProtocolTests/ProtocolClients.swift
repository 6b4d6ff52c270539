import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg

extension SignInProtocol {
  /// The protocols that can set up authenticators and replace passwords.
  static let changing: [SignInProtocol] = [.idx, .classic]

  func client(of org: SimulatedOrg) -> any FlowClient { client(over: org, org.tokenClient) }

  func client(over transport: any Transport, _ tokens: TokenClient) -> any FlowClient {
    switch self {
    case .direct: DirectAuthClient(transport: transport, tokens: tokens)
    case .classic: ClassicAuthClient(transport: transport, tokens: tokens)
    default: IDXClient(transport: transport, tokens: tokens)
    }
  }
}
