import IDX
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

extension FlowClient {
  /// The state after the username and the password of the demo user.
  func afterPassword(_ configuration: FlowConfiguration) async throws -> FlowState {
    let state = try await proceed(
      .identify, ["identifier": .text(SharedSignIn.login)], from: start(configuration))
    return try await proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(SharedSignIn.password)], from: state)
  }
}

extension OpenSignInResult {
  var page: OpenSignInPage? { if case .page(let page) = self { page } else { nil } }
}

extension ScreenNext {
  var pending: PendingScreen? { if case .show(let pending) = self { pending } else { nil } }
}

extension Decision {
  /// The screen with which a handler asks.
  var screen: Screen? { if case .ask(let screen, _) = self { screen } else { nil } }
  /// The other form that a handler submits.
  var otherForm: Remediation? { if case .submit(_, let form?) = self { form } else { nil } }
}
