import Foundation
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import IDXTesting

typealias SignInProtocol = OrgScenario.SignInProtocol

extension SignInProtocol {
  /// The protocols that can set up authenticators and replace passwords.
  static let changing: [SignInProtocol] = [.idx, .classic]

  func client(of org: SimulatedOrg) -> any FlowClient {
    switch self {
    case .idx: org.client
    case .direct: DirectAuthClient(transport: org, tokens: org.tokenClient)
    case .classic: ClassicAuthClient(transport: org, tokens: org.tokenClient)
    }
  }

  /// The client that sends with a transport and has its own time.
  func client(over transport: any Transport, now: @escaping @Sendable () -> Date) -> any FlowClient
  {
    let tokens = TokenClient(transport: transport, now: now)
    switch self {
    case .idx: return IDXClient(transport: transport, tokens: tokens)
    case .direct: return DirectAuthClient(transport: transport, tokens: tokens)
    case .classic: return ClassicAuthClient(transport: transport, tokens: tokens)
    }
  }
}
