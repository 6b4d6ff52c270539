// Signs in without prompts: registers handlers and runs the coordinator.
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg

@main
struct HeadlessSignIn {
  static func main() async throws {
    // An org in memory stands in for a real one. A program would use HTTPTransport instead.
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@example.com", password: "Analytical-1843")],
      policy: .required(.email))
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)

    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
    handlers.on(.challengeAuthenticator, .password) { _ in
      .submit(["credentials.passcode": "Analytical-1843"])
    }
    handlers.on(.selectAuthenticatorEnroll) { _ in
      .submit(["authenticator": .authenticator(.email)])
    }
    handlers.on(.enrollAuthenticator, .email) { _ in
      let code = await org.mailbox.lastCode(to: "ada@example.com") ?? ""
      return .submit(["credentials.passcode": .text(code)])
    }
    handlers.on(.skip) { _ in .submit([:]) }

    let coordinator = FlowCoordinator(client: org.client, handlers: handlers)
    switch try await coordinator.run(configuration) {
    case .signedIn(let signIn):
      print("Signed in as \(signIn.user?.identifier ?? "an unnamed user")")
    case .ended(let state):
      print("Not signed in: \(state.response.allMessages.compactMap(\.text))")
    case .cancelled:
      print("Canceled")
    }
  }
}
