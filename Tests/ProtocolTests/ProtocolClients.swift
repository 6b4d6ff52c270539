import IDXBrowserAuth
import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg

extension SignInProtocol {
  /// The protocols that can set up authenticators and replace passwords.
  static let changing: [SignInProtocol] = [.idx, .classic]

  /// A client of an org, which has a sign-in page from then on if the client needs one.
  func client(of org: SimulatedOrg) async -> any FlowClient {
    await prepare(org)
    return client(over: org, org.tokenClient)
  }

  /// Gives an org what a client of the protocol needs there.
  func prepare(_ org: SimulatedOrg) async {
    if self == .hosted { await org.changeRequests { $0.signInPage = OrgSignInPage() } }
  }

  func client(
    over transport: any Transport, _ tokens: TokenClient, random: RandomBytes = .system
  ) -> any FlowClient {
    switch self {
    case .direct: DirectAuthClient(transport: transport, tokens: tokens)
    case .classic: ClassicAuthClient(transport: transport, tokens: tokens, random: random)
    case .hosted: HostedClient(transport: transport, tokens: tokens, random: random)
    default: IDXClient(transport: transport, tokens: tokens, random: random)
    }
  }
}
