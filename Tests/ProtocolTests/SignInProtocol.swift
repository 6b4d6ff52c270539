import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
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
}
